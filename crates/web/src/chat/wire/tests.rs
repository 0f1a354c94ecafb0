use std::sync::Arc;

use chat::PinnedLine;
use model::UserId;
use store::MessageKind;

use super::*;

fn somebody() -> Arc<ChatUser> {
    Arc::new(ChatUser {
        id: UserId::parse("u1").unwrap(),
        display_name: "ada <b>".into(),
        display_color: 3,
        created_at: Timestamp::UNIX_EPOCH,
        previous_names: vec!["ada <b>".into()],
        name_changed_at: None,
        is_bot: false,
        is_authenticated: true,
        is_moderator: true,
    })
}

fn state(muted_seconds: Option<u64>, slow_mode_seconds: Option<u64>) -> ListenerState {
    ListenerState {
        user: somebody(),
        muted_seconds,
        muted_reason: muted_seconds.map(|_| "caps".into()),
        slow_mode_seconds,
        pinned: None,
    }
}

fn pinned() -> Arc<PinnedLine> {
    Arc::new(PinnedLine {
        line: PastLine {
            id: MessageId::parse("m0").unwrap(),
            at: Timestamp::UNIX_EPOCH,
            user: somebody(),
            body: "<p>rules</p>".into(),
            reply: None,
        },
        pinned_by: "bob".into(),
        pinned_at: Timestamp::UNIX_EPOCH,
    })
}

fn pin() -> Value {
    let message = json!({
        "id": "m0", "timestamp": "1970-01-01T00:00:00Z", "type": "CHAT", "user": user(), "body": "<p>rules</p>",
    });
    json!({ "message": message, "pinnedBy": "bob", "pinnedAt": "1970-01-01T00:00:00Z" })
}

fn encoded(kind: ChatEventKind) -> Value {
    let heard = ChatEvent {
        id: MessageId::parse("m1").unwrap(),
        at: Timestamp::UNIX_EPOCH,
        kind,
    };
    let frame = encode(&heard);
    assert!(!frame.contains(&b'\n'), "one document, on one line");
    serde_json::from_slice(&frame).unwrap()
}

/// The event without id and timestamp, which all have.
fn payload(kind: ChatEventKind) -> Value {
    let mut event = encoded(kind);
    let fields = event.as_object_mut().unwrap();
    assert_eq!(fields.remove("id").unwrap(), "m1");
    assert_eq!(fields.remove("timestamp").unwrap(), "1970-01-01T00:00:00Z");
    event
}

fn user() -> Value {
    json!({
        "id": "u1", "displayName": "ada <b>", "displayColor": 3, "createdAt": "1970-01-01T00:00:00Z",
        "previousNames": ["ada <b>"], "isBot": false, "authenticated": true, "scopes": ["MODERATOR"],
    })
}

