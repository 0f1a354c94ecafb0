//! Sanitises untrusted text before it is stored.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use super::iri::web_iri;

/// Characters of a name, a handle or a title; the rest is cut off.
pub const MAX_NAME_CHARS: usize = 200;
/// Characters of an address that is shown or linked; a longer one is left out.
pub const MAX_URL_CHARS: usize = 2048;
/// Bytes of HTML that are looked at; the rest is cut off.
pub const MAX_HTML_BYTES: usize = 64 * 1024;
/// Elements in a text that is looked at as HTML. Above that it is kept as plain text: thousands of nested elements are
/// written to keep a parser busy, not to be read.
const MAX_ELEMENTS: usize = 2000;

/// Looks at what the allow-list left; HTML that is another one after so many is kept as plain text.
const MAX_ROUNDS: usize = 3;

/// Elements whose content goes with them: it is code, or a browser reads it by other rules than ours.
const DROPPED_WHOLE: [&str; 20] = [
    "applet",
    "audio",
    "canvas",
    "embed",
    "frame",
    "frameset",
    "iframe",
    "math",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "plaintext",
    "script",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "xmp",
];

static POST: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut list = Builder::empty();
    let classes = HashSet::from(["mention", "hashtag", "ellipsis", "invisible"]);
    list.tags(HashSet::from([
        "p",
        "br",
        "span",
        "a",
        "del",
        "s",
        "pre",
        "code",
        "em",
        "strong",
        "b",
        "i",
        "u",
        "ul",
        "ol",
        "li",
        "blockquote",
    ]))
    .clean_content_tags(HashSet::from(DROPPED_WHOLE))
    .tag_attributes(HashMap::from([("a", HashSet::from(["href"]))]))
    .allowed_classes(HashMap::from([("a", classes.clone()), ("span", classes)]))
    .url_schemes(HashSet::from(["http", "https"]))
    .url_relative(UrlRelative::Deny)
    .set_tag_attribute_value("a", "target", "_blank")
    .link_rel(Some("nofollow noopener noreferrer ugc"));
    list
});

/// One line of plain text: no control characters, none that change the text direction, single spaces, at most
/// `max_chars` characters.
pub fn plain(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    let mut is_gap = false;
    let mut left = max_chars;
    for sign in text.chars() {
        if sign.is_whitespace() {
            is_gap = !line.is_empty();
            continue;
        }
        if sign.is_control() || turns_direction(sign) {
            continue;
        }
        let needed = 1 + usize::from(is_gap);
        if needed > left {
            break;
        }
        if is_gap {
            line.push(' ');
            is_gap = false;
        }
        line.push(sign);
        left -= needed;
    }
    line
}

