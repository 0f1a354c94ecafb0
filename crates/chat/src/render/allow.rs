//! The allow-lists: which elements, attributes and addresses may appear in the output.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, Url, UrlRelative};

use super::readable;

/// Elements whose content goes with them: it is code, or a browser reads it by other rules than ours.
const DROPPED_WHOLE: [&str; 22] = [
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
    "nostyle",
    "object",
    "plaintext",
    "script",
    "select",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "xmp",
];

/// What a chat line may contain.
pub(crate) static LINE: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut list = strict();
    list.tags(HashSet::from([
        "p", "br", "a", "strong", "em", "code", "pre", "img",
    ]))
    .tag_attributes(HashMap::from([
        ("a", HashSet::from(["href"])),
        ("img", HashSet::from(["src", "class", "alt", "title"])),
    ]))
    .attribute_filter(line_attribute);
    list
});

/// What a text of the operator or an integration may contain.
pub(crate) static TRUSTED: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut list = strict();
    list.tags(HashSet::from([
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "figcaption",
        "figure",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "ins",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
    ]))
    .generic_attributes(HashSet::from(["class", "title"]))
    .tag_attributes(HashMap::from([
        ("a", HashSet::from(["href"])),
        ("img", HashSet::from(["src", "alt", "width", "height"])),
        ("ol", HashSet::from(["start"])),
        ("td", HashSet::from(["colspan", "rowspan"])),
        ("th", HashSet::from(["colspan", "rowspan"])),
    ]))
    .attribute_filter(trusted_attribute);
    list
});

fn strict() -> Builder<'static> {
    let mut list = Builder::empty();
    // An empty list still has the attributes that every element may have.
    list.generic_attributes(HashSet::new())
        .clean_content_tags(HashSet::from(DROPPED_WHOLE))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        // `finish.rs` writes it, because it depends on where the link goes.
        .link_rel(None);
    list
}

fn line_attribute<'v>(element: &str, attribute: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let is_allowed = match (element, attribute) {
        ("a", "href") => is_link(value),
        ("img", "src") => is_emoji_path(value),
        ("img", "class") => is_emoji_class(value),
        _ => true,
    };
    is_allowed.then(|| tidy(value)).flatten()
}

fn trusted_attribute<'v>(element: &str, attribute: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let is_allowed = match (element, attribute) {
        ("a", "href") => is_link(value),
        ("img", "src") => is_picture(value),
        _ => true,
    };
    is_allowed.then(|| tidy(value)).flatten()
}

/// A value with white space trimmed, or `None` if it is empty.
fn tidy<'v>(value: &str) -> Option<Cow<'v, str>> {
    let value = readable(value).trim().to_owned();
    (!value.is_empty()).then_some(value.into())
}

/// Whether the value matches `^/img/emoji/[^.%]*.[A-Z]*$`, ignoring case: a name with one dot cannot leave the folder.
fn is_emoji_path(value: &str) -> bool {
    const FOLDER: &str = "/img/emoji/";
    let is_inside = value
        .get(..FOLDER.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(FOLDER));
    if !is_inside {
        return false;
    }
    let name = &value[FOLDER.len()..];
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let is_odd = |c: char| c.is_control() || matches!(c, '%' | '\\');
    !name.is_empty() && !stem.contains(is_odd) && extension.chars().all(|c| c.is_ascii_alphabetic())
}

/// Whether the value matches `^emoji[A-Z_]*$`, ignoring case.
fn is_emoji_class(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let rest = value.strip_prefix("emoji");
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphabetic() || c == '_'))
}

/// A URL resolved against one of our pages.
fn resolved(value: &str) -> Option<Url> {
    static HERE: LazyLock<Option<Url>> = LazyLock::new(|| Url::parse("https://here.invalid/").ok());
    HERE.as_ref()?.join(value).ok()
}

/// Whether a URL leads away from our pages.
pub(super) fn leads_away(value: &str) -> bool {
    resolved(value).is_some_and(|url| is_on_another_host(&url))
}

fn is_on_another_host(url: &Url) -> bool {
    url.host_str().is_some_and(|host| host != "here.invalid")
}

/// The scheme, if any, has been checked. Near-schemes and control characters inside mean different things to different
/// readers.
fn is_link(value: &str) -> bool {
    let value = value.trim();
    let head = value.split(['/', '?', '#']).next().unwrap_or(value);
    let is_odd =
        value.contains(char::is_control) || Url::parse(value).is_err() && head.contains(':');
    !value.is_empty() && !is_odd && resolved(value).is_some()
}

/// Pictures come over TLS or from this server; `//host` would use the page's scheme.
fn is_picture(value: &str) -> bool {
    let is_secure = Url::parse(value).is_ok_and(|url| url.scheme() == "https");
    let is_ours = resolved(value).is_some_and(|url| !is_on_another_host(&url));
    is_link(value) && (is_secure || is_ours)
}
