//! An activity as it was sent to us.

use serde_json::{Map, Value};

use super::json::{Unreadable, parse};
use super::read::{shared_id_of, types_of};

/// The activities we handle; all others are accepted and ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActivityKind {
    Follow,
    Undo,
    Like,
    EmojiReact,
    Announce,
    Create,
    Update,
    Delete,
    Accept,
    Reject,
    QuoteRequest,
    Offer,
    Leave,
    Block,
    Move,
    Flag,
}

impl ActivityKind {
    /// Parses the name in `type`.
    pub fn parse(name: &str) -> Option<Self> {
        let kind = match name {
            "Follow" => ActivityKind::Follow,
            "Undo" => ActivityKind::Undo,
            "Like" => ActivityKind::Like,
            "EmojiReact" | "litepub:EmojiReact" => ActivityKind::EmojiReact,
            "Announce" => ActivityKind::Announce,
            "Create" => ActivityKind::Create,
            "Update" => ActivityKind::Update,
            "Delete" => ActivityKind::Delete,
            "Accept" => ActivityKind::Accept,
            "Reject" => ActivityKind::Reject,
            "QuoteRequest" | "https://w3id.org/fep/044f#QuoteRequest" => ActivityKind::QuoteRequest,
            "Offer" => ActivityKind::Offer,
            "Leave" => ActivityKind::Leave,
            "Block" => ActivityKind::Block,
            "Move" => ActivityKind::Move,
            "Flag" => ActivityKind::Flag,
            _ => return None,
        };
        Some(kind)
    }

    /// Whether it may come without an `id`, because nothing refers to it later.
    pub fn may_be_nameless(self) -> bool {
        matches!(
            self,
            ActivityKind::Accept | ActivityKind::Reject | ActivityKind::Undo
        )
    }
}

/// An activity, not to be trusted until its signature is verified.
#[derive(Clone, Debug)]
pub struct ReceivedActivity {
    pub id: Option<String>,
    /// Its kind, if we handle it.
    pub kind: Option<ActivityKind>,
    /// The actor it claims.
    pub actor: Option<String>,
    /// The whole document.
    pub json: Map<String, Value>,
}

impl ReceivedActivity {
    /// Parses the body of a request.
    ///
    /// # Errors
    /// When the body is not one JSON object, or its `id` or `type` has an unexpected type.
    pub fn parse(body: &[u8]) -> Result<Self, Unreadable> {
        let json = parse(body)?;
        let id = match json.get("id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) if id.contains(char::is_control) => {
                return Err(Unreadable::NotJson(
                    "\"id\" has signs in it that nobody sees".into(),
                ));
            }
            Some(Value::String(id)) => Some(id.clone()),
            Some(_) => return Err(Unreadable::NotJson("\"id\" is no text".into())),
        };
        let is_named = |value: &Value| match value {
            Value::Array(names) => names.iter().all(Value::is_string),
            other => other.is_string(),
        };
        if json.get("type").is_some_and(|value| !is_named(value)) {
            return Err(Unreadable::NotJson("\"type\" is no text".into()));
        }
        let kind = types_of(&json).find_map(ActivityKind::parse);
        let actor = json.get("actor").and_then(shared_id_of).map(str::to_owned);
        Ok(Self {
            id,
            kind,
            actor,
            json,
        })
    }

    /// A property; null if absent.
    pub fn get(&self, name: &str) -> &Value {
        self.json.get(name).unwrap_or(&Value::Null)
    }

    /// The object it acts on: by id, embedded, or alone in a list.
    pub fn object(&self) -> &Value {
        self.get("object")
    }

    /// The object it acts on, if embedded.
    pub fn embedded(&self) -> Option<&Map<String, Value>> {
        match self.object() {
            Value::Object(object) => Some(object),
            Value::Array(members) => match members.as_slice() {
                [Value::Object(only)] => Some(only),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_type_decides() {
        let read = |text: &str| ReceivedActivity::parse(text.as_bytes()).unwrap();
        assert_eq!(
            read(r#"{"type":["x:Y","Like","Announce"]}"#).kind,
            Some(ActivityKind::Like)
        );
        assert_eq!(read(r#"{"type":"View"}"#).kind, None);
        assert_eq!(read("{}").kind, None);
    }

    #[test]
    fn an_actor_is_one_whoever_often_it_is_named() {
        let actor = |text: &str| ReceivedActivity::parse(text.as_bytes()).unwrap().actor;
        let alice = Some("https://a.example/alice".to_owned());
        assert_eq!(actor(r#"{"actor":"https://a.example/alice"}"#), alice);
        assert_eq!(
            actor(r#"{"actor":[{"id":"https://a.example/alice"},"https://a.example/alice"]}"#),
            alice
        );
        assert_eq!(
            actor(r#"{"actor":["https://a.example/alice","https://a.example/bob"]}"#),
            None
        );
    }

    #[test]
    fn ids_and_types_of_other_kinds_are_refused() {
        for text in [
            r#"{"id":{"a":1}}"#,
            r#"{"id":["x"]}"#,
            r#"{"id":"https://a.example/1\n"}"#,
            r#"{"id":"https://a.example/1\u0000"}"#,
            r#"{"id":"https://a.example/1\u007f"}"#,
            r#"{"type":{"a":1}}"#,
            r#"{"type":["Like",1]}"#,
        ] {
            assert!(ReceivedActivity::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
