//! Emoji: pictures that lines of chat can name as `:party:`.
//!
//! A small set is drawn by us and part of the binary (`builtin.rs`); the operator adds others on the admin page or
//! drops files into a folder, where sub-folders are packs (`scan.rs`). An operator's emoji hides the built-in one of
//! the same name. What is uploaded is decoded within a budget and written anew (`picture.rs`), so that nothing of the
//! bytes a browser sent is served to anybody.
//!
//! What it must not do: turn anything a client sent into a file name. Clients' words are looked up in the index of
//! files that were found; the name of an upload is the one exception, and it consists of letters, digits, `_` and
//! `-` or is refused (`name.rs`).
//!
//! Start with [`EmojiStore`].

mod builtin;
mod container;
mod disk;
#[doc(hidden)]
pub mod fuzz;
mod name;
mod picture;
mod scan;
mod store;

pub use self::store::{EmojiError, EmojiFile, EmojiStore};
pub use picture::{
    MAX_DECODED_BYTES, MAX_FRAMES, MAX_PICTURE_SIDE, MAX_UPLOAD_BYTES, PictureError,
};
pub use scan::{MAX_FILE_BYTES, MAX_FILES, SkippedFile};

/// Where the pictures are served.
const URL_PREFIX: &str = "/img/emoji/";

/// One emoji of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emoji {
    /// What stands between the colons, as the file spells it; it is looked up in any case.
    pub name: String,
    /// The file below the folder, with `/` between its parts, such as `pack/party.png`.
    pub path: String,
    /// The folder it lies in, for those not at the top.
    pub pack: Option<String>,
    /// Part of the binary; it cannot be removed.
    pub builtin: bool,
}

impl Emoji {
    /// Where the picture is served; needs no escaping.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{URL_PREFIX}{}", self.path)
    }
}
