//! The bodies of the fuzz targets, shared with the replay tests on stable, and an HTML checker that is independent of
//! the allow-lists it checks.

use std::sync::LazyLock;

use crate::names;
use crate::render::{
    self, EXCERPT_CHARS, EmojiNames, GROWTH_ALLOWANCE, LINE, MOST_GROWTH, TRUSTED, settled,
};
use crate::word_filter::WordFilter;

static FILTER: LazyLock<WordFilter> =
    LazyLock::new(|| WordFilter::with_profanity(&["*spoil*".to_owned()]));

/// Three emoji; the path of the last one is not allowed in a line.
#[derive(Debug)]
pub struct FewEmoji;

impl EmojiNames for FewEmoji {
    fn find(&self, name: &str) -> Option<String> {
        match name.to_ascii_lowercase().as_str() {
            "party" => Some("/img/emoji/pack/party.png".to_owned()),
            "_x_" => Some("_x_.gif".to_owned()),
            "evil" => Some("/img/emoji/../\"><script>alert(1)</script>".to_owned()),
            _ => None,
        }
    }
}

/// Rendering: only allowed markup comes out, the allow-list does not change it again, and it is not much longer than
/// the input. Names and excerpts are plain text, and every word filter terminates.
///
/// # Panics
/// If one of these does not hold.
pub fn fuzz_render(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Some(html) = render::line(&text, &FewEmoji) {
        judge_line(&html);
        assert!(html.len() <= MOST_GROWTH * text.len() + GROWTH_ALLOWANCE);
        assert_eq!(settled(&LINE, &html).as_ref(), Some(&html), "not settled");
        judge_excerpt(&render::excerpt(&html));
    }
    let html = render::trusted(&text, false);
    judge_trusted(&html);
    assert_eq!(
        settled(&TRUSTED, &html).as_ref(),
        Some(&html),
        "not settled"
    );
    // The allow-lists alone, for HTML that did not come from Markdown.
    if let Some(html) = settled(&LINE, &text) {
        judge_line(&html);
    }
    if let Some(html) = settled(&TRUSTED, &text) {
        judge_trusted(&html);
    }
    judge_excerpt(&render::excerpt(&text));
    let name = names::clean(&text);
    assert!(name.chars().count() <= 30 && !name.contains(['<', '>', '\r', '\n', '\u{202e}']));
    assert_eq!(names::clean(&name), name, "a name that changes");
    FILTER.matches(&text);
}

fn judge_excerpt(excerpt: &str) {
    assert!(excerpt.chars().count() <= EXCERPT_CHARS, "{excerpt}");
    assert!(!excerpt.contains(char::is_control), "{excerpt:?}");
}

/// Panics unless the HTML is allowed in a chat line.
///
/// # Panics
/// If it is not.
pub fn judge_line(html: &str) {
    judge(html, &|element, attribute| {
        matches!(
            (element, attribute),
            (
                "p" | "br" | "strong" | "em" | "code" | "pre" | "a" | "img",
                ""
            ) | ("a", "href" | "rel" | "target")
                | ("img", "src" | "class" | "alt" | "title")
        )
    });
    for part in html.split("<img ").skip(1) {
        let path = part
            .strip_prefix("src=\"/")
            .and_then(|rest| rest.split('"').next());
        let path = path.unwrap_or_else(|| panic!("a picture from elsewhere: {html}"));
        assert!(path.to_lowercase().starts_with("img/emoji/"), "{html}");
        assert!(
            !path.contains("..") && !path.contains(['%', '\\']),
            "{html}"
        );
    }
}

/// Panics unless the HTML is allowed in a text of the operator.
///
/// # Panics
/// If it is not.
pub fn judge_trusted(html: &str) {
    const ELEMENTS: &str = " a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 \
        h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th \
        thead tr u ul ";
    judge(html, &|element, attribute| match attribute {
        "" => ELEMENTS.contains(&format!(" {element} ")),
        "class" | "title" => true,
        "href" | "rel" | "target" => element == "a",
        "src" | "alt" | "width" | "height" => element == "img",
        "start" => element == "ol",
        "colspan" | "rowspan" => matches!(element, "td" | "th"),
        _ => false,
    });
}

