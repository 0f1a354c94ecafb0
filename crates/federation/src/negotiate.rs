//! Content negotiation: who gets a document, and who gets a page.

/// Media ranges of one request that are looked at; what comes after them is ignored.
const MAX_RANGES: usize = 32;
/// The profile that makes linked data ours.
const ACTIVITY_STREAMS: &str = "https://www.w3.org/ns/activitystreams";

/// What the client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// JSON.
    Document,
    /// HTML.
    Page,
}

/// What clients get that accept anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// The actor: people get here through links in posts, with clients that send no preference, and are redirected to
    /// the stream.
    Actor,
    /// Collections and objects, which only programs request: a document, unless a page is preferred.
    Object,
}

/// How much a representation is wanted: by its weight in thousandths, then by how precisely it was named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    weight: u16,
    precision: u8,
}

/// Decides by the `Accept` headers and, if they name no document, by `Content-Type`, which some send instead.
pub fn negotiate<'a>(
    accept: impl IntoIterator<Item = &'a str>,
    content_type: Option<&str>,
    resource: ResourceKind,
) -> Representation {
    let (mut document, mut page) = (Rank::default(), Rank::default());
    let ranges = accept.into_iter().flat_map(|line| split(line, ','));
    for range in ranges.take(MAX_RANGES) {
        let Some(range) = MediaRange::parse(range) else {
            continue;
        };
        consider(&mut document, range.document_precision(), range.weight);
        consider(&mut page, range.page_precision(), range.weight);
    }
    // A client that accepts anything has not asked for the actor.
    let is_named = resource == ResourceKind::Object || document.precision > ANYTHING;
    if is_named && document.weight > 0 && document >= page {
        return Representation::Document;
    }
    let sends_document = content_type
        .and_then(MediaRange::parse)
        .is_some_and(|range| range.document_precision() == Some(NAMED));
    let says_nothing =
        resource == ResourceKind::Object && page == Rank::default() && document == Rank::default();
    match sends_document || says_nothing {
        true => Representation::Document,
        false => Representation::Page,
    }
}

/// `*/*`
const ANYTHING: u8 = 1;
/// `application/*`, `text/*`
const FAMILY: u8 = 2;
/// The type itself.
const NAMED: u8 = 3;

/// The most precise matching range decides; among equally precise ones, the highest weight.
fn consider(rank: &mut Rank, precision: Option<u8>, weight: u16) {
    let Some(precision) = precision else { return };
    let found = Rank { weight, precision };
    if precision > rank.precision || (precision == rank.precision && weight > rank.weight) {
        *rank = found;
    }
}

#[derive(Debug)]
struct MediaRange {
    kind: String,
    family: String,
    profile: Option<String>,
    weight: u16,
}

impl MediaRange {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = split(text, ';');
        let (family, kind) = parts.next()?.trim().split_once('/')?;
        let mut range = Self {
            kind: kind.to_ascii_lowercase(),
            family: family.to_ascii_lowercase(),
            profile: None,
            weight: 1000,
        };
        for part in parts {
            let Some((name, value)) = part.split_once('=') else {
                continue;
            };
            match name.trim().to_ascii_lowercase().as_str() {
                "q" => range.weight = weight(value.trim()),
                "profile" => range.profile = Some(value.trim().trim_matches('"').to_owned()),
                _ => (),
            }
        }
        Some(range)
    }

    fn document_precision(&self) -> Option<u8> {
        let is_ours = |profile: &String| {
            let mut profiles = profile.split_ascii_whitespace();
            profiles.any(|one| one == ACTIVITY_STREAMS)
        };
        match (self.family.as_str(), self.kind.as_str()) {
            ("application", "activity+json" | "json" | "json+ld") => Some(NAMED),
            ("application", "ld+json") if self.profile.as_ref().is_none_or(is_ours) => Some(NAMED),
            ("application", "*") => Some(FAMILY),
            ("*", "*") => Some(ANYTHING),
            _ => None,
        }
    }

    fn page_precision(&self) -> Option<u8> {
        match (self.family.as_str(), self.kind.as_str()) {
            ("text", "html") | ("application", "xhtml+xml") => Some(NAMED),
            ("text", "*") => Some(FAMILY),
            ("*", "*") => Some(ANYTHING),
            _ => None,
        }
    }
}

/// `0.9` in thousandths; an unreadable weight is ignored.
fn weight(text: &str) -> u16 {
    let number = text.parse::<f32>().ok().filter(|number| number.is_finite());
    number.map_or(1000, |number| (number.clamp(0.0, 1.0) * 1000.0) as u16)
}

