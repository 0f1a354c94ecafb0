//! The language of pages that the server writes itself.

mod arabic;
mod english;
mod french;
mod german;
mod spanish;

use http::{HeaderMap, header};
use http_server::client::text;

/// Entries of `Accept-Language` that are read; browsers send a handful.
const MAX_ENTRIES: usize = 20;

/// Languages of the pages, as in `ui/src/i18n/languages.ts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
    Arabic,
}

/// Everything that the server writes itself, in one language.
#[derive(Debug)]
pub(crate) struct Texts {
    /// The tag of the language, for `lang`.
    pub(crate) tag: &'static str,
    /// `ltr` or `rtl`, for `dir`.
    pub(crate) direction: &'static str,
    /// For an address where nothing is.
    pub(crate) not_found: Notice,
    /// For an answer that failed.
    pub(crate) failed: Notice,
    /// For a browser without a connection.
    pub(crate) no_connection: Notice,
    /// On the page without its script.
    pub(crate) plain: Plain,
}

/// A page with one message and a way on.
#[derive(Debug)]
pub(crate) struct Notice {
    pub(crate) title: &'static str,
    pub(crate) explanation: &'static str,
    /// What the link to the viewer page says.
    pub(crate) link: &'static str,
}

/// The page for readers without scripts.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) needs_script: &'static str,
    /// Before a colon and the title of the stream, or alone.
    pub(crate) live: &'static str,
    pub(crate) open_in_player: &'static str,
    pub(crate) offline: &'static str,
    /// Before a colon and the address.
    pub(crate) address_when_live: &'static str,
    pub(crate) mature: &'static str,
    /// The list of what was recorded.
    pub(crate) recordings: &'static str,
    pub(crate) no_recordings: &'static str,
    pub(crate) open_recording: &'static str,
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

    /// What the server writes in it.
    pub(crate) fn texts(self) -> &'static Texts {
        match self {
            Self::English => &english::TEXTS,
            Self::German => &german::TEXTS,
            Self::French => &french::TEXTS,
            Self::Spanish => &spanish::TEXTS,
            Self::Arabic => &arabic::TEXTS,
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
    let language = match primary.as_str() {
        "en" => Language::English,
        "de" => Language::German,
        "fr" => Language::French,
        "es" => Language::Spanish,
        "ar" => Language::Arabic,
        _ => return None,
    };
    Some((language, weight))
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
        for (accepted, language) in [
            ("de", Language::German),
            ("de-CH", Language::German),
            ("DE;q=0.9", Language::German),
            ("pl, de;q=0.8, en;q=0.5", Language::German),
            ("en;q=0.4,de", Language::German),
            ("fr-CA,fr;q=0.9,en;q=0.8", Language::French),
            ("es-419", Language::Spanish),
            ("ar-EG, en;q=0.7", Language::Arabic),
            ("", Language::English),
            ("en", Language::English),
            ("en-GB,de;q=0.9", Language::English),
            ("pl", Language::English),
            ("*", Language::English),
            ("de;q=0", Language::English),
            ("de;q=x", Language::English),
            (";;,", Language::English),
        ] {
            assert_eq!(of(accepted), language, "{accepted}");
        }
        assert_eq!(Language::of(&HeaderMap::new()), Language::English);
    }

    #[test]
    fn each_language_says_how_it_is_written() {
        let written = [
            (Language::English, "en", "ltr"),
            (Language::German, "de", "ltr"),
            (Language::French, "fr", "ltr"),
            (Language::Spanish, "es", "ltr"),
            (Language::Arabic, "ar", "rtl"),
        ];
        for (language, tag, direction) in written {
            let texts = language.texts();
            assert_eq!((texts.tag, texts.direction), (tag, direction));
        }
    }
}
