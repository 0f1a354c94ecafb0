//! AMF0: the values inside commands and metadata ("Action Message Format -- AMF 0", 2007).
//!
//! AMF3 is always rejected: no publisher needs it, and its references made other parsers vulnerable
//! (CVE-2015-8270 to 8272).

use bytes::{Buf, BufMut, BytesMut};

/// How deep values may nest; a deeper one is an error. Encoders use two levels.
pub const MAX_DEPTH: usize = 8;
/// Longest string; a longer one is an error. The longest honest ones are URLs.
pub const MAX_STRING_BYTES: usize = 4 * 1024;
/// Most values in one message, those inside others included; more is an error. Encoders send about forty.
pub const MAX_VALUES: usize = 512;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Amf0Value {
    Number(f64),
    Boolean(bool),
    /// Text of either length; invalid UTF-8 is replaced.
    String(String),
    /// Named values in order.
    Object(Vec<(String, Amf0Value)>),
    /// Named values that the sender calls an array.
    EcmaArray(Vec<(String, Amf0Value)>),
    /// Values without names.
    StrictArray(Vec<Amf0Value>),
    /// Milliseconds since 1970; the time zone is reserved and dropped.
    Date(f64),
    Null,
    Undefined,
}

/// Why bytes are not valid AMF0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Amf0Error {
    #[error("a value is cut short")]
    Truncated,
    #[error("it uses AMF3, which is not supported")]
    Amf3,
    /// A marker that no publisher sends.
    #[error("marker {0:#04x}")]
    BadMarker(u8),
    /// See [`MAX_DEPTH`].
    #[error("values nest too deep")]
    TooDeep,
    /// See [`MAX_STRING_BYTES`].
    #[error("a string is too long")]
    StringTooLong,
    /// See [`MAX_VALUES`].
    #[error("too many values")]
    TooManyValues,
    #[error("it does not begin with a name")]
    NoCommand,
}

impl Amf0Value {
    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value called `key`, if the names include it.
    pub fn get(&self, key: &str) -> Option<&Amf0Value> {
        let (Self::Object(pairs) | Self::EcmaArray(pairs)) = self else {
            return None;
        };
        let found = pairs.iter().find(|(name, _)| name == key)?;
        Some(&found.1)
    }
}

impl From<&str> for Amf0Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

/// Reads all values of a message.
pub fn decode_all(bytes: &[u8]) -> Result<Vec<Amf0Value>, Amf0Error> {
    let mut reader = Amf0Reader {
        bytes,
        values_left: MAX_VALUES,
    };
    let mut values = Vec::new();
    while !reader.bytes.is_empty() {
        values.push(reader.value(0)?);
    }
    Ok(values)
}

struct Amf0Reader<'a> {
    bytes: &'a [u8],
    values_left: usize,
}

const OBJECT_END: u8 = 9;

