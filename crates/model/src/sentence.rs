//! Sentences for people that a page can say in another language: the English text goes with a stable code and with what
//! stands in its gaps. Each crate lists its sentences in one table, with [`sentences!`](crate::sentences); all of them
//! are in `docs/sentences.json`, by which the catalogues of the pages are checked.

use std::collections::BTreeMap;

use serde::Serialize;

/// A kind of sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct SentenceKind {
    /// Stable, in kebab case.
    pub code: &'static str,
    /// The sentence, with its gaps as `{name}`.
    pub english: &'static str,
}

/// What stands in a gap of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SentenceParam {
    /// To be written and counted as the language does.
    Number(u64),
    /// Shown as it is.
    Text(String),
}

impl From<u64> for SentenceParam {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for SentenceParam {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SentenceParam {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// What stands in the gaps, by name.
pub type SentenceParams = BTreeMap<&'static str, SentenceParam>;

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    kind: &'static SentenceKind,
    params: SentenceParams,
}

impl SentenceKind {
    /// The names of the gaps, in their order.
    pub fn gaps(&'static self) -> impl Iterator<Item = &'static str> {
        let pieces = self.english.split('{').skip(1);
        pieces.filter_map(|piece| Some(piece.split_once('}')?.0))
    }

    /// A sentence without gaps.
    pub fn plain(&'static self) -> Sentence {
        self.with([])
    }

    /// A sentence with its gaps filled, in their order.
    pub fn with<const N: usize>(&'static self, values: [SentenceParam; N]) -> Sentence {
        debug_assert_eq!(self.gaps().count(), N, "{}", self.code);
        Sentence {
            kind: self,
            params: self.gaps().zip(values).collect(),
        }
    }
}

impl Sentence {
    /// The stable name of its kind.
    pub fn code(&self) -> &'static str {
        self.kind.code
    }

    /// What stands in its gaps, and what other languages may want to say beside it.
    pub fn params(&self) -> &SentenceParams {
        &self.params
    }

    /// With something more that other languages may say in a way of their own.
    #[must_use]
    pub fn and(mut self, name: &'static str, value: impl Into<SentenceParam>) -> Self {
        self.params.insert(name, value.into());
        self
    }

    /// The sentence in English. What fills a gap is never read for gaps itself.
    pub fn english(&self) -> String {
        let mut pieces = self.kind.english.split('{');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (name, rest) = piece.split_once('}').unwrap_or((piece, ""));
            match self.params.get(name) {
                Some(SentenceParam::Number(number)) => text.push_str(&number.to_string()),
                Some(SentenceParam::Text(value)) => text.push_str(value),
                None => {}
            }
            text.push_str(rest);
        }
        text
    }
}

/// Defines the sentences of a crate, and `ALL` of them.
#[macro_export]
macro_rules! sentences {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $english:literal;)+) => {
        $(
            $(#[$doc])*
            pub static $name: $crate::sentence::SentenceKind = $crate::sentence::SentenceKind {
                code: $code,
                english: $english,
            };
        )+

        /// The whole table.
        pub static ALL: &[&$crate::sentence::SentenceKind] = &[$(&$name),+];
    };
}

#[cfg(test)]
#[allow(unreachable_pub)] // tables are for others to read, and this one is not
mod tests {
    sentences! {
        RENAMED = "renamed", "{old} wrote {count} lines.";
        CLOSED = "closed", "The chat is closed.";
    }

    #[test]
    fn the_gaps_of_a_sentence_are_filled_in_their_order_and_never_read_for_gaps() {
        let sentence = RENAMED.with(["{count}".into(), 3.into()]).and("seconds", 9);
        assert_eq!(sentence.code(), "renamed");
        assert_eq!(sentence.english(), "{count} wrote 3 lines.");
        let json = serde_json::to_value(sentence.params()).expect("it is plain data");
        let expected = serde_json::json!({ "old": "{count}", "count": 3, "seconds": 9 });
        assert_eq!(json, expected);
        assert_eq!(CLOSED.plain().english(), "The chat is closed.");
        assert_eq!(ALL.len(), 2);
    }
}
