//! Hostile text and meaningless text.

use super::*;
use crate::fuzzing::{fuzz_render, judge_line, judge_trusted};

#[test]
fn a_line_that_would_grow_without_measure_is_shown_as_text() {
    let tags = "<em>".repeat(200);
    assert_eq!(
        rendered(&tags),
        format!("<p>{}</p>", "&lt;em&gt;".repeat(200))
    );
    let emoji = rendered(&":party:".repeat(290));
    assert!(emoji.starts_with(&format!("<p>{PARTY}")) && emoji.ends_with(":party:</p>"));
    let many = "&".repeat(64 * 1024);
    assert_eq!(
        rendered(&many),
        format!("<p>{}</p>", "&amp;".repeat(64 * 1024))
    );
    let definition = format!("[a]: http://{}\n\n{}", "b".repeat(900), "[a]".repeat(300));
    assert!(rendered(&definition).len() <= 8 * definition.len() + GROWTH_ALLOWANCE);
    assert!(trusted(&definition, false).starts_with("<p>[a]: "));
}

#[test]
fn deep_and_long_lines_keep_every_promise() {
    for unit in [
        ">",
        "> ",
        "*",
        "**a",
        "*a_",
        "[",
        "![",
        "[a](",
        "<",
        "<p>",
        "<em a>",
        "<table>",
        "- ",
        "1. ",
        "`",
        "``` ",
        "~",
        "#",
        "&",
        "&#",
        "\\",
        ":",
        ":a",
        "http://",
        "http://a ",
        "h",
        "(",
        "<!--",
        "<![CDATA[",
        "<?",
        "|a",
        "[a]:b\n",
        "a\n\n",
        "\t",
        "</p>",
        "<a href=x>",
        "<svg>",
        "<pre>\n",
        "é",
        "\u{feff}",
        "&#xfeff;",
        "[](a)",
        "<em a=1 b=2 c=3><p>",
        "<select>",
        "_a*",
        "*<p>",
    ] {
        fuzz_render(unit.repeat(2048 / unit.len()).as_bytes());
        fuzz_render(format!("{}x", unit.repeat(300)).as_bytes());
    }
    let attributes: String = (0..450).map(|n| format!("a{n} ")).collect();
    fuzz_render(format!("<p {attributes}>x").as_bytes());
    let different: String = (0..120).map(|n| format!("<em a{n}><p>")).collect();
    fuzz_render(different.as_bytes());
}

/// The corpus: `\n` is a line break, `{U+202E}` that code point.
fn payloads() -> Vec<String> {
    let corpus = include_str!("../../../tests/xss.txt");
    corpus.lines().map(decoded).collect()
}

fn decoded(line: &str) -> String {
    let mut parts = line.split("{U+");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('}').unwrap();
        text.push(char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap());
        text.push_str(rest);
    }
    text.replace("\\n", "\n")
}

#[test]
fn no_payload_yields_a_script_a_handler_or_a_foreign_source() {
    let payloads = payloads();
    assert!(payloads.len() >= 300);
    for payload in &payloads {
        let around = format!("*a* {payload} `b`");
        for text in [payload, &around] {
            judge_line(&rendered(text));
            judge_trusted(&trusted(text, false));
            fuzz_render(text.as_bytes());
        }
    }
}

#[test]
fn two_payloads_are_no_worse_than_one() {
    let payloads = payloads();
    for (first, second) in payloads.iter().zip(payloads.iter().skip(7)) {
        fuzz_render(format!("{first}{second}").as_bytes());
        fuzz_render(format!("{second}\n\n{first}").as_bytes());
    }
}

