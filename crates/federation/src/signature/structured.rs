//! The part of Structured Field Values (RFC 9651) that signatures need: dictionaries of items and inner lists.
//!
//! Unlike in the RFC, a duplicate name makes the whole header unreadable: two readers could disagree about it. Libraries
//! keep the last of them and say nothing, and none returns the exact text of a member, which is part of what is signed.

use base64::Engine as _;

use super::multikey::LENIENT_BASE64;

/// Longest header that is looked at; a longer one is unreadable.
const MAX_BYTES: usize = 8 * 1024;
/// Most members, items of a list, and parameters of one thing; with more, the header is unreadable.
const MAX_PARTS: usize = 32;
/// Most digits of a number, as the RFC has it.
const MAX_DIGITS: usize = 15;

/// One entry of a dictionary.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    pub(super) value: MemberValue<'a>,
    pub(super) parameters: Vec<(&'a str, BareItem)>,
    /// The exact text after `name=`.
    pub(super) raw: &'a str,
}

impl Member<'_> {
    pub(super) fn parameter(&self, name: &str) -> Option<&BareItem> {
        let mut found = self.parameters.iter().filter(|(known, _)| *known == name);
        found.next().map(|(_, value)| value)
    }
}

#[derive(Debug)]
pub(super) enum MemberValue<'a> {
    Item(BareItem),
    List(Vec<ListItem<'a>>),
}

/// One item of an inner list.
#[derive(Debug)]
pub(super) struct ListItem<'a> {
    pub(super) value: BareItem,
    pub(super) parameters: Vec<(&'a str, BareItem)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum BareItem {
    Text(String),
    Integer(i64),
    Bytes(Vec<u8>),
    /// Tokens, decimals and booleans: valid, but never what we look for.
    Other,
}

/// Parses a dictionary; `None` if anything about it is wrong.
pub(super) fn dictionary(text: &str) -> Option<Vec<Member<'_>>> {
    if text.len() > MAX_BYTES || !text.is_ascii() {
        return None;
    }
    let mut reader = StructuredFieldReader { text, at: 0 };
    let mut members: Vec<Member<'_>> = Vec::new();
    reader.skip_spaces();
    while !reader.is_done() {
        let member = reader.member()?;
        if members.len() == MAX_PARTS || members.iter().any(|known| known.name == member.name) {
            return None;
        }
        members.push(member);
        reader.skip_spaces();
        if reader.is_done() {
            break;
        }
        reader.expect(b',')?;
        reader.skip_spaces();
        // A comma promises another member.
        if reader.is_done() {
            return None;
        }
    }
    Some(members)
}

