//! A remote actor's document, as far as we need it.

use model::fediverse::RemoteActor;
use serde_json::{Map, Value};

use super::iri::{authority_of, same_host, web_iri};
use super::read::{has_type, list_of, string_of, text_of};
use super::sanitise::{MAX_NAME_CHARS, plain, web_url};

/// What an actor can be.
const ACTOR_TYPES: [&str; 5] = ["Person", "Service", "Application", "Group", "Organization"];

/// Why a document is not an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnActor {
    /// A required property is missing or has the wrong type.
    #[error("the actor has no usable {0:?}")]
    Missing(&'static str),
    /// A property points to another server than the actor's.
    #[error("the actor's {0:?} is on another server")]
    Elsewhere(&'static str),
}

/// A remote actor; texts are plain and short, addresses are web addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The actor's IRI, as its document writes it.
    pub id: String,
    /// The actor's own inbox.
    pub inbox: String,
    /// The server's shared inbox, if it states one.
    pub shared_inbox: Option<String>,
    /// The part of the handle before the host.
    pub username: String,
    /// The display name; the username if there is none.
    pub name: String,
    /// Their profile page.
    pub url: String,
    /// Their avatar.
    pub image: Option<String>,
}

impl Person {
    /// Reads an actor's document. The caller must have checked that it came from the address in its `id`.
    ///
    /// # Errors
    /// See [`NotAnActor`].
    pub fn read(document: &Map<String, Value>) -> Result<Self, NotAnActor> {
        let missing = NotAnActor::Missing;
        if !ACTOR_TYPES.iter().any(|name| has_type(document, name)) {
            return Err(missing("type"));
        }
        let id = document.get("id").and_then(Value::as_str);
        let id = id.filter(|id| is_https(id)).ok_or(missing("id"))?;
        let inbox = string_of(document.get("inbox")).filter(|inbox| is_https(inbox));
        let inbox = inbox.ok_or(missing("inbox"))?;
        if !same_host(id, inbox) {
            return Err(NotAnActor::Elsewhere("inbox"));
        }
        let endpoints = document.get("endpoints").and_then(Value::as_object);
        let shared = endpoints.and_then(|endpoints| string_of(endpoints.get("sharedInbox")));
        let shared = shared.or_else(|| string_of(document.get("sharedInbox")));
        let shared = shared.filter(|shared| is_https(shared) && same_host(id, shared));
        let username = string_of(document.get("preferredUsername")).and_then(username);
        let username = username.ok_or(missing("preferredUsername"))?;
        let name = text_of(document, "name").map(|text| plain(&text.value, MAX_NAME_CHARS));
        Ok(Self {
            id: id.to_owned(),
            inbox: inbox.to_owned(),
            shared_inbox: shared.map(str::to_owned),
            name: name
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| username.clone()),
            username,
            url: page(document).unwrap_or_else(|| id.to_owned()),
            image: picture(document.get("icon")),
        })
    }

    /// `alice@remote.example`
    pub fn account(&self) -> String {
        let host = authority_of(&self.id).unwrap_or_default();
        format!("{}@{host}", self.username)
    }

    /// `@alice@remote.example`
    pub fn handle(&self) -> String {
        format!("@{}", self.account())
    }

    /// The form used in events.
    pub fn as_fact(&self) -> RemoteActor {
        RemoteActor {
            iri: self.id.clone(),
            name: self.name.clone(),
            handle: self.handle(),
            url: Some(self.url.clone()),
            image: self.image.clone(),
        }
    }
}

fn is_https(iri: &str) -> bool {
    web_iri(iri).is_some_and(|url| url.scheme() == "https")
}

/// A name without characters that would break up a handle.
fn username(text: &str) -> Option<String> {
    let name = plain(text, MAX_NAME_CHARS);
    let is_one_word = !name
        .chars()
        .any(|sign| sign.is_whitespace() || "@/?#<>\"".contains(sign));
    (is_one_word && !name.is_empty() && name == text).then_some(name)
}

