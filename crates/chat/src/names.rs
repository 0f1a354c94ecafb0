//! Display names.

use std::collections::HashSet;
use std::sync::LazyLock;

use ammonia::Builder;
use model::chat::{looks_like, name_key};

use crate::render::plain_text;

/// Limit (viewers): characters of a chat name; the rest is cut.
const MOST_CHARS: usize = 30;
/// Characters of a proposed name that are looked at, markup included; the rest is cut before it is parsed.
const MOST_RAW_CHARS: usize = 512;
/// Names the operator has to suggest before they replace ours; fewer would soon repeat.
const FEWEST_SUGGESTIONS: usize = 10;

const ADJECTIVES: &str = include_str!("names/adjectives.txt");
const NOUNS: &str = include_str!("names/nouns.txt");

static NO_TAGS: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut list = Builder::empty();
    list.clean_content_tags(HashSet::from(["script", "style"]));
    list
});

/// A proposed name without markup and invisible characters, cut to length. It may be empty.
pub fn clean(raw: &str) -> String {
    let raw: String = raw.chars().take(MOST_RAW_CHARS).collect();
    // An ampersand is literal and begins no entity: otherwise a name would change when it is sent again.
    let text = plain_text(&NO_TAGS.clean(&raw.replace('&', "&amp;")).to_string());
    let visible = text
        .chars()
        // A bracket that is left was not a tag, but a page that forgets to escape might turn it into one.
        .filter(|c| !is_unseen(*c) && !matches!(c, '<' | '>'))
        .map(|c| if c.is_whitespace() { ' ' } else { c });
    let visible: String = visible.collect();
    let name: String = visible.trim().chars().take(MOST_CHARS).collect();
    name.trim_end().to_owned()
}

/// Control characters, direction overrides and zero-width characters: two names that differ only
/// in these look the same.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a name contains a blocked word, ignoring case.
pub fn is_forbidden(name: &str, blocked: &[String]) -> bool {
    let name = name_key(name);
    let mut words = blocked.iter().map(|word| name_key(word));
    words.any(|word| !word.is_empty() && name.contains(&word))
}

/// Whether readers would take a name for that of the server itself.
pub fn is_servers(name: &str, server_name: &str) -> bool {
    looks_like(name, &clean(server_name))
}

/// A name for somebody who has none: one of the operator's if there are enough of them, otherwise an adjective and a
/// noun. `pick` chooses a number below its argument.
pub fn generate(pick: &mut dyn FnMut(usize) -> usize, suggested: &[String]) -> String {
    if suggested.len() >= FEWEST_SUGGESTIONS {
        let name = clean(one_of(pick, suggested).map_or("", String::as_str));
        if !name.is_empty() {
            return name;
        }
    }
    let mut word = |list: &'static str| {
        let words: Vec<&str> = list.lines().collect();
        one_of(pick, &words).copied().unwrap_or("guest")
    };
    let adjective = word(ADJECTIVES);
    let noun = word(NOUNS);
    format!("{adjective}-{noun}")
}

fn one_of<'a, T>(pick: &mut dyn FnMut(usize) -> usize, list: &'a [T]) -> Option<&'a T> {
    let chosen = pick(list.len());
    list.get(chosen.checked_rem(list.len())?)
}

/// Whether a name looks like a link.
pub(crate) fn is_like_a_link(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("://") || name.contains("www.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_unseen_characters_leave_a_name() {
        for (raw, name) in [
            ("ada", "ada"),
            ("  ada lovelace \r\n", "ada lovelace"),
            ("<b>ada</b>", "ada"),
            ("<script>alert(1)</script>ada", "ada"),
            ("<img src=x onerror=alert(1)>", ""),
            ("a\rd\0a\u{7}", "ada"),
            ("ad\u{202e}a\u{2066}", "ada"),
            ("a\u{200b}d\u{feff}a\u{200d}", "ada"),
            ("\u{3164}\u{2800}", ""),
            ("Tom & Jerry", "Tom & Jerry"),
            ("&lt;script&gt;", "&lt;script&gt;"),
            ("a\u{a0}b", "a b"),
            ("I <3 you", "I 3 you"),
            ("日本語の名前", "日本語の名前"),
            ("🎉❤️", "🎉❤️"),
            ("", ""),
        ] {
            assert_eq!(clean(raw), name, "{raw:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_after_thirty_code_points() {
        assert_eq!(clean(&"é".repeat(31)), "é".repeat(30));
        assert_eq!(clean(&format!("{} tail", "a".repeat(29))), "a".repeat(29));
        assert_eq!(clean(&"<".repeat(100_000)), "");
    }

    #[test]
    fn a_name_is_forbidden_when_it_contains_a_blocked_word() {
        let blocked = ["Admin ", "", "  ", "system"].map(String::from);
        assert!(is_forbidden("admin", &blocked));
        assert!(is_forbidden("The ADMINistrator", &blocked));
        assert!(is_forbidden(" ecosystem", &blocked));
        assert!(is_forbidden("\u{ff21}d m\u{ff29}n", &blocked));
        assert!(!is_forbidden("adm", &blocked));
        assert!(!is_forbidden("ada", &["".to_owned()]));
        assert!(!is_forbidden("", &blocked));
    }

    #[test]
    fn a_name_is_the_servers_however_it_is_spelt() {
        for name in [
            "Brook & Bank",
            "brook&bank",
            "Br\u{43e}ok & Bank",
            "BROOK & BANK",
        ] {
            assert!(is_servers(name, "Brook & Bank"), "{name}");
        }
        assert!(!is_servers("Brook", "Brook & Bank"));
        assert!(!is_servers("Brook", ""));
        let long = "A server with a name as long as a river";
        assert!(is_servers(&clean(long), long), "as far as names go");
    }

    #[test]
    fn names_are_generated_from_our_words_or_enough_suggestions() {
        assert_eq!(generate(&mut |_| 0, &[]), "able-acorn");
        let nine: Vec<String> = (0..9).map(|n| format!("guest {n}")).collect();
        assert_eq!(generate(&mut |below| below - 1, &nine), "zesty-wren");
        let ten: Vec<String> = (0..10).map(|n| format!("guest {n}")).collect();
        assert_eq!(generate(&mut |_| 3, &ten), "guest 3");
        assert_eq!(generate(&mut |below| below, &ten), "guest 0");
        let empty = vec!["<b></b>".to_owned(); 10];
        assert_eq!(generate(&mut |_| 1, &empty), "agile-almond");
    }

    #[test]
    fn our_words_are_enough_short_and_survive_cleaning() {
        for list in [ADJECTIVES, NOUNS] {
            let words: Vec<&str> = list.lines().collect();
            let different: HashSet<&str> = words.iter().copied().collect();
            assert!(words.len() >= 100);
            assert_eq!(words.len(), different.len());
            for word in words {
                assert!(
                    word.len() <= 12 && word.chars().all(|c| c.is_ascii_lowercase()),
                    "{word}"
                );
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn a_clean_name_is_short_harmless_and_stays_as_it_is(raw in "\\PC{0,60}|[ -~\\x00-\\x1f<>&;]{0,60}") {
            let name = clean(&raw);
            proptest::prop_assert!(name.chars().count() <= MOST_CHARS);
            proptest::prop_assert!(!name.contains(['<', '>', '\r', '\n']));
            proptest::prop_assert_eq!(name.trim(), &name);
            proptest::prop_assert_eq!(clean(&name), name);
        }
    }
}
