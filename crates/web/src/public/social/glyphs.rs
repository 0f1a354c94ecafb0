//! Signs of platforms, as paths on a square of 24.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Made by `scripts/platform-glyphs.mjs`, which says where they are from.
const SIMPLE_ICONS: &str = include_str!("glyphs.txt");

/// Ours, for links that lead to no platform.
const OWN: [(&str, &str); 4] = [
    (
        "donate",
        "M12 21.2 3.2 12.4a5.6 5.6 0 0 1 8-7.9l.8.8.8-.8a5.6 5.6 0 0 1 8 7.9z",
    ),
    ("email", "M2 5h20v1.6l-10 6.6L2 6.6zm0 4v10h20V9l-10 6.6z"),
    ("follow", "M10.5 3h3v7.5H21v3h-7.5V21h-3v-7.5H3v-3h7.5z"),
    (
        "website",
        "M10.6 13.4a4.9 4.9 0 0 0 6.9 0l3.1-3.1a4.9 4.9 0 0 0-6.9-6.9l-1.8 1.8 1.7 1.7 1.8-1.8a2.5 2.5 0 0 1 3.5 \
         3.5l-3.1 3.1a2.5 2.5 0 0 1-3.5 0zM13.4 10.6a4.9 4.9 0 0 0-6.9 0l-3.1 3.1a4.9 4.9 0 0 0 6.9 6.9l1.8-1.8-1.7-1.7\
         -1.8 1.8a2.5 2.5 0 0 1-3.5-3.5l3.1-3.1a2.5 2.5 0 0 1 3.5 0z",
    ),
];

static GLYPHS: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = SIMPLE_ICONS.lines().filter(|line| !line.starts_with('#'));
    let glyphs = lines.filter_map(|line| line.split_once(' '));
    glyphs.chain(OWN).collect()
});

/// The sign of a platform, if there is one that may be used.
pub(super) fn of(platform: &str) -> Option<&'static str> {
    GLYPHS.get(platform).copied()
}

#[cfg(test)]
mod tests {
    use model::social::PLATFORMS;

    use super::*;

    #[test]
    fn every_sign_belongs_to_a_platform_and_is_nothing_but_a_path() {
        for (id, path) in GLYPHS.iter() {
            assert!(PLATFORMS.iter().any(|(known, _)| known == id), "{id}");
            let is_path = |c: char| c.is_ascii_alphanumeric() || " .,-".contains(c);
            assert!(
                path.starts_with(['M', 'm']) && path.chars().all(is_path),
                "{id}"
            );
        }
    }

    #[test]
    fn few_platforms_are_without_a_sign() {
        let without = PLATFORMS.iter().filter(|(id, _)| of(id).is_none());
        let without: Vec<&str> = without.map(|(id, _)| *id).collect();
        assert_eq!(without, ["funkwhale", "keyoxide", "linkedin"]);
    }
}
