//! Why an emoji is not added or removed, as its page says it to the operator.

use model::sentence::Sentence;

use super::limits::{MAX_ANIMATED_SIDE, MAX_FRAMES, MAX_KEPT_SIDE, MAX_UPLOAD_BYTES, PictureError};
use super::name::MAX_NAME_CHARS;
use super::scan::MAX_FILES;
use super::store::EmojiError;

model::sentences! {
    NAME = "emoji-name",
        "The name of an emoji has 1 to {most} characters: letters from A to Z, digits, _ and -.";
    PACK = "emoji-pack-name",
        "The name of a pack has 1 to {most} characters: letters from A to Z, digits, _ and -.";
    TAKEN = "emoji-taken", "There is already an emoji with this name: {emoji}";
    FULL = "emoji-full", "There are already {most} emoji. Remove some first.";
    UNKNOWN = "emoji-unknown", "This emoji no longer exists.";
    BUILT_IN = "emoji-built-in",
        "This emoji is part of the server and cannot be removed. Upload one with the same name to hide it.";
    DISK = "emoji-folder-unusable", "The emoji folder cannot be used: {reason}";
    HEAVY = "emoji-too-large", "The picture is larger than {megabytes} MB.";
    EMPTY = "emoji-empty", "The picture is empty.";
    DOCUMENT = "emoji-document",
        "This is an SVG, HTML or XML document, which can run scripts. Upload a PNG, JPEG, GIF or WebP picture.";
    UNKNOWN_FORMAT = "emoji-format", "This is not a PNG, JPEG, GIF or WebP picture.";
    STOWAWAY = "emoji-stowaway",
        "The picture has a web page, a script or an archive hidden inside. Save it again with another program.";
    TOO_MANY_PIXELS = "emoji-pixels",
        "The picture is {width} × {height} pixels, which is too large. An emoji needs no more than {most} pixels on each side.";
    LARGE_ANIMATION = "emoji-animation-size",
        "The animation or GIF is {width} × {height} pixels. Each side may have {most} at most; still pictures may be larger as PNG.";
    TOO_MANY_FRAMES = "emoji-animation-frames", "The animation has more than {most} frames.";
    HEAVY_ANIMATION = "emoji-animation-weight",
        "The animation would take more than 1 MB. Use fewer frames or colours.";
    DAMAGED = "emoji-damaged", "The picture is damaged or cut off.";
}

impl EmojiError {
    /// The same for pages, which say it in their language.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Name => NAME.with([(MAX_NAME_CHARS as u64).into()]),
            Self::Pack => PACK.with([(MAX_NAME_CHARS as u64).into()]),
            Self::Taken(path) => TAKEN.with([path.as_str().into()]),
            Self::Full => FULL.with([(MAX_FILES as u64).into()]),
            Self::Picture(error) => error.sentence(),
            Self::Unknown => UNKNOWN.plain(),
            Self::BuiltIn => BUILT_IN.plain(),
            Self::Disk(error) => DISK.with([error.to_string().into()]),
        }
    }
}

impl PictureError {
    fn sentence(&self) -> Sentence {
        let side = |pixels: u32| u64::from(pixels).into();
        match *self {
            Self::Heavy => HEAVY.with([((MAX_UPLOAD_BYTES >> 20) as u64).into()]),
            Self::Empty => EMPTY.plain(),
            Self::Document => DOCUMENT.plain(),
            Self::UnknownFormat => UNKNOWN_FORMAT.plain(),
            Self::Stowaway => STOWAWAY.plain(),
            Self::TooManyPixels { width, height } => {
                TOO_MANY_PIXELS.with([side(width), side(height), side(MAX_KEPT_SIDE)])
            }
            Self::LargeAnimation { width, height } => {
                LARGE_ANIMATION.with([side(width), side(height), side(MAX_ANIMATED_SIDE)])
            }
            Self::TooManyFrames => TOO_MANY_FRAMES.with([(MAX_FRAMES as u64).into()]),
            Self::HeavyAnimation => HEAVY_ANIMATION.plain(),
            Self::Damaged => DAMAGED.plain(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_an_emoji_is_refused_can_be_said_by_its_code() {
        let large = PictureError::TooManyPixels {
            width: 9000,
            height: 10,
        };
        let sentence = EmojiError::from(large).sentence();
        assert_eq!(sentence.code(), "emoji-pixels");
        assert!(sentence.english().contains("9000 × 10 pixels"));
        let taken = EmojiError::Taken("cats/wave.png".into()).sentence();
        assert!(taken.english().ends_with(": cats/wave.png"));
    }
}
