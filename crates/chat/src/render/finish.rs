//! Brings HTML into its final form, and makes sure that it stays in that form.

use ammonia::Builder;

use super::allow::leads_away;
use super::readable;
use super::tokens::{Token, tokens, unescaped};

/// Rounds until nothing changes any more; HTML that needs more is given up.
const MOST_ROUNDS: usize = 5;

/// Bytes the serialiser may look at, since it reads on to the next tag at every entity; HTML that needs more is given up.
const MOST_LOOKS: usize = 64 * 1024 * 1024;

/// Applies an allow-list until nothing changes: dropping an element can leave its children where a parser would move
/// them, so one round does not always produce what a browser sees. `None` if it takes too long.
pub(crate) fn settled(list: &Builder<'static>, html: &str) -> Option<String> {
    if html.len().saturating_mul(html.matches('&').count()) > MOST_LOOKS {
        return None;
    }
    let mut current = round(list, html);
    for _ in 0..MOST_ROUNDS {
        let next = round(list, &current);
        if next == current {
            return Some(current);
        }
        current = next;
    }
    None
}

fn round(list: &Builder<'static>, html: &str) -> String {
    finished(&list.clean(html).to_string()).trim().to_owned()
}

/// Sets `rel` on links, and drops pictures without a source, links without a target, and newlines that
/// a parser would swallow.
fn finished(html: &str) -> String {
    let mut out = String::with_capacity(html.len() * 2);
    let mut is_after_pre = false;
    let mut links_kept = Vec::new();
    for token in tokens(html) {
        let is_first_in_pre = std::mem::take(&mut is_after_pre);
        match &token {
            Token::Text(text) => {
                let text = readable(text);
                out.push_str(if is_first_in_pre {
                    text.trim_start_matches('\n')
                } else {
                    &text
                });
                is_after_pre = is_first_in_pre && text.trim_start_matches('\n').is_empty();
            }
            Token::Open { name: "a", .. } => {
                let href = token.attribute("href");
                links_kept.push(href.is_some());
                if let Some(href) = href {
                    out.push_str(&link(
                        href,
                        token.attribute("class"),
                        token.attribute("title"),
                    ));
                }
            }
            Token::Close("a") => {
                if links_kept.pop() == Some(true) {
                    out.push_str("</a>");
                }
            }
            Token::Open { name: "img", .. } => {
                if token.attribute("src").is_some() {
                    write_open(&mut out, &token, &IMAGE_ORDER);
                }
            }
            Token::Open { name, .. } => {
                is_after_pre = *name == "pre";
                write_open(&mut out, &token, &[]);
            }
            Token::Close(name) => {
                out.push_str("</");
                out.push_str(name);
                out.push('>');
            }
        }
    }
    out
}

/// The order in which a picture's attributes are written; dropping one must not move the others.
const IMAGE_ORDER: [&str; 6] = ["src", "class", "alt", "title", "width", "height"];

fn write_open(out: &mut String, token: &Token<'_>, order: &[&str]) {
    let Token::Open { name, attributes } = token else {
        return;
    };
    let place = |attribute: &str| order.iter().position(|name| *name == attribute);
    let mut attributes = attributes.clone();
    attributes.sort_by_key(|(attribute, _)| (place(attribute), *attribute));
    out.push('<');
    out.push_str(name);
    for (attribute, value) in attributes {
        write_attribute(out, attribute, value);
    }
    out.push('>');
}

fn write_attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    out.push_str(value);
    out.push('"');
}

fn link(href: &str, class: Option<&str>, title: Option<&str>) -> String {
    let is_away = leads_away(&unescaped(href));
    let mut out = String::from("<a");
    write_attribute(&mut out, "href", href);
    if is_away {
        write_attribute(&mut out, "rel", "nofollow noreferrer noopener");
        write_attribute(&mut out, "target", "_blank");
    } else {
        write_attribute(&mut out, "rel", "nofollow noreferrer");
    }
    for (name, value) in [("class", class), ("title", title)] {
        if let Some(value) = value {
            write_attribute(&mut out, name, value);
        }
    }
    out.push('>');
    out
}
