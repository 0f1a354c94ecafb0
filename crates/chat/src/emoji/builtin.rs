//! The set that comes with the server, drawn by us and kept in `assets/emoji`.
//!
//! These are the only SVG files the store ever serves.

use super::Emoji;

pub(super) const CONTENT_TYPE: &str = "image/svg+xml";

/// A drawing: name, file and content.
#[derive(Debug)]
pub(super) struct Drawing {
    name: &'static str,
    pub(super) file: &'static str,
    pub(super) bytes: &'static [u8],
}

impl Drawing {
    pub(super) fn emoji(&self) -> Emoji {
        Emoji {
            name: self.name.to_owned(),
            path: self.file.to_owned(),
            pack: None,
            builtin: true,
        }
    }
}

macro_rules! drawings {
    ($($name:literal)*) => {
        &[$(Drawing {
            name: $name,
            file: concat!($name, ".svg"),
            bytes: include_bytes!(concat!("../../assets/emoji/", $name, ".svg")),
        }),*]
    };
}

/// In the order of the picker.
pub(super) const DRAWINGS: &[Drawing] = drawings! {
    "smile" "laugh" "wink" "love" "cool" "party" "think" "surprised" "sad" "cry" "angry" "sleepy"
    "wave" "thumbsup" "thumbsdown" "clap"
    "heart" "fire" "star" "rocket" "popcorn" "coffee" "music" "camera" "mic" "live" "rill" "check" "question" "gift"
    "trophy" "confetti"
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::emoji::name;

    #[test]
    fn every_drawing_of_the_folder_is_in_the_set() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/emoji");
        let entries = std::fs::read_dir(folder).unwrap();
        let files: BTreeSet<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let set: BTreeSet<String> = DRAWINGS
            .iter()
            .map(|drawing| drawing.file.to_owned())
            .collect();
        assert_eq!(files, set);
        assert_eq!(set.len(), DRAWINGS.len(), "a name is there twice");
    }

    #[test]
    fn drawings_are_small_and_cannot_run_or_load_anything() {
        for drawing in DRAWINGS {
            let text = std::str::from_utf8(drawing.bytes).unwrap();
            assert!(text.len() < 2048, "{} is too large", drawing.file);
            assert!(name::is_plain(drawing.name), "{}", drawing.name);
            assert!(
                text.starts_with(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">"
                ),
                "{}",
                drawing.file
            );
            assert!(text.trim_end().ends_with("</svg>"), "{}", drawing.file);
            let lower = text.to_lowercase();
            for word in [
                "script",
                "href",
                "url(",
                "<image",
                "<use",
                "foreignobject",
                "<style",
                "import",
                "data:",
                "<!",
                " on",
                "<?",
            ] {
                assert!(!lower.contains(word), "{} contains {word}", drawing.file);
            }
            assert_eq!(
                lower.matches("http").count(),
                1,
                "{} names an address",
                drawing.file
            );
        }
    }
}