/// Marks, embeddings, overrides and isolates of the bidirectional algorithm, and invisible characters.
fn turns_direction(sign: char) -> bool {
    matches!(
        sign,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// An address that may be linked or shown.
pub fn web_url(text: &str) -> Option<String> {
    let is_short = text.chars().count() <= MAX_URL_CHARS;
    let url = is_short.then(|| web_iri(text)).flatten()?;
    Some(String::from(url)).filter(|url| url.len() <= MAX_URL_CHARS)
}

/// HTML with a short list of elements, web links, and nothing executable. A browser that parses it sees what was
/// checked here: the allow-list would not change it again.
pub fn html(text: &str) -> String {
    let start = floor(text, MAX_HTML_BYTES);
    if start.bytes().filter(|byte| *byte == b'<').count() > MAX_ELEMENTS {
        return bare_html(start);
    }
    let mut clean = POST.clean(start).to_string();
    for _ in 0..MAX_ROUNDS {
        let again = POST.clean(&clean).to_string();
        if again == clean {
            return clean;
        }
        clean = again;
    }
    bare_html(&clean)
}

/// The text only, as HTML.
fn bare_html(text: &str) -> String {
    let bare = without_tags(text).replace(['<', '>'], " ");
    POST.clean(&bare).to_string()
}

/// The readable text of sanitised HTML, without markup; paragraphs and breaks become lines.
pub fn plain_text(sanitised: &str) -> String {
    let broken = sanitised.replace("<br>", "\n").replace("</p>", "\n");
    let bare = without_tags(&broken);
    let text = bare
        .replace("&nbsp;", " ")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        // Last, or an escaped escape would be decoded twice.
        .replace("&amp;", "&");
    let lines = text.lines().map(|line| plain(line, MAX_HTML_BYTES));
    let lines: Vec<String> = lines.collect();
    lines.join("\n").trim().to_owned()
}

/// Removes everything between angle brackets.
fn without_tags(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        bare.push_str(&rest[..start]);
        let Some(length) = rest[start..].find('>') else {
            return bare;
        };
        rest = &rest[start + length + 1..];
    }
    bare.push_str(rest);
    bare
}

/// The start of a text, at most `max_bytes` of it.
fn floor(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_that_reads_from_where_it_stands() {
        assert_eq!(
            plain("  Ali\u{202e}ce \n\t B\u{0}ob\u{7f} ", 200),
            "Alice Bob"
        );
        assert_eq!(plain("ééé", 2), "éé");
        assert_eq!(plain("a b", 2), "a");
        assert_eq!(plain("\u{202e}\u{200b}", 9), "");
    }

    // Case 47 of docs/federation-cases.md, as far as it is about what is in a post.
    #[test]
    fn nothing_that_runs_is_left_in_a_post() {
        let nasty = "<p onclick=\"x()\">hi<script>alert(1)</script><a href=\"javascript:alert(1)\">a</a>\
                     <img src=x onerror=alert(1)><svg><a href=\"https://x\">s</a></svg><a href=\"/rel\">r</a></p>";
        let clean = html(nasty);
        assert!(clean.starts_with("<p>hi<a target"), "{clean}");
        for word in [
            "script",
            "javascript",
            "onclick",
            "onerror",
            "img",
            "svg",
            "/rel",
            "alert",
        ] {
            assert!(!clean.contains(word), "{word} in {clean}");
        }
    }

    #[test]
    fn links_mentions_and_hashtags_stay() {
        let post = "<p><a href=\"https://a.example/@b\" class=\"u-url mention\">@<span class=\"invisible x\">b</span></a></p>";
        let clean = html(post);
        assert!(clean.contains("href=\"https://a.example/@b\""), "{clean}");
        assert!(clean.contains("class=\"mention\""), "{clean}");
        assert!(clean.contains("class=\"invisible\""), "{clean}");
        assert!(
            clean.contains("rel=\"nofollow noopener noreferrer ugc\""),
            "{clean}"
        );
        assert!(clean.contains("target=\"_blank\""), "{clean}");
    }

    #[test]
    fn the_plain_form_has_lines_and_no_marks() {
        let clean = html("<p>one &amp;lt; two<br>three</p><p>four &lt;b&gt;</p>");
        assert_eq!(plain_text(&clean), "one &lt; two\nthree\nfour <b>");
    }

    #[test]
    fn a_wall_of_elements_becomes_text() {
        let wall = "<b>".repeat(MAX_ELEMENTS + 1) + "end";
        assert_eq!(html(&wall), "end");
        assert!(html(&"x".repeat(2 * MAX_HTML_BYTES)).len() <= MAX_HTML_BYTES);
    }

    #[test]
    fn only_addresses_on_the_web_are_linked() {
        assert!(web_url("https://a.example/x.png").is_some());
        assert!(web_url("http://a.example/x.png").is_some());
        for text in [
            "ftp://a.example/x",
            "javascript:alert(1)",
            "data:text/html,x",
            "//a.example",
            "",
        ] {
            assert_eq!(web_url(text), None, "{text}");
        }
        assert_eq!(
            web_url(&format!("https://a.example/{}", "x".repeat(MAX_URL_CHARS))),
            None
        );
    }

    proptest::proptest! {
        #[test]
        fn a_plain_line_is_short_and_single(text in "\\PC{0,300}", max in 0usize..50) {
            let line = plain(&text, max);
            proptest::prop_assert!(line.chars().count() <= max);
            proptest::prop_assert!(!line.chars().any(|sign| sign.is_control() || turns_direction(sign)));
            proptest::prop_assert_eq!(plain(&line, max), line);
        }

        #[test]
        fn sanitised_html_has_nothing_left_to_take_away(text in "(<[a-z/]{0,8}[ a-z=\"':/.]{0,20}>?|[a-z&;\" ]{0,6}){0,20}") {
            let once = html(&text);
            proptest::prop_assert_eq!(html(&once), once);
        }
    }
}