#[test]
fn every_event_that_is_sent_has_exactly_the_keys_clients_know() {
    let ids = vec![MessageId::parse("m0").unwrap()];
    let text = |text: &str| text.to_owned();
    let card = Card {
        title: text("ada@social.example"),
        image: None,
        link: text("https://social.example/users/ada"),
    };
    let rows = [
        (
            ChatEventKind::Identity(Box::new(state(None, None))),
            json!({ "type": "CONNECTED_USER_INFO", "user": user() }),
        ),
        (
            ChatEventKind::Identity(Box::new(state(Some(52), Some(7)))),
            json!({ "type": "CONNECTED_USER_INFO", "user": user(), "mutedForSeconds": 52, "mutedReason": "caps", "slowModeForSeconds": 7 }),
        ),
        (
            ChatEventKind::Joined(somebody()),
            json!({ "type": "USER_JOINED", "user": user() }),
        ),
        (
            ChatEventKind::Parted(somebody()),
            json!({ "type": "USER_PARTED", "user": user() }),
        ),
        (
            ChatEventKind::Renamed {
                user: somebody(),
                old_name: text("bob"),
            },
            json!({ "type": "NAME_CHANGE", "oldName": "bob", "user": user() }),
        ),
        (
            ChatEventKind::Line {
                user: somebody(),
                body: text("<p>hi</p>"),
                reply: None,
            },
            json!({ "type": "CHAT", "body": "<p>hi</p>", "visible": true, "user": user() }),
        ),
        (
            ChatEventKind::System {
                body: text("<p>noon</p>"),
                server_name: text("Rill"),
            },
            json!({ "type": "SYSTEM", "body": "<p>noon</p>", "user": { "displayName": "Rill" } }),
        ),
        (
            ChatEventKind::Action {
                user: None,
                body: text("<p>rolled</p>"),
                notice: None,
                sentence: None,
            },
            json!({ "type": "CHAT_ACTION", "body": "<p>rolled</p>" }),
        ),
        (
            ChatEventKind::Action {
                user: Some(somebody()),
                body: text("<p><strong>bot</strong> rolled</p>"),
                notice: None,
                sentence: None,
            },
            json!({ "type": "CHAT_ACTION", "body": "<p><strong>bot</strong> rolled</p>", "user": user() }),
        ),
        (
            ChatEventKind::Action {
                user: None,
                body: text("<p>wait</p>"),
                notice: Some(Notice::SlowMode(9)),
                sentence: Some(chat::sentences::SLOW_MODE.with([9.into()])),
            },
            json!({
                "type": "CHAT_ACTION", "body": "<p>wait</p>", "notice": "slow-mode", "retryAfterSeconds": 9,
                "code": "slow-mode", "params": { "seconds": 9 },
            }),
        ),
        (
            ChatEventKind::Action {
                user: None,
                body: text("<p>wait</p>"),
                notice: Some(Notice::Muted(Some(60))),
                sentence: None,
            },
            json!({ "type": "CHAT_ACTION", "body": "<p>wait</p>", "notice": "muted", "retryAfterSeconds": 60 }),
        ),
        (
            ChatEventKind::Action {
                user: None,
                body: text("<p>no</p>"),
                notice: Some(Notice::BlockedWord(text("turnip"))),
                sentence: None,
            },
            json!({ "type": "CHAT_ACTION", "body": "<p>no</p>", "notice": "refused", "blockedWord": "turnip" }),
        ),
        (
            ChatEventKind::Identity(Box::new(ListenerState {
                pinned: Some(pinned()),
                ..state(None, None)
            })),
            json!({ "type": "CONNECTED_USER_INFO", "user": user(), "pinned": pin() }),
        ),
        (
            ChatEventKind::Pinned(Some(pinned())),
            json!({ "type": "PINNED_MESSAGE", "pinned": pin() }),
        ),
        (
            ChatEventKind::Pinned(None),
            json!({ "type": "PINNED_MESSAGE", "pinned": null }),
        ),
        (
            ChatEventKind::Visibility {
                ids,
                visible: false,
                by_author: false,
            },
            json!({ "type": "VISIBILITY-UPDATE", "ids": ["m0"], "visible": false }),
        ),
        (
            ChatEventKind::Banned {
                reason: None,
                until: None,
            },
            json!({ "type": "ERROR_USER_DISABLED", "user": null }),
        ),
        (
            ChatEventKind::Banned {
                reason: Some(text("spam")),
                until: Some(jiff::Timestamp::UNIX_EPOCH),
            },
            json!({
                "type": "ERROR_USER_DISABLED", "user": null, "reason": "spam",
                "until": "1970-01-01T00:00:00Z",
            }),
        ),
        (
            ChatEventKind::Engagement {
                kind: MessageKind::Follow,
                body: text("<p>followed</p>"),
                card,
                server_name: text("Rill"),
            },
            json!({
                "type": "FEDIVERSE_ENGAGEMENT_FOLLOW", "body": "<p>followed</p>", "title": "ada@social.example",
                "image": null, "link": "https://social.example/users/ada", "user": { "displayName": "Rill" },
            }),
        ),
    ];
    for (kind, wanted) in rows {
        assert_eq!(payload(kind), wanted);
    }
}

#[test]
fn every_event_that_clients_send_is_understood() {
    let line = |body: &str, reply_to: Option<&str>| ClientMessage::Line {
        body: body.into(),
        reply_to: reply_to.map(str::to_owned),
    };
    let rows = [
        (
            r#"{"type":"CHAT","body":"hello **all** :wave:"}"#,
            line("hello **all** :wave:", None),
        ),
        (
            r#"{"type":"CHAT","body":"x","inReplyTo":"m1","extra":[1]}"#,
            line("x", Some("m1")),
        ),
        (
            r#"{"type":"NAME_CHANGE","newName":"ada"}"#,
            ClientMessage::Rename("ada".into()),
        ),
        (
            r#"{"type":"COLOR_CHANGE","newColor":4}"#,
            ClientMessage::Recolor(4),
        ),
        (r#"{"type":"PONG"}"#, ClientMessage::Nothing),
        (r#"{"type":"CHAT","body":7}"#, ClientMessage::Nothing),
        ("nonsense", ClientMessage::Nothing),
    ];
    for (frame, wanted) in rows {
        assert_eq!(read(frame), [wanted], "{frame}");
    }
    assert_eq!(read(" \n\n"), []);
    let several = "{\"type\":\"PONG\"}\n{\"type\":\"CHAT\",\"body\":\"b\"}\n{}\n{}";
    assert_eq!(read(several), [ClientMessage::Nothing, line("b", None)]);
    let pretty = "{\n  \"type\": \"CHAT\",\n  \"body\": \"p\"\n}\n";
    assert_eq!(read(pretty), [line("p", None)]);
}
