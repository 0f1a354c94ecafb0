//! Emoji: pictures that chat lines can name as `:party:`.
//!
//! A small set drawn by us is part of the binary (`builtin.rs`); the operator adds others on the admin page or
//! drops files into a folder, where sub-folders are packs (`scan.rs`). An operator's emoji hides the built-in one of
//! the same name. Uploads are decoded within a budget and re-encoded (`picture.rs`), so that no byte a browser sent
//! is served to anybody.
//!
//! It must not turn anything a client sent into a file name. Client input is looked up in the index of files that
//! were found; the name of an upload is the one exception, and it must consist of letters, digits, `_` and `-`
//! (`name.rs`).
//!
//! Start with [`EmojiStore`].

mod builtin;
mod container;
mod disk;
#[doc(hidden)]
pub mod fuzz;
mod limits;
mod name;
mod picture;
mod scan;
pub mod sentences;
mod store;

pub use self::store::{EmojiError, EmojiFile, EmojiMirror, EmojiStore};
pub use limits::{MAX_DECODED_BYTES, MAX_FRAMES, MAX_PICTURE_SIDE, MAX_UPLOAD_BYTES, PictureError};
pub use scan::{MAX_FILE_BYTES, MAX_FILES, SkippedFile};

/// Where the pictures are served.
const URL_PREFIX: &str = "/img/emoji/";

/// One emoji of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emoji {
    /// The text between the colons, as the file spells it; lookups ignore case.
    pub name: String,
    /// The file's path below the folder, such as `pack/party.png`.
    pub path: String,
    /// The sub-folder it is in, if any.
    pub pack: Option<String>,
    /// Whether it is part of the binary and cannot be removed.
    pub builtin: bool,
}

impl Emoji {
    /// The picture's URL; needs no escaping.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{URL_PREFIX}{}", self.path)
    }
}