/// Splits at separators outside quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    text.split(move |c: char| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match c {
            '\\' if is_quoted && !was_escaped => is_escaped = true,
            '"' if !was_escaped => is_quoted = !is_quoted,
            _ => (),
        }
        c == separator && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(resource: ResourceKind, accept: &str) -> Representation {
        negotiate([accept], None, resource)
    }

    // Case 10 of docs/federation-cases.md.
    #[test]
    fn programs_of_the_fediverse_get_the_document() {
        for accept in [
            "application/activity+json",
            "application/activity+json;q=0.9",
            "application/ld+json",
            "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"",
            "application/ld+json;profile=https://www.w3.org/ns/activitystreams",
            "application/ld+json; profile=\"https://example.org/a, https://www.w3.org/ns/activitystreams\"",
            // Mastodon.
            "application/activity+json, application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\", text/html;q=0.1",
            // Misskey.
            "application/activity+json, application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"",
            "application/json",
            "application/json+ld",
            "text/html, Application/Activity+JSON",
            "application/json, text/javascript, */*; q=0.01",
        ] {
            for resource in [ResourceKind::Actor, ResourceKind::Object] {
                assert_eq!(at(resource, accept), Representation::Document, "{accept}");
            }
        }
        assert_eq!(
            negotiate(
                [],
                Some("application/activity+json; charset=utf-8"),
                ResourceKind::Actor
            ),
            Representation::Document
        );
        let two = ["text/plain", "application/activity+json"];
        assert_eq!(
            negotiate(two, None, ResourceKind::Actor),
            Representation::Document
        );
    }

    // Case 11 of docs/federation-cases.md.
    #[test]
    fn browsers_get_the_page() {
        for accept in [
            "text/html",
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "text/html, application/json;q=0.9",
            "application/activity+json;q=0, */*",
            "application/xhtml+xml, application/ld+json;q=0.5",
        ] {
            for resource in [ResourceKind::Actor, ResourceKind::Object] {
                assert_eq!(at(resource, accept), Representation::Page, "{accept}");
            }
        }
        assert_eq!(
            negotiate(["*/*"], Some("text/html"), ResourceKind::Actor),
            Representation::Page
        );
        assert_eq!(
            at(
                ResourceKind::Actor,
                "application/ld+json; profile=\"https://example.org/other\""
            ),
            Representation::Page
        );
    }

    #[test]
    fn whoever_takes_anything_is_sent_to_the_stream_by_the_actor_and_given_objects() {
        for (accept, headers) in [("*/*", 1), ("", 1), ("", 0)] {
            let lines = || [accept].into_iter().take(headers);
            assert_eq!(
                negotiate(lines(), None, ResourceKind::Actor),
                Representation::Page
            );
            assert_eq!(
                negotiate(lines(), None, ResourceKind::Object),
                Representation::Document
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_anybody_sends_does_harm(accept in proptest::collection::vec("\\PC{0,80}", 0..4), content_type in "\\PC{0,40}") {
            let lines = accept.iter().map(String::as_str);
            let _wanted = negotiate(lines, Some(&content_type), ResourceKind::Actor);
        }

        #[test]
        fn naming_the_document_alone_is_always_understood(
            name in "application/(activity\\+json|json|ld\\+json)",
            q in 1u16..1000,
            noise in "(; ?[a-z]{1,8}=(\"[ ,;a-z]{0,8}\"|[a-z]{1,8}))?",
            spaces in " {0,3}",
        ) {
            proptest::prop_assume!(!noise.contains("profile=") && !noise.contains("q="));
            let accept = format!("{spaces}{name}{noise}{spaces};{spaces}q=0.{q:03}");
            proptest::prop_assert_eq!(at(ResourceKind::Actor, &accept), Representation::Document);
            let with_page = format!("{accept}, text/html;q=1");
            proptest::prop_assert_eq!(at(ResourceKind::Actor, &with_page), Representation::Page);
        }

        #[test]
        fn what_is_said_twice_counts_once(accept in "[a-z*/+;=., q0-9\"]{0,60}") {
            // Unclosed quotes would swallow the repetition.
            proptest::prop_assume!(accept.matches('"').count() % 2 == 0 && accept.matches(',').count() < 8);
            for resource in [ResourceKind::Actor, ResourceKind::Object] {
                proptest::prop_assert_eq!(
                    at(resource, &format!("{accept}, {accept}")),
                    at(resource, &accept)
                );
            }
        }
    }
}
