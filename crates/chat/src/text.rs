//! Plain text inside HTML.

use crate::emoji::EmojiShelf;
use crate::render::EmojiNames;

/// Text as HTML that shows exactly that text.
pub(crate) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            other => html.push(other),
        }
    }
    html
}

impl EmojiNames for EmojiShelf {
    fn find(&self, name: &str) -> Option<String> {
        EmojiShelf::find(self, name)
    }
}
