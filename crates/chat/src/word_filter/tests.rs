use super::*;

fn own(words: &[&str]) -> WordFilter {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    WordFilter::new(&words)
}

#[test]
fn profanity_is_found_in_every_disguise() {
    let filter = WordFilter::with_profanity(&[]);
    for text in [
        "shit",
        "oh SHIT!",
        "what the fuck",
        "fucking hell",
        "sh1t",
        "$hit",
        "5h1t happens",
        "a$$hole",
        "a$$!",
        "@ss",
        "f u c k",
        "s h i t",
        "i s h i t you not",
        "s.h.i.t",
        "s-h-i-t",
        "s_h_1_t",
        "f  u\tc k",
        "sh-it",
        "shiiiiit",
        "shiit",
        "fuuuuck",
        "asss",
        "shït",
        "ѕhit",
        "ｓｈｉｔ",
        "sh\u{200b}it",
        "s\u{301}hit",
        "(shit)",
        "**shit**",
        "bu11shit",
        "a55ho1e",
        "{\"type\":\"CHAT\",\"body\":\"shit\"}",
        "go kill  yourself",
        "MOTHERFUCKERS",
    ] {
        assert!(filter.matches(text), "{text}");
    }
}

#[test]
fn ordinary_words_pass() {
    let filter = WordFilter::with_profanity(&["rapist".to_owned(), "god".to_owned()]);
    for text in [
        "bass",
        "assumptions",
        "Scunthorpe",
        "classic",
        "therapist",
        "The bass player makes assumptions about Scunthorpe's classic therapist",
        "as",
        "class assess assist pass grass",
        "455",
        "call 455 455",
        "5 5 5 4 5 5",
        "1 2 3 4 5 6",
        "who're you",
        "shiitake mushrooms",
        "Niger and Nigeria",
        "niggle",
        "fire retardant",
        "good",
        "push it to the limit",
        "this hit hard",
        "is it a hit?",
        "cocktail",
        "Dick Turpin",
        "I am U S A made",
        "https://example.com/a/s/s/umptions",
        "kill the lights yourself",
        "",
        "!!! ??? ...",
        "🎉 🎉 🎉",
    ] {
        assert!(!filter.matches(text), "{text}");
    }
}

#[test]
fn the_operators_words_match_as_they_are_written() {
    let filter = own(&[
        "Spoiler*",
        "*coin",
        "*casino*",
        "buy followers",
        " ",
        "*",
        "日本",
        "c++",
    ]);
    for text in [
        "spoilers ahead",
        "SPOILER",
        "get dogecoin now",
        "coin",
        "mycasinos.example",
        "please buy, followers",
        "BUY   FOLLOWERS",
        "buy f0llowers",
        "東日本大",
        "s p o i l e r",
        "spoooooiler",
    ] {
        assert!(filter.matches(text), "{text}");
    }
    for text in [
        "despoiler",
        "coins",
        "buy more followers",
        "followers buy",
        "buyfollowers",
        "a b or c",
        "shit",
        "日曜日",
    ] {
        assert!(!filter.matches(text), "{text}");
    }
}

#[test]
fn the_word_that_was_found_is_named_as_it_is_in_the_list() {
    let filter = own(&["Turnip", "cab*", "*berry*", "old boots"]);
    for (text, word) in [
        ("a TURNIP!", Some("Turnip")),
        ("T u r n i p", Some("Turnip")),
        ("tur-nip", Some("Turnip")),
        ("cabbages", Some("cab")),
        ("strawberries and a blueberry", Some("berry")),
        ("in old   boots", Some("old boots")),
        ("a fine day", None),
    ] {
        assert_eq!(filter.find(text), word, "{text}");
    }
}

#[test]
fn a_filter_without_words_lets_everything_pass() {
    assert!(!WordFilter::default().matches("shit"));
    assert!(!own(&["", "**", "..."]).matches("anything ..."));
}

proptest::proptest! {
    #[test]
    fn an_operators_word_is_found_wherever_it_stands(
        before in "[a-z]{2,8}( [a-z]{2,8}){0,3}",
        word in "[a-z]{2,12}",
        after in "[a-z]{2,8}",
    ) {
        let filter = own(&[&word]);
        let text = format!("{before}, {word}! {after}");
        let shouted = text.to_uppercase();
        let unseen = text.replace('e', "e\u{200b}");
        for text in [text, shouted, unseen] {
            proptest::prop_assert!(filter.matches(&text));
        }
    }

    #[test]
    fn any_text_is_judged(text in "\\PC{0,80}|[abAB .*]{0,20}") {
        let filter = WordFilter::with_profanity(&["*ab*".to_owned(), "b c*".to_owned()]);
        let is_plain_hit = text.to_ascii_lowercase().contains("ab");
        proptest::prop_assert!(filter.matches(&text) || !is_plain_hit);
    }
}
