//! The language of pages that the server writes itself.

use http::{HeaderMap, header};
use http_server::client::text;

/// Entries of `Accept-Language` that are read; browsers send a handful.
const MAX_ENTRIES: usize = 20;

/// Languages of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Language {
    #[default]
    English,
    German,
}

impl Language {
    /// The language that the reader prefers among ours; English if they prefer none of them.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let accepted = text(headers, header::ACCEPT_LANGUAGE);
        let mut best: Option<(Self, f32)> = None;
        for entry in accepted.split(',').take(MAX_ENTRIES) {
            let Some((language, weight)) = read_entry(entry) else {
                continue;
            };
            if weight > best.map_or(0.0, |(_, weight)| weight) {
                best = Some((language, weight));
            }
        }
        best.map(|(language, _)| language).unwrap_or_default()
    }

    /// Its tag, for `lang`.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// One of two texts.
    pub(crate) fn pick(self, english: &'static str, german: &'static str) -> &'static str {
        match self {
            Self::English => english,
            Self::German => german,
        }
    }
}

/// A language of ours and its weight, such as `de-CH;q=0.8`.
fn read_entry(entry: &str) -> Option<(Language, f32)> {
    let (tag, weight) = match entry.split_once(';') {
        Some((tag, parameter)) => (tag, parameter.trim().strip_prefix("q=")?.parse().ok()?),
        None => (entry, 1.0),
    };
    let primary = tag.trim().split('-').next()?.to_ascii_lowercase();
    match primary.as_str() {
        "en" => Some((Language::English, weight)),
        "de" => Some((Language::German, weight)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_preferred_language_of_ours_is_chosen() {
        let of = |accepted: &'static str| {
            let value = HeaderValue::from_static(accepted);
            Language::of(&HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, value)]))
        };
        for german in [
            "de",
            "de-CH",
            "DE;q=0.9",
            "fr, de;q=0.8, en;q=0.5",
            "en;q=0.4,de",
        ] {
            assert_eq!(of(german), Language::German, "{german}");
        }
        for english in [
            "",
            "en",
            "en-GB,de;q=0.9",
            "fr",
            "*",
            "de;q=0",
            "de;q=x",
            ";;,",
        ] {
            assert_eq!(of(english), Language::English, "{english}");
        }
        assert_eq!(Language::of(&HeaderMap::new()), Language::English);
    }
}
