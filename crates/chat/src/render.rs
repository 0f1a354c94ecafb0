//! What people write becomes HTML that is safe to show.
//!
//! A line goes through Markdown (raw HTML included), links and emoji, and then through an allow-list. The last word is
//! always the allow-list's: nothing before it has to be trusted. What comes out is a fixed point of the allow-list, so a
//! browser that parses it sees exactly what was judged here.
//!
//! Mentions are not markup: `@ada` stays text, and the pages decide how it looks.

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

/// One emoji: where its picture is and what it is called.
#[derive(Debug, Clone, Copy)]
pub struct EmojiRef<'a> {
    /// Below `/img/emoji/`, such as `pack/party.png`.
    pub path: &'a str,
    /// Without colons, such as `party`.
    pub name: &'a str,
}

impl EmojiRef<'_> {
    /// The picture as it appears in a line.
    pub fn html(&self) -> String {
        let path = escaped(self.path).replace('"', "&quot;");
        let name = escaped(self.name).replace('"', "&quot;");
        format!(r#"<img src="/img/emoji/{path}" class="emoji" alt=":{name}:" title=":{name}:">"#)
    }
}

/// The emoji there are.
pub trait EmojiNames {
    /// The URL path of the emoji with that name, in whatever case it was typed: `/img/emoji/pack/party.png`, or only
    /// what follows `/img/emoji/`.
    fn find(&self, name: &str) -> Option<String>;
}

/// A line of chat as HTML, or nothing when neither text nor a picture is left of it.
pub fn line(text: &str, emoji: &dyn EmojiNames) -> Option<String> {
    let text = readable(text.trim());
    let most_bytes = MOST_GROWTH * text.len() + GROWTH_ALLOWANCE;
    let html = markdown::to_html(&text, Options::empty(), Some(emoji), MOST_TAGS_IN_LINE)
        .filter(|html| html.len() <= most_bytes)
        .and_then(|html| settled(&LINE, &html))
        .filter(|html| html.len() <= most_bytes)
        .unwrap_or_else(|| plain(&text));
    // What was written as entities is there only now. All of it is text, so taking some of it away makes no markup.
    let html = calm(html.chars());
    shows_something(&html).then_some(html)
}

/// A line of plain text as HTML, or nothing when neither text nor a picture is left of it: no sign of it means anything
/// but itself, except for addresses and emoji codes.
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

/// Markdown of the operator or an integration as HTML. Raw HTML inside it is either kept untouched, which lets its author
/// run scripts on every page, or held to an allow-list that is wider than that of a line.
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

/// The beginning of a rendered line as plain text on one line, emoji by their `:name:`.
pub fn excerpt(html: &str) -> String {
    // Whatever HTML it is: the walk below understands only what the allow-list writes.
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

/// The text of HTML that an allow-list without any tags wrote.
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

/// Without what no reader sees and parsers disagree about: control characters and byte order marks. Line breaks of every
/// kind become `\n`.
pub(crate) fn readable(text: &str) -> String {
    let is_kept = |c: &char| matches!(c, '\n' | '\t') || !(c.is_control() || *c == '\u{feff}');
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    calm(lines.chars().filter(is_kept))
}

/// Without what turns the direction of all that follows, and without towers of marks on one character, which would cover
/// the lines above.
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

/// Overrides, embeddings and isolates. The short marks (U+200E, U+200F, U+061C) change no letter but themselves, and
/// Arabic and Hebrew need them.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Marks above and below the character before: those that stack. Vowel signs of Indic and Thai stand beside it or are few.
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

/// Spaces, and characters that are drawn as nothing: a line of them alone would be an empty line.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}
