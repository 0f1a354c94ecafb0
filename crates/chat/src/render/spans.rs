//! Links and emoji codes in running text.

use super::{EmojiNames, EmojiRef};

/// Bytes of an address that becomes a link; a longer one stays text.
pub(super) const MOST_URL_BYTES: usize = 2_048;
/// Bytes of an emoji's name; a longer code stays text.
const MOST_NAME_BYTES: usize = 64;

/// The kind of a piece of text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// An address, as it was typed.
    Link,
    /// A picture, as HTML.
    Emoji(String),
}

/// Whether a web address begins at `start`.
pub(super) fn is_url_start(source: &str, start: usize) -> bool {
    let before = source[..start].chars().next_back();
    has_host(&source[start..]) && !before.is_some_and(char::is_alphanumeric)
}

/// The end of the characters that an address can have.
pub(super) fn run_end(source: &str, start: usize) -> usize {
    let is_outside = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '<' | '>' | '"' | '`' | '\\' | '{' | '}' | '|' | '^')
    };
    let text = &source[start..];
    start + text.find(is_outside).unwrap_or(text.len())
}

fn after_scheme(text: &str) -> Option<&str> {
    ["http://", "https://"].into_iter().find_map(|scheme| {
        let (typed, rest) = text.split_at_checked(scheme.len())?;
        typed.eq_ignore_ascii_case(scheme).then_some(rest)
    })
}

/// Whether an address names a host after its scheme.
fn has_host(url: &str) -> bool {
    let first = after_scheme(url).and_then(|rest| rest.chars().next());
    first.is_some_and(|c| c.is_alphanumeric() || c == '[')
}

/// Removes trailing punctuation that ends the sentence, not the address; a closing bracket stays if it is matched.
pub(super) fn without_closing_marks(url: &str) -> &str {
    let count = |wanted: char| url.chars().filter(|c| *c == wanted).count();
    let mut surplus_round = count(')').saturating_sub(count('('));
    let mut surplus_square = count(']').saturating_sub(count('['));
    // Paired marks belong to the address, as in `?v=_abc_`.
    let odd_marks = ['*', '_', '~'].map(|mark| count(mark) % 2 == 1);
    let is_odd = |mark: char| match mark {
        '*' => odd_marks[0],
        '_' => odd_marks[1],
        _ => odd_marks[2],
    };
    let mut url = url;
    while let Some(last) = url.chars().next_back() {
        match last {
            '?' | '!' | '.' | ',' | ':' | ';' | '\'' | '’' | '”' | '…' => {}
            '*' | '_' | '~' if is_odd(last) => {}
            ')' if surplus_round > 0 => surplus_round -= 1,
            ']' if surplus_square > 0 => surplus_square -= 1,
            _ => break,
        }
        url = &url[..url.len() - last.len_utf8()];
    }
    url
}

/// The emoji whose code begins at `start`, and where the code ends.
pub(super) fn emoji_at(
    source: &str,
    start: usize,
    emoji: &dyn EmojiNames,
) -> Option<(usize, String)> {
    let text = source[start..].strip_prefix(':')?;
    let is_no_name = |c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, ':' | '<' | '>' | '"' | '&' | '\\' | '/')
    };
    let name = &text[..text.find(is_no_name)?];
    let is_closed = text[name.len()..].starts_with(':');
    if name.is_empty() || name.len() > MOST_NAME_BYTES || !is_closed {
        return None;
    }
    let end = start + name.len() + "::".len();
    let url = emoji.find(name)?;
    let path = url.strip_prefix("/img/emoji/").unwrap_or(&url);
    // The name as its file spells it, whatever case was typed.
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    let name = if stem.eq_ignore_ascii_case(name) {
        stem
    } else {
        name
    };
    let html = EmojiRef { path, name }.html();
    Some((end, html))
}
