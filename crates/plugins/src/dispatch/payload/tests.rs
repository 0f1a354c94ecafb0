//! The exact payload of each event.

use jiff::Timestamp;
use model::fediverse::{RemoteActor, RemoteAttachment, RemotePost, Visibility};
use model::{Event, LoggedEvent, MessageId, UserId};

use super::*;

const SUMMARY: &str = "cooking";

fn translator() -> EventTranslator {
    EventTranslator::new("Friday show".into())
}

fn mira() -> ChatUser {
    ChatUser {
        id: UserId::parse("u-7").unwrap(),
        display_name: "mira".into(),
        display_color: 2,
        created_at: Timestamp::UNIX_EPOCH,
        previous_names: vec![],
        name_changed_at: None,
        is_bot: false,
        is_authenticated: false,
        is_moderator: false,
    }
}

const MIRA: &str = r#"{"id":"u-7","displayName":"mira","displayColor":2,"createdAt":"1970-01-01T00:00:00.000000000Z"}"#;

fn ana() -> RemoteActor {
    RemoteActor {
        iri: "https://social.example/users/ana".into(),
        name: "Ana".into(),
        handle: "@ana@social.example".into(),
        url: Some("https://social.example/@ana".into()),
        image: None,
    }
}

const ANA: &str =
    r#"{"name":"Ana","handle":"@ana@social.example","url":"https://social.example/@ana"}"#;

fn post() -> RemotePost {
    RemotePost {
        actor: ana(),
        content: "<p>hello</p>".into(),
        content_text: "hello".into(),
        url: "https://social.example/@ana/5".into(),
        posted_at: Some("2026-03-02T19:00:00Z".parse().unwrap()),
        in_reply_to: Some("https://stream.example/federation/abc".into()),
        attachments: vec![RemoteAttachment {
            url: "https://social.example/a.png".into(),
            media_type: Some("image/png".into()),
            alt: None,
        }],
        language: Some("en".into()),
        visibility: Visibility::Public,
    }
}

fn said(user: ChatUser) -> Event {
    Event::ChatMessagePosted {
        id: MessageId::parse("m-91").unwrap(),
        user,
        body: "<p>good <b>evening</b></p>".into(),
        raw_body: "good **evening**".into(),
        client_id: 12,
        reply: None,
    }
}

fn at(event: Event) -> LoggedEvent {
    LoggedEvent {
        seq: 1,
        at: "2026-03-02T19:04:05.12Z".parse().unwrap(),
        event,
    }
}

fn tell(event: Event) -> Vec<(&'static str, String)> {
    let told = translator().translate(&at(event), SUMMARY);
    told.into_iter()
        .map(|one| (one.event, one.payload))
        .collect()
}

