//! What an answer must be to be believed. No IO.

use outbound::guard::MAX_URL_BYTES;
use outbound::http::{HeaderMap, StatusCode, header};
use outbound::{Response, Url};

use super::{Document, FetchProblem};
use crate::wire::{self, Person};

/// What a profile of JSON-LD has to name to be ActivityPub.
const ACTIVITY_STREAMS: &str = "https://www.w3.org/ns/activitystreams";

/// Where a document was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DocumentLocation {
    /// At the address its `id` says.
    Home,
    /// At another address of the server its `id` is on.
    Beside(Url),
}

/// The target of a redirect, or `None` if the answer is not one.
pub(super) fn redirect_target(from: &Url, answer: &Response) -> Result<Option<Url>, FetchProblem> {
    if !matches!(answer.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = single(&answer.headers, &header::LOCATION)
        .filter(|text| !text.is_empty() && text.len() <= MAX_URL_BYTES)
        .ok_or(FetchProblem::Redirect("it has no usable target"))?;
    let mut to = from
        .join(location)
        .map_err(|_| FetchProblem::Redirect("its target is no address"))?;
    if to.scheme() != from.scheme() {
        return Err(FetchProblem::Redirect("it changes the scheme"));
    }
    to.set_fragment(None);
    Ok(Some(to))
}

/// Reads the document in an answer from `url`.
pub(super) fn read(
    url: &Url,
    answer: &Response,
) -> Result<(DocumentLocation, Document), FetchProblem> {
    if answer.status != StatusCode::OK {
        return Err(FetchProblem::Status {
            status: answer.status,
            retry: answer.retry(),
        });
    }
    let content_type = single(&answer.headers, &header::CONTENT_TYPE);
    if !content_type.is_some_and(is_activity_json) {
        return Err(FetchProblem::ContentType);
    }
    let object = wire::parse(&answer.body)?;
    let id = object.get("id").and_then(serde_json::Value::as_str);
    let id = id.ok_or(FetchProblem::Id("there is none"))?.to_owned();
    let location = location(url, &id)?;
    Ok((location, Document { id, object }))
}

/// The inbox in a document, and the host of that server; only actors have one.
pub(super) fn inbox(document: &Document) -> Option<(String, String)> {
    let person = Person::read(&document.object).ok()?;
    let inbox = person.shared_inbox.unwrap_or(person.inbox);
    let host = wire::authority(&Url::parse(&inbox).ok()?);
    Some((host, inbox))
}

/// The value of a header that appears exactly once; two would be ambiguous.
fn single<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// A fragment names a part of the document, and the document's server decides what its parts are.
fn location(found_at: &Url, id: &str) -> Result<DocumentLocation, FetchProblem> {
    let mut home = wire::web_iri(id).ok_or(FetchProblem::Id("it is no address"))?;
    home.set_fragment(None);
    if home == *found_at {
        return Ok(DocumentLocation::Home);
    }
    let is_same_server =
        home.scheme() == found_at.scheme() && wire::authority(&home) == wire::authority(found_at);
    match is_same_server {
        true => Ok(DocumentLocation::Beside(home)),
        false => Err(FetchProblem::Id("it is on another server")),
    }
}

fn is_activity_json(content_type: &str) -> bool {
    let (kind, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let kind = kind.trim();
    if kind.eq_ignore_ascii_case("application/activity+json") {
        return true;
    }
    kind.eq_ignore_ascii_case("application/ld+json")
        && parameters.split(';').any(is_activity_profile)
}

fn is_activity_profile(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return false;
    };
    let mut profiles = value.trim().trim_matches('"').split_ascii_whitespace();
    name.trim().eq_ignore_ascii_case("profile")
        && profiles.any(|profile| profile == ACTIVITY_STREAMS)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case 61 of docs/federation-cases.md.
    #[test]
    fn only_the_media_types_of_activitypub_count() {
        for good in [
            "application/activity+json",
            "application/activity+json; charset=utf-8",
            "Application/Activity+JSON;charset=UTF-8",
            "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"",
            "application/ld+json;profile=https://www.w3.org/ns/activitystreams",
            "application/ld+json; charset=utf-8; profile=\"https://w3id.org/x https://www.w3.org/ns/activitystreams\"",
        ] {
            assert!(is_activity_json(good), "{good}");
        }
        for bad in [
            "",
            "application/json",
            "application/json; profile=\"https://www.w3.org/ns/activitystreams\"",
            "application/ld+json",
            "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams-not\"",
            "text/html",
            "text/plain; application/activity+json",
            "application/activity+jsonx",
            "image/png",
        ] {
            assert!(!is_activity_json(bad), "{bad}");
        }
    }

    #[test]
    fn an_id_is_at_home_beside_or_refused() {
        let url = Url::parse("https://a.example/users/alice").unwrap();
        let is_home = |id: &str| matches!(location(&url, id), Ok(DocumentLocation::Home));
        let is_beside = |id: &str| matches!(location(&url, id), Ok(DocumentLocation::Beside(_)));
        assert!(is_home("https://a.example/users/alice"));
        assert!(is_home("https://A.example:443/users/alice"));
        assert!(is_home("https://a.example/users/alice#main-key"));
        assert!(is_beside("https://a.example/users/bob"));
        assert!(is_beside("https://a.example/users/alice?x"));
        for elsewhere in [
            "https://b.example/users/alice",
            "http://a.example/users/alice",
            "https://a.example:8443/users/alice",
            "https://sub.a.example/users/alice",
            "acct:alice@a.example",
            "",
        ] {
            assert!(
                matches!(location(&url, elsewhere), Err(FetchProblem::Id(_))),
                "{elsewhere}"
            );
        }
    }
}