impl Amf0Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Amf0Value, Amf0Error> {
        if depth >= MAX_DEPTH {
            return Err(Amf0Error::TooDeep);
        }
        self.values_left = self
            .values_left
            .checked_sub(1)
            .ok_or(Amf0Error::TooManyValues)?;
        match self.u8()? {
            0 => Ok(Amf0Value::Number(self.f64()?)),
            1 => Ok(Amf0Value::Boolean(self.u8()? != 0)),
            2 => Ok(Amf0Value::String(self.short_string()?)),
            3 => Ok(Amf0Value::Object(self.pairs(depth)?)),
            5 => Ok(Amf0Value::Null),
            6 | 13 => Ok(Amf0Value::Undefined),
            8 => {
                // The count is a hint that several encoders get wrong; the end marker decides.
                self.u32()?;
                Ok(Amf0Value::EcmaArray(self.pairs(depth)?))
            }
            10 => self.strict_array(depth),
            11 => {
                let date = self.f64()?;
                self.u16()?;
                Ok(Amf0Value::Date(date))
            }
            12 | 15 => {
                let length = self.u32()?;
                Ok(Amf0Value::String(self.text(length as usize)?))
            }
            16 => {
                self.short_string()?;
                Ok(Amf0Value::Object(self.pairs(depth)?))
            }
            17 => Err(Amf0Error::Amf3),
            marker => Err(Amf0Error::BadMarker(marker)),
        }
    }

    /// Names and values up to the end marker. Some encoders omit the marker at the end of the message.
    fn pairs(&mut self, depth: usize) -> Result<Vec<(String, Amf0Value)>, Amf0Error> {
        let mut pairs = Vec::new();
        while !self.bytes.is_empty() {
            let name = self.short_string()?;
            if name.is_empty() && self.bytes.first() == Some(&OBJECT_END) {
                self.u8()?;
                break;
            }
            pairs.push((name, self.value(depth + 1)?));
        }
        Ok(pairs)
    }

    fn strict_array(&mut self, depth: usize) -> Result<Amf0Value, Amf0Error> {
        let count = self.u32()?;
        // Grown value by value: the count is only the publisher's claim.
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(self.value(depth + 1)?);
        }
        Ok(Amf0Value::StrictArray(values))
    }

    fn short_string(&mut self) -> Result<String, Amf0Error> {
        let length = self.u16()?;
        self.text(usize::from(length))
    }

    fn text(&mut self, length: usize) -> Result<String, Amf0Error> {
        if length > MAX_STRING_BYTES {
            return Err(Amf0Error::StringTooLong);
        }
        let (text, rest) = self
            .bytes
            .split_at_checked(length)
            .ok_or(Amf0Error::Truncated)?;
        self.bytes = rest;
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn u8(&mut self) -> Result<u8, Amf0Error> {
        self.bytes.try_get_u8().map_err(|_| Amf0Error::Truncated)
    }

    fn u16(&mut self) -> Result<u16, Amf0Error> {
        self.bytes.try_get_u16().map_err(|_| Amf0Error::Truncated)
    }

    fn u32(&mut self) -> Result<u32, Amf0Error> {
        self.bytes.try_get_u32().map_err(|_| Amf0Error::Truncated)
    }

    fn f64(&mut self) -> Result<f64, Amf0Error> {
        self.bytes.try_get_f64().map_err(|_| Amf0Error::Truncated)
    }
}

/// Writes values one after the other.
pub fn encode(values: &[Amf0Value]) -> BytesMut {
    let mut out = BytesMut::new();
    for value in values {
        put(&mut out, value);
    }
    out
}

fn put(out: &mut BytesMut, value: &Amf0Value) {
    match value {
        Amf0Value::Number(number) => {
            out.put_u8(0);
            out.put_f64(*number);
        }
        Amf0Value::Boolean(boolean) => out.put_slice(&[1, u8::from(*boolean)]),
        Amf0Value::String(text) => match u16::try_from(text.len()) {
            Ok(length) => {
                out.put_u8(2);
                out.put_u16(length);
                out.put_slice(text.as_bytes());
            }
            Err(_) => {
                out.put_u8(12);
                out.put_u32(u32::try_from(text.len()).unwrap_or(u32::MAX));
                out.put_slice(text.as_bytes());
            }
        },
        Amf0Value::Object(pairs) => {
            out.put_u8(3);
            put_pairs(out, pairs);
        }
        Amf0Value::EcmaArray(pairs) => {
            out.put_u8(8);
            out.put_u32(u32::try_from(pairs.len()).unwrap_or(u32::MAX));
            put_pairs(out, pairs);
        }
        Amf0Value::StrictArray(values) => {
            out.put_u8(10);
            out.put_u32(u32::try_from(values.len()).unwrap_or(u32::MAX));
            for value in values {
                put(out, value);
            }
        }
        Amf0Value::Date(date) => {
            out.put_u8(11);
            out.put_f64(*date);
            out.put_u16(0);
        }
        Amf0Value::Null => out.put_u8(5),
        Amf0Value::Undefined => out.put_u8(6),
    }
}

fn put_pairs(out: &mut BytesMut, pairs: &[(String, Amf0Value)]) {
    for (name, value) in pairs {
        // Our names are far below this length.
        let length = name.len().min(usize::from(u16::MAX));
        out.put_u16(length as u16);
        out.put_slice(&name.as_bytes()[..length]);
        put(out, value);
    }
    out.put_slice(&[0, 0, OBJECT_END]);
}

#[cfg(test)]
mod tests;