/// Parses HTML as strictly as possible: balanced lower-case tags, quoted attributes, five entities. Calls
/// `is_allowed` for each element with an empty attribute, and for each of its attributes.
fn judge(html: &str, is_allowed: &dyn Fn(&str, &str) -> bool) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '>']) {
        judge_text(&rest[..at]);
        assert!(rest[at..].starts_with('<'), "a stray bracket: {html}");
        let end = rest[at..]
            .find('>')
            .unwrap_or_else(|| panic!("an open tag: {html}"));
        let tag = &rest[at + 1..at + end];
        rest = &rest[at + end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "unbalanced: {html}");
            continue;
        }
        let name = tag.split(' ').next().unwrap_or(tag);
        assert!(is_allowed(name, ""), "<{name}>: {html}");
        judge_attributes(name, &tag[name.len()..], is_allowed);
        if !matches!(name, "br" | "img" | "hr") {
            open.push(name);
        }
    }
    judge_text(rest);
    assert!(open.is_empty(), "unbalanced: {html}");
}

fn judge_attributes(element: &str, attributes: &str, is_allowed: &dyn Fn(&str, &str) -> bool) {
    let mut rest = attributes;
    let mut seen = Vec::new();
    let mut target = None;
    while !rest.is_empty() {
        let parts = rest
            .strip_prefix(' ')
            .and_then(|rest| rest.split_once("=\""));
        let (name, quoted) = parts.unwrap_or_else(|| panic!("<{element}{attributes}>"));
        let parts = quoted.split_once('"');
        let (value, following) = parts.unwrap_or_else(|| panic!("<{element}{attributes}>"));
        assert!(
            !name.is_empty() && is_allowed(element, name),
            "<{element}{attributes}>"
        );
        judge_text(value);
        if matches!(name, "href" | "src") {
            judge_url(value, name == "src");
        }
        if name == "target" {
            target = Some(value);
        }
        assert!(!seen.contains(&name), "twice: <{element}{attributes}>");
        seen.push(name);
        rest = following;
    }
    if element == "a" {
        assert!(
            seen.starts_with(&["href", "rel"]),
            "<{element}{attributes}>"
        );
        assert!(
            matches!(target, None | Some("_blank")),
            "<{element}{attributes}>"
        );
        let is_guarded =
            attributes.contains(r#" rel="nofollow noreferrer noopener" target="_blank""#);
        assert_eq!(target.is_some(), is_guarded, "<{element}{attributes}>");
    }
    assert!(
        element != "img" || seen.first() == Some(&"src"),
        "<{element}{attributes}>"
    );
}

/// Checks a URL as a browser may read it: ignores white space and control characters before and inside the scheme.
fn judge_url(escaped: &str, is_loaded: bool) {
    let url: String = escaped.replace("&amp;", "&");
    let url: String = url.chars().filter(|c| *c > ' ').collect();
    let url = url.to_lowercase().replace('\\', "/");
    let head = url.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = head.split_once(':').map(|(scheme, _)| scheme);
    let is_harmless = match scheme {
        None => !is_loaded || !url.starts_with("//"),
        Some("https") => true,
        Some("http" | "mailto") => !is_loaded,
        Some(_) => false,
    };
    assert!(is_harmless, "{escaped}");
}

fn judge_text(text: &str) {
    let is_readable = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
    assert!(text.chars().all(is_readable), "{text:?}");
    for after in text.split('&').skip(1) {
        let is_known = ["amp;", "lt;", "gt;", "quot;", "nbsp;"]
            .iter()
            .any(|entity| after.starts_with(entity));
        assert!(is_known, "a bare ampersand: {text}");
    }
}
