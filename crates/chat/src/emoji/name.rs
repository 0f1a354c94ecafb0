//! Valid names of files, packs and uploads.
//!
//! The alphabet is narrow so that a path needs no escaping in a URL or in HTML, cannot leave its folder and has
//! exactly one dot, as the allow-list for rendered lines requires.

/// Longest name of an emoji or a pack; a longer one is refused, or its file skipped.
pub(super) const MAX_NAME_CHARS: usize = 64;

/// Endings of the pictures we serve from the folder. SVG is none of them: it is a document that can run scripts.
const ENDINGS: [&str; 5] = ["png", "gif", "jpg", "jpeg", "webp"];

/// Whether this can be the name of an emoji or of one folder.
pub(super) fn is_plain(part: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=MAX_NAME_CHARS).contains(&part.len()) && part.chars().all(allowed)
}

/// The emoji's name from a file name, or why the file cannot be an emoji.
pub(super) fn of_file(file: &str) -> Result<&str, &'static str> {
    let Some((name, ending)) = file.split_once('.') else {
        return Err("it has no extension such as .png");
    };
    if ending.contains('.') {
        return Err("its name has more than one dot");
    }
    if !is_ending(ending) {
        return Err("only png, gif, jpg, jpeg and webp files can be emoji");
    }
    if !is_plain(name) {
        return Err("its name has more than 64 characters, or others than A-Z a-z 0-9 _ -");
    }
    Ok(name)
}

/// The emoji's name from an uploader's input, with or without a picture's file extension.
pub(super) fn of_upload(text: &str) -> Option<&str> {
    let name = match text.split_once('.') {
        Some((name, ending)) if is_ending(ending) => name,
        Some(_) => return None,
        None => text,
    };
    is_plain(name).then_some(name)
}

/// The nested folders of a pack such as `animals/cats`.
pub(super) fn of_pack(text: &str, deepest: usize) -> Option<Vec<&str>> {
    let parts: Vec<&str> = text.split('/').take(deepest + 1).collect();
    (parts.len() <= deepest && parts.iter().all(|part| is_plain(part))).then_some(parts)
}

fn is_ending(text: &str) -> bool {
    ENDINGS
        .iter()
        .any(|ending| ending.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_what_stands_before_their_only_dot() {
        assert_eq!(of_file("party.png"), Ok("party"));
        assert_eq!(of_file("Party-2_x.GIF"), Ok("Party-2_x"));
        for bad in [
            "",
            "party",
            ".png",
            "party.",
            "a.b.png",
            "party.svg",
            "party.html",
            "party png.png",
            "pärty.png",
            "a/b.png",
            "a%2e.png",
            "a\\b.png",
            "a\n.png",
        ] {
            assert!(of_file(bad).is_err(), "{bad:?}");
        }
        assert!(of_file(&format!("{}.png", "a".repeat(65))).is_err());
    }

    #[test]
    fn uploads_may_leave_the_ending_out() {
        assert_eq!(of_upload("party"), Some("party"));
        assert_eq!(of_upload("party.webp"), Some("party"));
        for bad in [
            "",
            "party.svg",
            "party.png.html",
            "../party.png",
            "a/b",
            ".",
        ] {
            assert_eq!(of_upload(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn packs_are_plain_folders_and_not_deep() {
        assert_eq!(of_pack("cats", 3), Some(vec!["cats"]));
        assert_eq!(of_pack("a/b/c", 3), Some(vec!["a", "b", "c"]));
        for bad in [
            "", "/", "a/", "/a", "a//b", "..", "a/../b", "a/b/c/d", "a.b", "a b",
        ] {
            assert_eq!(of_pack(bad, 3), None, "{bad:?}");
        }
    }
}
