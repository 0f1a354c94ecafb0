//! Plain text to HTML: text stays as typed, but addresses become links and emoji codes become pictures. The output is
//! not safe yet.

use super::spans::{MOST_URL_BYTES, emoji_at, is_url_start, run_end, without_closing_marks};
use super::{EmojiNames, GROWTH_ALLOWANCE, escaped};

/// Plain text as one paragraph.
pub(super) fn to_html(source: &str, emoji: &dyn EmojiNames) -> String {
    let mut html = String::with_capacity(source.len() * 2);
    // Remaining bytes for pictures; at zero, codes stay text.
    let mut emoji_room = 4 * source.len() + GROWTH_ALLOWANCE / 2;
    let mut run = 0;
    let mut written = 0;
    let mut at = 0;
    html.push_str("<p>");
    while let Some(step) = source[at..].find([':', 'h', 'H']) {
        at += step;
        let found = match source[at..].starts_with(':') {
            true => emoji_at(source, at, emoji).filter(|(_, picture)| {
                let fits = picture.len() <= emoji_room;
                emoji_room -= if fits { picture.len() } else { 0 };
                fits
            }),
            false => link_at(source, at, &mut run),
        };
        let Some((end, span)) = found else {
            at += 1;
            continue;
        };
        html.push_str(&lines(&source[written..at]));
        html.push_str(&span);
        (written, at) = (end, end);
    }
    html.push_str(&lines(&source[written..]));
    html.push_str("</p>");
    html
}

/// The address that begins at `start`, as a link, and its end. `run` is the end of the characters that the
/// last address can have, so that they are counted once.
fn link_at(source: &str, start: usize, run: &mut usize) -> Option<(usize, String)> {
    if !is_url_start(source, start) {
        return None;
    }
    if start >= *run {
        *run = run_end(source, start);
    }
    // Scanning a long run from each of its positions would take too long.
    if *run - start > MOST_URL_BYTES {
        return None;
    }
    let url = without_closing_marks(&source[start..*run]);
    let is_address = is_url_start(&source[..start + url.len()], start);
    let text = escaped(url);
    let target = text.replace('"', "&quot;");
    is_address.then(|| {
        (
            start + url.len(),
            format!("<a href=\"{target}\">{text}</a>"),
        )
    })
}

fn lines(text: &str) -> String {
    escaped(text).replace('\n', "<br>")
}
