//! Renders what people write as safe HTML.
//!
//! A line goes through Markdown (raw HTML included), links and emoji, and then through an allow-list. The allow-list
//! always comes last, so nothing before it has to be trusted. The output is a fixed point of the allow-list, so a
//! browser that parses it sees exactly what was checked here.
//!
//! Mentions are not markup: `@ada` stays text, and the pages decide how to show it.

mod allow;
mod finish;
mod markdown;
mod plain_text;
mod spans;
#[cfg(test)]
mod tests;
mod tokens;

use pulldown_cmark::Options;
use unicode_normalization::char::is_combining_mark;

pub(crate) use allow::{LINE, TRUSTED};
pub(crate) use finish::settled;
pub(crate) use tokens::escaped;
use tokens::{Token, tokens, unescaped};

/// Bytes of HTML for each byte of a line; what would be longer is shown as plain text.
pub(crate) const MOST_GROWTH: usize = 8;
/// Bytes of HTML a line may have on top of that, so that a short line of emoji keeps its pictures.
pub(crate) const GROWTH_ALLOWANCE: usize = 4096;
/// The same for a text of the operator or an integration.
const TRUSTED_ALLOWANCE: usize = 16 * 1024;
/// Raw tags in a line; one with more is shown as plain text, since nested tags make an HTML parser slow.
const MOST_TAGS_IN_LINE: usize = 64;
/// Raw tags in a text of the operator or an integration; one with more is shown as plain text.
const MOST_TAGS_IN_TRUSTED: usize = 2_000;
/// Combining marks on one character; more are cut. No language needs as many.
const MOST_MARKS: usize = 4;
/// Characters of an excerpt, its ellipsis included; the rest is cut.
pub(crate) const EXCERPT_CHARS: usize = 100;

/// An emoji's picture and name.
#[derive(Debug, Clone, Copy)]
pub struct EmojiRef<'a> {
    /// Below `/img/emoji/`, such as `pack/party.png`.
    pub path: &'a str,
    /// Without colons, such as `party`.
    pub name: &'a str,
}

impl EmojiRef<'_> {
    /// The picture as HTML.
    pub fn html(&self) -> String {
        let path = escaped(self.path).replace('"', "&quot;");
        let name = escaped(self.name).replace('"', "&quot;");
        format!(r#"<img src="/img/emoji/{path}" class="emoji" alt=":{name}:" title=":{name}:">"#)
    }
}

/// Looks up emoji.
pub trait EmojiNames {
    /// The URL path of the emoji with that name, ignoring case: `/img/emoji/pack/party.png`, or only
    /// the part after `/img/emoji/`.
    fn find(&self, name: &str) -> Option<String>;
}

/// A chat line as HTML, or `None` if no text or picture is left of it.
pub fn line(text: &str, emoji: &dyn EmojiNames) -> Option<String> {
    let text = readable(text.trim());
    let most_bytes = MOST_GROWTH * text.len() + GROWTH_ALLOWANCE;
    let html = markdown::to_html(&text, Options::empty(), Some(emoji), MOST_TAGS_IN_LINE)
        .filter(|html| html.len() <= most_bytes)
        .and_then(|html| settled(&LINE, &html))
        .filter(|html| html.len() <= most_bytes)
        .unwrap_or_else(|| plain(&text));
    // Entities are decoded only now. All of it is text, so removing some of it creates no markup.
    let html = calm(html.chars());
    shows_something(&html).then_some(html)
}

/// A plain-text line as HTML, or `None` if no text or picture is left of it. Every character is literal,
/// except in addresses and emoji codes.
pub fn plain_line(text: &str, emoji: &dyn EmojiNames) -> Option<String> {
    let text = readable(text.trim());
    let most_bytes = MOST_GROWTH * text.len() + GROWTH_ALLOWANCE;
    let html = Some(plain_text::to_html(&text, emoji))
        .filter(|html| html.len() <= most_bytes)
        .and_then(|html| settled(&LINE, &html))
        .filter(|html| html.len() <= most_bytes)
        .unwrap_or_else(|| plain(&text));
    shows_something(&html).then_some(html)
}

/// Markdown of the operator or an integration as HTML. Raw HTML inside it is either kept untouched, which lets its
/// author run scripts on every page, or filtered by an allow-list that is wider than a line's.
pub fn trusted(text: &str, is_raw_html_kept: bool) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    if is_raw_html_kept {
        let html = markdown::to_html(text.trim(), options, None, usize::MAX);
        return html.unwrap_or_default().trim().to_owned();
    }
    let text = readable(text.trim());
    let most_bytes = MOST_GROWTH * text.len() + TRUSTED_ALLOWANCE;
    markdown::to_html(&text, options, None, MOST_TAGS_IN_TRUSTED)
        .filter(|html| html.len() <= most_bytes)
        .and_then(|html| settled(&TRUSTED, &html))
        .unwrap_or_else(|| plain(&text))
}

/// The beginning of a rendered line as plain text on one line, with emoji as `:name:`.
pub fn excerpt(html: &str) -> String {
    // The input may be any HTML: the loop below understands only the allow-list's output.
    let html = LINE.clean(html).to_string();
    let mut text = String::new();
    for token in tokens(&html) {
        match token {
            Token::Text(part) => text.push_str(&unescaped(part)),
            Token::Open { name: "img", .. } => {
                text.push_str(&unescaped(token.attribute("alt").unwrap_or_default()));
            }
            Token::Open { name, .. } | Token::Close(name) => {
                if matches!(name, "p" | "br" | "pre") {
                    text.push(' ');
                }
            }
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    shortened(&readable(&words.join(" ")))
}

/// The text of HTML that an allow-list without tags has produced.
pub(crate) fn plain_text(html: &str) -> String {
    unescaped(html)
}

fn shortened(text: &str) -> String {
    if text.chars().nth(EXCERPT_CHARS).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(EXCERPT_CHARS - 1).collect();
    format!("{}…", kept.trim_end())
}

/// Removes invisible characters that parsers disagree about: control characters and byte order marks. Line breaks
/// of every kind become `\n`.
pub(crate) fn readable(text: &str) -> String {
    let is_kept = |c: &char| matches!(c, '\n' | '\t') || !(c.is_control() || *c == '\u{feff}');
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    calm(lines.chars().filter(is_kept))
}

/// Removes characters that change the direction of all that follows, and excess combining marks on one character,
/// which would cover the lines above.
fn calm(text: impl Iterator<Item = char>) -> String {
    let mut kept = String::new();
    let mut marks = 0;
    for c in text.filter(|c| !turns_direction(*c)) {
        marks = if is_stacked(c) { marks + 1 } else { 0 };
        if marks <= MOST_MARKS {
            kept.push(c);
        }
    }
    kept
}

/// Overrides, embeddings and isolates. The short marks (U+200E, U+200F, U+061C) affect no other letter, and
/// Arabic and Hebrew need them.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Stacking marks above and below a character. Vowel signs of Indic and Thai are beside it or few.
fn is_stacked(c: char) -> bool {
    is_combining_mark(c) && !matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn plain(text: &str) -> String {
    format!("<p>{}</p>", escaped(text))
}

fn shows_something(html: &str) -> bool {
    tokens(html).any(|token| match token {
        Token::Text(text) => unescaped(text).chars().any(|c| !is_invisible(c)),
        Token::Open { name, .. } => name == "img",
        Token::Close(_) => false,
    })
}

/// Spaces and invisible characters: a line of nothing else would be empty.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}
