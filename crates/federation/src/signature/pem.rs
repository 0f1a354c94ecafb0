//! PEM (RFC 7468), read as leniently as other servers write it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::multikey::LENIENT_BASE64;

/// Longest text that is looked at; a longer one is no key. An RSA key of 8192 bits needs a tenth of it.
const MAX_PEM_BYTES: usize = 16 * 1024;
/// Letters in a line.
const LINE: usize = 64;

/// Decodes the label and the bytes of the first block.
pub(super) fn decode(text: &str) -> Option<(&str, Vec<u8>)> {
    if text.len() > MAX_PEM_BYTES {
        return None;
    }
    let (_, rest) = text.split_once("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, rest) = rest.split_once("-----END ")?;
    if !rest.starts_with(label) || !rest[label.len()..].starts_with("-----") {
        return None;
    }
    let letters: String = body.split_ascii_whitespace().collect();
    let der = LENIENT_BASE64.decode(letters).ok()?;
    Some((label, der))
}

/// Encodes one block, with a line break at its end.
pub(super) fn encode(label: &str, der: &[u8]) -> String {
    let letters = STANDARD.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    let mut rest = letters.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text.push_str("-----END ");
    text.push_str(label);
    text.push_str("-----\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn other_line_ends_and_words_around_the_block_do_not_matter() {
        for text in [
            "-----BEGIN PUBLIC KEY-----\nQUJD\n-----END PUBLIC KEY-----",
            "-----BEGIN PUBLIC KEY-----\r\nQU\r\nJD\r\n-----END PUBLIC KEY-----\r\n\r\n",
            "  \n-----BEGIN PUBLIC KEY-----QUJD-----END PUBLIC KEY-----",
            "-----BEGIN PUBLIC KEY----- QUJD -----END PUBLIC KEY-----\ntrailing",
        ] {
            assert_eq!(
                decode(text),
                Some(("PUBLIC KEY", b"ABC".to_vec())),
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_is_no_block_is_none() {
        let long = format!(
            "-----BEGIN PUBLIC KEY-----{}-----END PUBLIC KEY-----",
            "A".repeat(MAX_PEM_BYTES)
        );
        for text in [
            "",
            "QUJD",
            "-----BEGIN PUBLIC KEY-----QUJD",
            "-----BEGIN PUBLIC KEY-----QUJD-----END PRIVATE KEY-----",
            "-----BEGIN PUBLIC KEY-----QU*D-----END PUBLIC KEY-----",
            "-----BEGIN PUBLIC KEY-----QUJD-----END PUBLIC KEY",
            &long,
        ] {
            assert_eq!(decode(text), None, "{}", &text[..text.len().min(60)]);
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(der in proptest::collection::vec(any::<u8>(), 0..400)) {
            let text = encode("PUBLIC KEY", &der);
            prop_assert!(text.lines().all(|line| line.len() <= LINE));
            prop_assert_eq!(decode(&text), Some(("PUBLIC KEY", der)));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".*") {
            decode(&text);
            decode(&format!("-----BEGIN {text}-----END {text}-----"));
        }
    }
}