/// The actor's page: the first address, or the first link to a page.
pub(super) fn page(document: &Map<String, Value>) -> Option<String> {
    list_of(document.get("url"))
        .iter()
        .find_map(|url| match url {
            Value::String(url) => web_url(url),
            Value::Object(link) => web_url(string_of(link.get("href"))?),
            _ => None,
        })
}

/// An address, an image, a link, or the first of several.
fn picture(icon: Option<&Value>) -> Option<String> {
    list_of(icon).iter().find_map(|icon| match icon {
        Value::String(url) => web_url(url),
        Value::Object(image) => {
            let url = list_of(image.get("url")).iter().find_map(|url| match url {
                Value::String(url) => Some(url.as_str()),
                Value::Object(link) => string_of(link.get("href")),
                _ => None,
            });
            web_url(url.or_else(|| string_of(image.get("href")))?)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn alice() -> Value {
        json!({
            "id": "https://remote.example/users/alice", "type": "Person", "preferredUsername": "alice",
            "inbox": "https://remote.example/users/alice/inbox", "name": "Alice\u{202e}",
            "endpoints": {"sharedInbox": "https://remote.example/inbox"},
            "url": [{"type": "Link", "href": "https://remote.example/@alice"}],
            "icon": [{"type": "Image", "url": "https://remote.example/a.png"}],
        })
    }

    fn read(document: &Value) -> Result<Person, NotAnActor> {
        Person::read(document.as_object().unwrap())
    }

    fn with(name: &str, value: Value) -> Result<Person, NotAnActor> {
        let mut document = alice();
        document[name] = value;
        read(&document)
    }

    #[test]
    fn an_actor_is_read() {
        let person = read(&alice()).unwrap();
        assert_eq!(person.handle(), "@alice@remote.example");
        assert_eq!(person.name, "Alice");
        assert_eq!(
            person.shared_inbox.as_deref(),
            Some("https://remote.example/inbox")
        );
        assert_eq!(person.url, "https://remote.example/@alice");
        assert_eq!(
            person.image.as_deref(),
            Some("https://remote.example/a.png")
        );
    }

    #[test]
    fn what_an_actor_must_have_it_must_have_on_its_own_server() {
        assert_eq!(
            with("inbox", Value::Null),
            Err(NotAnActor::Missing("inbox"))
        );
        assert_eq!(
            with("inbox", json!("http://remote.example/inbox")),
            Err(NotAnActor::Missing("inbox"))
        );
        assert_eq!(
            with("inbox", json!("https://evil.example/inbox")),
            Err(NotAnActor::Elsewhere("inbox"))
        );
        assert_eq!(
            with("type", json!("Note")),
            Err(NotAnActor::Missing("type"))
        );
        assert_eq!(
            with("id", json!("acct:alice@remote.example")),
            Err(NotAnActor::Missing("id"))
        );
        for name in [
            json!(null),
            json!(""),
            json!("a@b"),
            json!("a b"),
            json!("a\u{202e}"),
        ] {
            assert_eq!(
                with("preferredUsername", name),
                Err(NotAnActor::Missing("preferredUsername"))
            );
        }
    }

    #[test]
    fn what_may_be_missing_may_be_strange() {
        assert_eq!(
            with(
                "endpoints",
                json!({"sharedInbox": "https://evil.example/inbox"})
            )
            .unwrap()
            .shared_inbox,
            None
        );
        assert_eq!(
            with("icon", json!("https://remote.example/b.png"))
                .unwrap()
                .image
                .as_deref(),
            Some("https://remote.example/b.png")
        );
        for icon in [
            json!(null),
            json!(3),
            json!([]),
            json!({"url": "ftp://x"}),
            json!({"url": {"href": 1}}),
        ] {
            assert_eq!(with("icon", icon).unwrap().image, None);
        }
        assert_eq!(with("name", json!("")).unwrap().name, "alice");
        assert_eq!(
            with("url", json!("javascript:x")).unwrap().url,
            "https://remote.example/users/alice"
        );
    }
}
