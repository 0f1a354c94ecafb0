//! Makes receivers' answers safe to store and show.

/// Bytes kept of an answer; the rest is not read.
pub(super) const MAX_ANSWER_BYTES: usize = 1024;
/// Characters kept of an error; the rest is left out.
const MAX_ERROR_CHARS: usize = 300;

/// The start of an answer as one line of text, or `None` if there is nothing to see.
pub(super) fn answer(bytes: &[u8]) -> Option<String> {
    let start = &bytes[..bytes.len().min(MAX_ANSWER_BYTES)];
    let text = shown(&String::from_utf8_lossy(start));
    (!text.is_empty()).then_some(text)
}

/// An error and its most telling cause, in one line.
pub(super) fn error(error: &(dyn std::error::Error + 'static)) -> String {
    let last = std::iter::successors(error.source(), |cause| cause.source()).last();
    let whole = match last {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    };
    shown(&whole).chars().take(MAX_ERROR_CHARS).collect()
}

/// Removes characters that could trick a terminal, a database or a reader.
fn shown(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !is_invisible(*c))
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Characters that change the direction or joining of the text around them, and those that are invisible.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_is_one_short_line() {
        assert_eq!(answer(b""), None);
        assert_eq!(answer(b" \r\n\0 "), None);
        assert_eq!(
            answer(b"no\r\n\x1b[31msuch\0 hook").unwrap(),
            "no [31msuch hook"
        );
        assert_eq!(answer("evil \u{202e}txt".as_bytes()).unwrap(), "evil txt");
        assert_eq!(answer(&[b'x'; 5000]).unwrap().len(), MAX_ANSWER_BYTES);
    }

    #[test]
    fn an_error_names_its_deepest_cause() {
        let inner = std::io::Error::other("connection refused");
        let outer = std::io::Error::other(inner);
        assert_eq!(error(&outer), "connection refused");
        let long = std::io::Error::other("x".repeat(5000));
        assert_eq!(error(&long).len(), MAX_ERROR_CHARS);
    }

    proptest! {
        #[test]
        fn no_answer_has_control_characters(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
            if let Some(text) = answer(&bytes) {
                prop_assert!(!text.chars().any(|c| c.is_control() || is_invisible(c)));
                // A byte that is not text becomes a replacement character of three bytes.
                prop_assert!(text.len() <= 3 * MAX_ANSWER_BYTES);
            }
        }
    }
}
