//! When a certificate ends: the one fact of X.509 (RFC 5280) that is read here.

use jiff::Timestamp;

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
/// `[0]`, the version of a certificate.
const VERSION: u8 = 0xa0;

/// The end of the validity of a certificate in DER; `None` where it cannot be read, or never comes.
pub(super) fn not_after(certificate: &[u8]) -> Option<Timestamp> {
    let (certificate, _) = element(certificate, SEQUENCE)?;
    let (to_be_signed, _) = element(certificate, SEQUENCE)?;
    // The first version does not name itself.
    let rest = element(to_be_signed, VERSION).map_or(to_be_signed, |(_, rest)| rest);
    let (_serial, rest) = element(rest, INTEGER)?;
    let (_algorithm, rest) = element(rest, SEQUENCE)?;
    let (_issuer, rest) = element(rest, SEQUENCE)?;
    let (validity, _) = element(rest, SEQUENCE)?;
    let (_, until) = element(validity, UTC_TIME).or_else(|| element(validity, GENERALIZED_TIME))?;
    time(until)
}

/// The content of the first element if it has this tag, and what follows it.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&found, rest) = bytes.split_first()?;
    if found != tag {
        return None;
    }
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        // The length of the length; three bytes are more than any certificate needs.
        0x81..=0x83 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = digits
                .iter()
                .fold(0, |sum: usize, &digit| (sum << 8) | usize::from(digit));
            (length, rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

/// `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`.
fn time(bytes: &[u8]) -> Option<Timestamp> {
    let (text, is_short) = match element(bytes, UTC_TIME) {
        Some((text, _)) => (text, true),
        None => (element(bytes, GENERALIZED_TIME)?.0, false),
    };
    let digits = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    // Years of two digits begin in 1950.
    let digits = match (is_short, digits.len()) {
        (true, 12) if digits < "50" => format!("20{digits}"),
        (true, 12) => format!("19{digits}"),
        (false, 14) => digits.to_owned(),
        _ => return None,
    };
    let part = |from: usize, to: usize| digits.get(from..to);
    let time = format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        part(12, 14)?
    );
    time.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = content.len();
        let mut bytes = vec![tag];
        match u8::try_from(length) {
            Ok(short @ 0..=0x7f) => bytes.push(short),
            Ok(long) => bytes.extend([0x81, long]),
            Err(_) => bytes.extend([0x82, (length >> 8) as u8, (length & 0xff) as u8]),
        }
        bytes.extend(content);
        bytes
    }

    /// What comes before the validity is skipped, so it may be empty; `padding` makes lengths long.
    fn certificate(version: &[u8], until: &[u8], padding: usize) -> Vec<u8> {
        let validity = [der(UTC_TIME, b"250101000000Z"), until.to_vec()].concat();
        let to_be_signed = [
            version.to_vec(),
            der(INTEGER, &[1]),
            der(SEQUENCE, &[]),
            der(SEQUENCE, &vec![0; padding]),
            der(SEQUENCE, &validity),
        ];
        der(SEQUENCE, &der(SEQUENCE, &to_be_signed.concat()))
    }

    #[track_caller]
    fn assert_ends(certificate: &[u8], expected: Option<&str>) {
        let found = not_after(certificate).map(|time| time.to_string());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn the_end_is_read_in_both_forms_of_time_and_with_any_length() {
        let version = der(VERSION, &der(INTEGER, &[2]));
        for padding in [0, 200, 1000] {
            let short = der(UTC_TIME, b"260102030405Z");
            assert_ends(
                &certificate(&version, &short, padding),
                Some("2026-01-02T03:04:05Z"),
            );
            let long = der(GENERALIZED_TIME, b"20510102030405Z");
            assert_ends(
                &certificate(&[], &long, padding),
                Some("2051-01-02T03:04:05Z"),
            );
        }
        let old = der(UTC_TIME, b"990102030405Z");
        assert_ends(
            &certificate(&version, &old, 0),
            Some("1999-01-02T03:04:05Z"),
        );
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        let whole = certificate(&[], &der(UTC_TIME, b"260102030405Z"), 300);
        for length in 0..whole.len() {
            assert_ends(&whole[..length], None);
        }
        for until in [
            b"2601020304Z".as_slice(),
            b"260102030405",
            b"26010203040xZ",
            b"\xff\xff",
        ] {
            assert_ends(&certificate(&[], &der(UTC_TIME, until), 0), None);
        }
        assert_ends(b"0\x84\xff\xff\xff\xff", None);
    }
}