struct StructuredFieldReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> StructuredFieldReader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Everything up to the first byte that fails `is_part`.
    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&is_part) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn member(&mut self) -> Option<Member<'a>> {
        let name = self.name()?;
        let (value, start) = if self.expect(b'=').is_some() {
            let start = self.at;
            (self.value()?, start)
        } else {
            // A name alone is a boolean.
            (MemberValue::Item(BareItem::Other), self.at)
        };
        let parameters = self.parameters()?;
        Some(Member {
            name,
            value,
            parameters,
            raw: &self.text[start..self.at],
        })
    }

    fn name(&mut self) -> Option<&'a str> {
        if !matches!(self.peek()?, b'a'..=b'z' | b'*') {
            return None;
        }
        let is_part = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*');
        Some(self.take_while(is_part))
    }

    fn value(&mut self) -> Option<MemberValue<'a>> {
        if self.expect(b'(').is_none() {
            return self.bare().map(MemberValue::Item);
        }
        let mut items = Vec::new();
        loop {
            let before = self.at;
            self.take_while(|byte| byte == b' ');
            if self.expect(b')').is_some() {
                return Some(MemberValue::List(items));
            }
            let is_first = items.is_empty();
            if items.len() == MAX_PARTS || (!is_first && self.at == before) {
                return None;
            }
            let value = self.bare()?;
            let parameters = self.parameters()?;
            items.push(ListItem { value, parameters });
        }
    }

    fn parameters(&mut self) -> Option<Vec<(&'a str, BareItem)>> {
        let mut parameters: Vec<(&str, BareItem)> = Vec::new();
        while self.expect(b';').is_some() {
            self.take_while(|byte| byte == b' ');
            let name = self.name()?;
            let value = match self.expect(b'=') {
                Some(()) => self.bare()?,
                None => BareItem::Other,
            };
            if parameters.len() == MAX_PARTS || parameters.iter().any(|(known, _)| *known == name) {
                return None;
            }
            parameters.push((name, value));
        }
        Some(parameters)
    }

    fn bare(&mut self) -> Option<BareItem> {
        match self.peek()? {
            b'"' => self.quoted(),
            b':' => self.bytes(),
            b'-' | b'0'..=b'9' => self.number(),
            b'?' => {
                self.at += 1;
                matches!(self.peek()?, b'0' | b'1').then(|| self.at += 1)?;
                Some(BareItem::Other)
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'*' => {
                let is_part =
                    |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte);
                self.take_while(is_part);
                Some(BareItem::Other)
            }
            _ => None,
        }
    }

    fn quoted(&mut self) -> Option<BareItem> {
        self.expect(b'"')?;
        let mut text = String::new();
        loop {
            let mut byte = self.peek()?;
            self.at += 1;
            if byte == b'"' {
                return Some(BareItem::Text(text));
            }
            if byte == b'\\' {
                byte = self.peek()?;
                self.at += 1;
                if !matches!(byte, b'"' | b'\\') {
                    return None;
                }
            }
            if !matches!(byte, 0x20..=0x7e) {
                return None;
            }
            text.push(char::from(byte));
        }
    }

    fn bytes(&mut self) -> Option<BareItem> {
        self.expect(b':')?;
        let letters = self.take_while(|byte| byte != b':');
        self.expect(b':')?;
        LENIENT_BASE64.decode(letters).ok().map(BareItem::Bytes)
    }

    fn number(&mut self) -> Option<BareItem> {
        let start = self.at;
        self.take_while(|byte| byte == b'-');
        let digits = self.take_while(|byte| byte.is_ascii_digit()).len();
        let text = &self.text[start..self.at];
        if digits == 0 || digits > MAX_DIGITS {
            return None;
        }
        if self.expect(b'.').is_some() {
            let fraction = self.take_while(|byte| byte.is_ascii_digit()).len();
            return (1..=3).contains(&fraction).then_some(BareItem::Other);
        }
        text.parse().ok().map(BareItem::Integer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_members_of_a_signature_are_read_with_their_raw_text() {
        let text = r#"sig1=("@method" "content-digest";req);created=1787054400;keyid="a\"b" , sig2=:QUJD:, x, y=1.5;z=?1, t=to/ken"#;
        let members = dictionary(text).unwrap();
        let names: Vec<_> = members.iter().map(|member| member.name).collect();
        assert_eq!(names, ["sig1", "sig2", "x", "y", "t"]);
        let first = &members[0];
        assert_eq!(
            first.raw,
            r#"("@method" "content-digest";req);created=1787054400;keyid="a\"b""#
        );
        assert_eq!(
            first.parameter("created"),
            Some(&BareItem::Integer(1_787_054_400))
        );
        assert_eq!(
            first.parameter("keyid"),
            Some(&BareItem::Text("a\"b".to_owned()))
        );
        let MemberValue::List(items) = &first.value else {
            panic!("no list")
        };
        assert_eq!(items[0].value, BareItem::Text("@method".to_owned()));
        assert!(items[0].parameters.is_empty());
        assert_eq!(items[1].parameters, [("req", BareItem::Other)]);
        assert!(
            matches!(&members[1].value, MemberValue::Item(BareItem::Bytes(bytes)) if bytes == b"ABC")
        );
    }

    #[test]
    fn an_empty_header_and_an_empty_list_are_fine() {
        assert!(dictionary("").unwrap().is_empty());
        let members = dictionary("a=()").unwrap();
        assert!(matches!(&members[0].value, MemberValue::List(items) if items.is_empty()));
    }

    #[test]
    fn what_the_rfc_forbids_is_unreadable() {
        let many = (0..=MAX_PARTS)
            .map(|n| format!("a{n}=1"))
            .collect::<Vec<_>>()
            .join(",");
        let long = format!("a=\"{}\"", "x".repeat(MAX_BYTES));
        for text in [
            "A=1",
            "1=1",
            "a=",
            "a=1,",
            ",a=1",
            "a=1 b=2",
            "a=1,a=2",
            "a=(\"x\"",
            "a=(\"x\"\"y\")",
            "a=\"x",
            "a=\"\\x\"",
            "a=:QUJD",
            "a=:***:",
            "a=1234567890123456",
            "a=--1",
            "a=1.",
            "a=1.2345",
            "a=?2",
            "a=@1",
            "a=1;",
            "a=1;b=",
            "a=1;b=1;b=2",
            "a=\"\u{7f}\"",
            "a=\"ä\"",
            &many,
            &long,
        ] {
            assert!(
                dictionary(text).is_none(),
                "{}",
                text.chars().take(60).collect::<String>()
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_raw_parts_come_from_the_text(text in "[a-c0-9=\"();:, ?.*@\\\\-]{0,60}") {
            if let Some(members) = dictionary(&text) {
                for member in members {
                    prop_assert!(text.contains(member.raw));
                }
            }
        }
    }
}
