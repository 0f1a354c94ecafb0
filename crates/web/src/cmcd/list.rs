//! The list notation: `bs,ec=("404" "x"),mtp=(4200;v 128;a),sid="a\"b",v=2`, a small part of RFC 8941.

use super::{CmcdValue, MAX_ENTRIES, MAX_KEYS};

/// Keys with their values. Unreadable entries are skipped; an unterminated string swallows the rest.
pub(super) fn pairs(text: &str) -> Vec<(String, CmcdValue)> {
    let mut cursor = Cursor(text);
    let mut pairs = Vec::new();
    while !cursor.0.is_empty() && pairs.len() < MAX_KEYS {
        cursor.skip(|c| c == ',' || c.is_whitespace());
        let key = cursor.take(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '*'));
        let value = match cursor.0.strip_prefix('=') {
            Some(rest) => {
                cursor.0 = rest;
                cursor.value()
            }
            None => Some(CmcdValue::Flag(true)),
        };
        // Parameters of the value, or garbage after it.
        cursor.skip_to(",");
        if let (false, Some(value)) = (key.is_empty(), value) {
            pairs.push((key.to_owned(), value));
        }
    }
    pairs
}

/// The remaining text.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c| !wanted(c)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(end);
        self.0 = rest;
        taken
    }

    fn skip(&mut self, unwanted: impl Fn(char) -> bool) {
        self.take(unwanted);
    }

    /// Skips to the first of these characters outside quotes.
    fn skip_to(&mut self, ends: &str) {
        loop {
            self.skip(|c| c != '"' && !ends.contains(c));
            if !self.0.starts_with('"') {
                return;
            }
            self.quoted();
        }
    }

    fn value(&mut self) -> Option<CmcdValue> {
        match self.0.strip_prefix('(') {
            Some(rest) => {
                self.0 = rest;
                Some(self.list())
            }
            None => self.item(),
        }
    }

    fn list(&mut self) -> CmcdValue {
        let mut entries = Vec::new();
        loop {
            self.skip(char::is_whitespace);
            if self.0.is_empty() || self.0.starts_with([')', ',']) {
                return CmcdValue::List(entries);
            }
            let item = self.item();
            // Parameters such as `;v`, which say what the entry refers to.
            self.skip_to(" ),");
            if entries.len() < MAX_ENTRIES {
                entries.extend(item);
            }
        }
    }

    fn item(&mut self) -> Option<CmcdValue> {
        if self.0.starts_with('"') {
            return self.quoted().map(CmcdValue::Text);
        }
        let bare = self.take(|c| !matches!(c, ',' | ';' | ')' | '(' | '"') && !c.is_whitespace());
        match bare {
            "" => None,
            "?1" => Some(CmcdValue::Flag(true)),
            "?0" => Some(CmcdValue::Flag(false)),
            bare => Some(match bare.parse::<f64>() {
                Ok(number) => CmcdValue::Number(number),
                Err(_) => CmcdValue::Text(bare.to_owned()),
            }),
        }
    }

    /// A quoted string starting here. If it is unterminated, nothing is left to read.
    fn quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut letters = self.0.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.0 = &self.0[at + 1..];
                    return Some(text);
                }
                '\\' => text.extend(letters.next().map(|(_, escaped)| escaped)),
                other => text.push(other),
            }
        }
        self.0 = "";
        None
    }
}