#[test]
fn every_fact_has_its_name_and_its_members_in_order() {
    let target = "https://stream.example/federation/abc".to_owned();
    let inbound = format!(
        r#"{{"actor":{ANA},"content":"<p>hello</p>","contentText":"hello","url":"https://social.example/@ana/5","postedAt":"2026-03-02T19:00:00.000000000Z","inReplyTo":"https://stream.example/federation/abc","attachments":[{{"url":"https://social.example/a.png","mediaType":"image/png"}}],"language":"en"}}"#
    );
    let engaged = format!(r#"{{"actor":{ANA},"target":{{"url":"{target}"}}}}"#);
    for (event, name, payload) in [
        (
            said(mira()),
            "chat.message.received",
            format!(r#"{{"id":"m-91","user":{MIRA},"clientId":12,"body":"good **evening**","timestamp":"2026-03-02T19:04:05.120000000Z"}}"#),
        ),
        (Event::ChatUserJoined { user: mira(), client_id: 1, is_live: false }, "chat.user.joined", MIRA.into()),
        (Event::ChatUserParted { user: mira(), client_id: 1 }, "chat.user.parted", MIRA.into()),
        (
            Event::ChatUserRenamed { user: mira(), old_name: "mir".into(), client_id: 1 },
            "chat.user.renamed",
            format!(r#"{{"user":{MIRA},"previousName":"mir"}}"#),
        ),
        (
            Event::StreamStarted { id: "1".into(), title: "Pasta".into() },
            "stream.started",
            r#"{"startedAt":"2026-03-02T19:04:05.120000000Z","title":"Pasta","summary":"cooking"}"#.into(),
        ),
        (
            Event::StreamStopped { id: "1".into() },
            "stream.stopped",
            r#"{"stoppedAt":"2026-03-02T19:04:05.120000000Z","title":"Friday show","summary":"cooking"}"#.into(),
        ),
        (
            Event::StreamTitleChanged { title: "Saturday".into() },
            "stream.title.changed",
            r#"{"from":"Friday show","to":"Saturday"}"#.into(),
        ),
        (
            Event::RecordingStarted { id: "00112233aabbccdd".into(), title: "Pasta".into(), visibility: model::recording::Visibility::Unlisted },
            "recording.started",
            r#"{"id":"00112233aabbccdd","title":"Pasta","visibility":"unlisted"}"#.into(),
        ),
        (
            Event::RecordingFinished { id: "00112233aabbccdd".into(), title: "Pasta".into(), visibility: model::recording::Visibility::Private, duration_ms: 5_400_500 },
            "recording.finished",
            r#"{"id":"00112233aabbccdd","title":"Pasta","visibility":"private","duration":5400.5}"#.into(),
        ),
        (
            Event::RecordingPublished { id: "00112233aabbccdd".into(), title: "Pasta".into(), duration_ms: 1000 },
            "recording.published",
            r#"{"id":"00112233aabbccdd","title":"Pasta","visibility":"public","duration":1.0}"#.into(),
        ),
        (
            Event::FediverseFollowed { actor: ana(), is_pending: false },
            "fediverse.follow",
            format!(r#"{{"actor":{ANA}}}"#),
        ),
        (
            Event::FediverseLiked { actor: ana(), target: target.clone(), is_live_notification: false },
            "fediverse.like",
            engaged.clone(),
        ),
        (
            Event::FediverseReposted { actor: ana(), target, is_live_notification: true },
            "fediverse.repost",
            engaged,
        ),
        (
            Event::FediverseQuoted { actor: ana(), target: "https://stream.example/p".into(), url: "https://social.example/q".into() },
            "fediverse.quote",
            format!(r#"{{"actor":{ANA},"target":{{"url":"https://stream.example/p"}},"url":"https://social.example/q"}}"#),
        ),
        (Event::FediverseReplied { post: post() }, "fediverse.reply", inbound.clone()),
        (Event::FediverseMentioned { post: post() }, "fediverse.mention", inbound),
        (
            Event::FediverseActivityReceived { json: r#"{"type":"Block", "b":1,"a":2}"#.into() },
            "fediverse.activity",
            r#"{"type":"Block", "b":1,"a":2}"#.into(),
        ),
    ] {
        assert_eq!(tell(event), [(name, payload)]);
    }
}

#[test]
fn lines_moderated_together_are_told_one_by_one() {
    let ids = ["a", "b"].map(|id| MessageId::parse(id).unwrap()).into();
    let told = tell(Event::ChatVisibilityChanged {
        ids,
        visible: false,
        moderator: None,
    });
    let moderated = |id| {
        (
            "chat.message.moderated",
            format!(r#"{{"messageId":"{id}","visible":false}}"#),
        )
    };
    assert_eq!(told, [moderated("a"), moderated("b")]);
}

#[test]
fn whoever_moderated_is_told_when_the_chat_knows_them() {
    let told = tell(Event::ChatVisibilityChanged {
        ids: vec![MessageId::parse("a").unwrap()],
        visible: true,
        moderator: Some(Box::new(mira())),
    });
    let payload = &told[0].1;
    let begins = r#"{"messageId":"a","visible":true,"moderator":{"id":"u-7","displayName":"mira","#;
    assert!(payload.starts_with(begins), "{payload}");
}

#[test]
fn what_bots_say_is_told_to_nobody() {
    let bot = ChatUser {
        is_bot: true,
        ..mira()
    };
    assert_eq!(tell(said(bot)), []);
}

#[test]
fn facts_about_the_house_are_not_for_plugins() {
    let key = "name".to_owned();
    for event in [
        Event::AdminPasswordChanged,
        Event::SettingChanged { key },
        Event::Unknown,
    ] {
        assert_eq!(tell(event), []);
    }
}

#[test]
fn a_change_of_title_tells_the_one_before() {
    let mut translator = translator();
    let title = |title: &str| {
        at(Event::StreamTitleChanged {
            title: title.into(),
        })
    };
    translator.translate(&title("one"), SUMMARY);
    let told = translator.translate(&title("two"), SUMMARY);
    assert_eq!(told[0].payload, r#"{"from":"one","to":"two"}"#);
}

#[test]
fn a_listening_page_is_told_with_its_user_if_there_is_one() {
    assert_eq!(
        sse_connection("news", "c-1", None),
        r#"{"channel":"news","connectionId":"c-1"}"#
    );
    let user = User::from(&mira());
    assert_eq!(
        sse_connection("", "c-2", Some(&user)),
        format!(r#"{{"channel":"","connectionId":"c-2","user":{MIRA}}}"#)
    );
}
