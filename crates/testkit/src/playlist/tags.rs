//! Attribute lists and numbers of RFC 8216bis 4.2, parsed strictly.

use std::time::Duration;

/// The attributes of one tag.
#[derive(Debug)]
pub(crate) struct Attributes<'a> {
    pairs: Vec<(&'a str, AttributeValue<'a>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AttributeValue<'a> {
    Quoted(&'a str),
    Plain(&'a str),
}

impl<'a> Attributes<'a> {
    /// Parses `NAME=value,NAME="value"`; no space, no duplicate name, no empty value.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let mut pairs: Vec<(&str, AttributeValue<'_>)> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (name, after) = rest
                .split_once('=')
                .ok_or_else(|| format!("attribute without value: {rest}"))?;
            let is_name_char = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
            if name.is_empty() || !name.chars().all(is_name_char) {
                return Err(format!("{name:?} is no attribute name"));
            }
            let (value, after) = take_value(after)?;
            if pairs.iter().any(|(known, _)| *known == name) {
                return Err(format!("{name} stands twice"));
            }
            pairs.push((name, value));
            rest = match after.strip_prefix(',') {
                Some("") => return Err("comma at the end of the attributes".to_owned()),
                Some(next) => next,
                None if after.is_empty() => after,
                None => return Err(format!("no comma before {after:?}")),
            };
        }
        Ok(Self { pairs })
    }

    fn get(&self, name: &str) -> Option<AttributeValue<'a>> {
        let found = self.pairs.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }

    /// A quoted string.
    pub(crate) fn quoted(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(AttributeValue::Quoted(text)) => Ok(Some(text)),
            Some(AttributeValue::Plain(_)) => Err(format!("{name} is not quoted")),
        }
    }

    /// An unquoted word.
    pub(crate) fn plain(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(AttributeValue::Plain(text)) => Ok(Some(text)),
            Some(AttributeValue::Quoted(_)) => Err(format!("{name} is quoted")),
        }
    }

    /// `YES`, or absent or `NO`.
    pub(crate) fn yes(&self, name: &str) -> Result<bool, String> {
        match self.plain(name)? {
            None | Some("NO") => Ok(false),
            Some("YES") => Ok(true),
            Some(other) => Err(format!("{name} is {other}, neither YES nor NO")),
        }
    }

    /// A decimal integer.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<u64>, String> {
        self.plain(name)?.map(integer).transpose()
    }

    /// Seconds.
    pub(crate) fn seconds(&self, name: &str) -> Result<Option<Duration>, String> {
        self.plain(name)?.map(seconds).transpose()
    }

    /// The value, or an error that it is missing.
    pub(crate) fn required<T>(value: Option<T>, name: &str) -> Result<T, String> {
        value.ok_or_else(|| format!("{name} is missing"))
    }
}

fn take_value(text: &str) -> Result<(AttributeValue<'_>, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, after) = quoted
            .split_once('"')
            .ok_or_else(|| "a quote is not closed".to_owned())?;
        return Ok((AttributeValue::Quoted(value), after));
    }
    let end = text.find(',').unwrap_or(text.len());
    let (value, after) = text.split_at(end);
    if value.is_empty() || value.contains(|c: char| c.is_whitespace() || c == '"') {
        return Err(format!("{value:?} is no attribute value"));
    }
    Ok((AttributeValue::Plain(value), after))
}

/// A decimal integer of up to 20 digits, without surrounding text.
pub(crate) fn integer(text: &str) -> Result<u64, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| format!("{text:?} is no decimal integer"))
}

/// A decimal number of seconds, exact to the nanosecond.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let nanos = format!("{fraction:0<9}");
    match (integer(whole), nanos.get(..9).map(str::parse)) {
        (Ok(whole), Some(Ok(nanos))) if is_digits => Ok(Duration::new(whole, nanos)),
        _ => Err(format!("{text:?} is no number of seconds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_seconds_exactly() {
        assert_eq!(seconds("0.501"), Ok(Duration::from_millis(501)));
        assert_eq!(seconds("2"), Ok(Duration::from_secs(2)));
        assert_eq!(seconds("1.33333"), Ok(Duration::from_micros(1_333_330)));
        for bad in ["", ".", "1.", "-1", "1e3", " 1", "1,5", "0.5 "] {
            assert!(seconds(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn reads_quoted_and_plain_attributes() {
        let attributes =
            Attributes::parse("DURATION=0.5,URI=\"a,b=c.m4s\",INDEPENDENT=YES").unwrap();
        assert_eq!(attributes.quoted("URI"), Ok(Some("a,b=c.m4s")));
        assert_eq!(attributes.yes("INDEPENDENT"), Ok(true));
        assert_eq!(attributes.yes("GAP"), Ok(false));
        assert!(attributes.quoted("DURATION").is_err());
    }

    #[test]
    fn rejects_sloppy_attribute_lists() {
        for bad in [
            "A",
            "A=",
            "A=1,",
            "A=1, B=2",
            "a=1",
            "A=\"x",
            "A=1,A=2",
            "A=\"x\"B=1",
        ] {
            assert!(Attributes::parse(bad).is_err(), "{bad:?}");
        }
    }
}
