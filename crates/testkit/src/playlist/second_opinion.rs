//! Checks a text with an independent parser. It is lenient, so its errors always count.

use quick_m3u8::config::ParsingOptions;
use quick_m3u8::{HlsLine, Reader};

use super::rule::{Findings, Rule};

pub(crate) fn check_second_opinion(text: &str, findings: &mut Findings) {
    let mut reader = Reader::from_str(text, ParsingOptions::default());
    let mut line = 0;
    loop {
        line += 1;
        match reader.read_line() {
            Ok(None) => return,
            Ok(Some(HlsLine::UnknownTag(tag))) => {
                let error = tag.validation_error();
                findings.check_at(Rule::Syntax, line, error.is_none(), || {
                    format!("quick-m3u8 rejects EXT{}: {error:?}", tag.name())
                });
            }
            Ok(Some(_)) => findings.check_at(Rule::Syntax, line, true, String::new),
            Err(error) => {
                findings.check_at(Rule::Syntax, line, false, || {
                    format!("quick-m3u8 rejects the line: {:?}", error.error)
                });
            }
        }
    }
}