fn markup() -> impl proptest::strategy::Strategy<Value = String> {
    let pieces = proptest::sample::select(vec![
        "<p>",
        "</p>",
        "<a href=\"",
        "<a href=x>",
        "</a>",
        "\">",
        "<em>",
        "</em>",
        "<b>",
        "<pre>\n",
        "</pre>",
        "<code>",
        "<img src=\"/img/emoji/a.png\" alt=\"",
        "<table>",
        "<td>",
        "<tr>",
        "<svg>",
        "<math>",
        "<style>",
        "</style>",
        "<script>",
        "<select>",
        "<button>",
        "<form>",
        "<template>",
        "<!--",
        "-->",
        "<br>",
        "<li>",
        "<h1>",
        "*",
        "**",
        "_",
        "`",
        "```\n",
        "[",
        "](",
        ")",
        "![",
        "> ",
        "- ",
        "\n",
        "\n\n",
        "    ",
        "http://a.b/",
        ":party:",
        ":_x_:",
        "javascript:",
        "&amp;",
        "&#13;",
        "&#xfeff;",
        "\u{a0}",
        "\u{feff}",
        "\0",
        "\"",
        "'",
        "=",
        " onclick=x ",
        "x",
        "é",
        "<a href=http://b>",
        "<dd>",
        "<noscript>",
        "<title>",
        "<textarea>",
        "<mtext>",
        "<foreignObject>",
        "\\",
        "&",
    ]);
    let pieces = proptest::collection::vec(pieces, 0..40);
    proptest::strategy::Strategy::prop_map(pieces, |pieces| pieces.concat())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(600))]

    #[test]
    fn any_markup_becomes_allowed_markup_that_stays_as_it_is(text in markup()) {
        fuzz_render(text.as_bytes());
    }

    #[test]
    fn any_text_becomes_allowed_markup_that_stays_as_it_is(text in "\\PC{0,120}") {
        fuzz_render(text.as_bytes());
    }

    #[test]
    fn ordinary_words_come_out_as_they_went_in(text in "[a-z]{1,9}( [a-z]{1,9}){0,9}") {
        proptest::prop_assert_eq!(rendered(&text), format!("<p>{text}</p>"));
        proptest::prop_assert_eq!(excerpt(&rendered(&text)), shortened(&text));
    }
}

#[test]
fn nothing_turns_the_direction_of_what_follows_or_covers_the_lines_above() {
    assert_eq!(
        rendered("pay \u{202e}me\u{202c} \u{2066}now\u{2069}"),
        "<p>pay me now</p>"
    );
    assert_eq!(rendered("pay &#x202e;me &#8294;now"), "<p>pay me now</p>");
    assert_eq!(rendered("**\u{202d}bold**"), "<p><strong>bold</strong></p>");
    let tower = format!("z{}algo", "\u{301}".repeat(100));
    assert_eq!(
        rendered(&tower),
        format!("<p>z{}algo</p>", "\u{301}".repeat(4))
    );
    let written = format!("z{}", "&#x301;".repeat(50));
    assert_eq!(
        rendered(&written),
        format!("<p>z{}</p>", "\u{301}".repeat(4))
    );
    assert_eq!(
        excerpt(&format!("<p>{tower}</p>")),
        format!("z{}algo", "\u{301}".repeat(4))
    );
}

#[test]
fn every_language_and_every_emoji_comes_out_as_it_was_written() {
    for text in [
        // Arabic with vowel signs and marks of direction, Hebrew with points.
        "\u{645}\u{64f}\u{62d}\u{64e}\u{645}\u{651}\u{64e}\u{62f}\u{64c} \u{200f}\u{61c}",
        "\u{5e9}\u{5c1}\u{5b8}\u{5dc}\u{5d5}\u{5b9}\u{5dd}",
        // Thai, Devanagari with joiners, Tibetan, Vietnamese in pieces.
        "\u{e01}\u{e39}\u{e49}\u{e40}\u{e1b}\u{e47}\u{e19}\u{e17}\u{e35}\u{e48}",
        "\u{915}\u{94d}\u{200d}\u{937} \u{930}\u{94d}\u{200c}\u{92f}",
        "\u{f66}\u{f92}\u{fb2}\u{f74}\u{f56}",
        "Vie\u{323}\u{302}t",
        // Families, flags, skin tones, a heart with a variation selector.
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466} \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "\u{1f44d}\u{1f3fd} \u{2764}\u{fe0f}\u{200d}\u{1f525} 1\u{fe0f}\u{20e3}",
    ] {
        assert_eq!(rendered(text), format!("<p>{text}</p>"));
    }
}
