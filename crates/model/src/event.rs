//! Facts that crates tell each other, in the past tense.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::chat::{ChatUser, Reply};
use crate::fediverse::{RemoteActor, RemotePost};
use crate::ids::{MessageId, TokenId, UserId};
use crate::recording::Visibility;

/// Something that happened and was committed.
///
/// The JSON form is what the durable log stores; adding a variant or an optional field is safe, renaming one is a
/// change to stored data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Event {
    /// The first admin password was set through the setup link.
    SetupCompleted,
    /// The admin password was replaced.
    AdminPasswordChanged,
    /// Somebody signed in as the operator with a link made on the console.
    AdminSignedInByLink { address: String },
    /// A setting got a new value; secret values are not included.
    SettingChanged {
        /// The setting's key in the table.
        key: String,
    },
    /// A broadcast went live: its first part can be played. Once per broadcast, whatever the reconnects.
    StreamStarted {
        /// The broadcast in the history.
        id: String,
        /// The stream's title at that moment.
        title: String,
    },
    /// A broadcast is over. Once per broadcast.
    StreamStopped {
        /// The broadcast in the history.
        id: String,
    },
    /// The stream's title changed.
    StreamTitleChanged { title: String },
    /// A broadcast is being recorded.
    RecordingStarted {
        /// The recording, not the broadcast.
        id: String,
        title: String,
        visibility: Visibility,
    },
    /// A recording is complete.
    RecordingFinished {
        id: String,
        title: String,
        visibility: Visibility,
        /// All of it, whatever is trimmed.
        duration_ms: i64,
    },
    /// Visitors can see a complete recording in the list.
    RecordingPublished {
        id: String,
        title: String,
        /// All of it, whatever is trimmed.
        duration_ms: i64,
    },
    /// A person or a bot wrote in the chat, and everybody can read it.
    ChatMessagePosted {
        id: MessageId,
        /// The author at that time.
        user: ChatUser,
        /// Rendered and sanitised.
        body: String,
        /// As typed.
        raw_body: String,
        /// The connection it came from; 0 for integrations.
        client_id: u64,
        /// The line it replies to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<Reply>,
    },
    /// Lines were hidden or shown again.
    ChatVisibilityChanged {
        ids: Vec<MessageId>,
        /// Whether they are visible now.
        visible: bool,
        /// Who did it, if it was a person or a bot of the chat.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        moderator: Option<Box<ChatUser>>,
    },
    /// A person's first connection joined.
    ChatUserJoined {
        user: ChatUser,
        /// That connection.
        client_id: u64,
        /// Whether a stream was live, the default if absent; webhooks are sent only those events.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        is_live: bool,
    },
    /// A person's last connection ended, and they did not come back.
    ChatUserParted {
        user: ChatUser,
        /// That connection.
        client_id: u64,
    },
    /// Somebody took another name.
    ChatUserRenamed {
        /// With the new name.
        user: ChatUser,
        old_name: String,
        /// The connection that asked for it.
        client_id: u64,
    },
    /// Somebody on another server follows the stream, for the first time.
    FediverseFollowed {
        actor: RemoteActor,
        /// The operator has yet to approve it.
        is_pending: bool,
    },
    /// Somebody on another server liked a post of ours, for the first time.
    FediverseLiked {
        actor: RemoteActor,
        /// Our post.
        target: String,
        /// Whether that post said that the stream is live.
        is_live_notification: bool,
    },
    /// Somebody on another server shared a post of ours, for the first time.
    FediverseReposted {
        actor: RemoteActor,
        /// Our post.
        target: String,
        /// Whether that post said that the stream is live.
        is_live_notification: bool,
    },
    /// Somebody on another server quoted a post of ours, with our consent.
    FediverseQuoted {
        actor: RemoteActor,
        /// Our post.
        target: String,
        /// Their post; empty in events logged before this was stored.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        url: String,
    },
    /// Somebody on another server answered a post of ours.
    FediverseReplied {
        /// Their post; it may be private.
        post: RemotePost,
    },
    /// Somebody on another server wrote to the stream or named it.
    FediverseMentioned {
        /// Their post; it may be private.
        post: RemotePost,
    },
    /// Another server sent an activity with a valid signature.
    FediverseActivityReceived {
        /// As received.
        json: String,
    },
    /// The server, its operator or an integration wrote in the chat.
    ChatNoticePosted {
        /// It is read from the database.
        id: MessageId,
    },
    /// A user's colour, rights, timeout or ban changed; what they are now is read from the database.
    ChatUserChanged { user: UserId },
    /// A user was banned or deleted; which of both is read from the database.
    ChatUserRemoved {
        user: UserId,
        /// What they wrote, if it was deleted with them.
        ids: Vec<MessageId>,
    },
    /// The list of banned addresses changed.
    ChatAddressBansChanged {
        /// The address that was banned; none if a ban was lifted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        banned: Option<String>,
    },
    /// An access token was revoked.
    ChatTokenRevoked { token: TokenId },
    /// A token belongs to another user now, who has this name.
    ChatTokenReidentified { token: TokenId, name: String },
    /// One connection to the chat was closed by a moderator, the operator or a plugin, at whatever server it is.
    ChatConnectionClosed { client_id: u64 },
    /// Another line stands above the chat, or none; it is read from the database.
    ChatPinChanged,
    /// Lines from before this time were deleted.
    ChatLinesForgotten { before: Timestamp },
    /// Written by a newer version; readers of the log skip it.
    #[serde(other)]
    Unknown,
}

fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands the field by reference"
)]
fn is_yes(value: &bool) -> bool {
    *value
}

impl Event {
    /// The stable name of the variant, stored in a column of its own.
    pub fn kind(&self) -> &'static str {
        match self {
            Event::SetupCompleted => "SetupCompleted",
            Event::AdminPasswordChanged => "AdminPasswordChanged",
            Event::AdminSignedInByLink { .. } => "AdminSignedInByLink",
            Event::SettingChanged { .. } => "SettingChanged",
            Event::StreamStarted { .. } => "StreamStarted",
            Event::StreamStopped { .. } => "StreamStopped",
            Event::StreamTitleChanged { .. } => "StreamTitleChanged",
            Event::RecordingStarted { .. } => "RecordingStarted",
            Event::RecordingFinished { .. } => "RecordingFinished",
            Event::RecordingPublished { .. } => "RecordingPublished",
            Event::ChatMessagePosted { .. } => "ChatMessagePosted",
            Event::ChatVisibilityChanged { .. } => "ChatVisibilityChanged",
            Event::ChatUserJoined { .. } => "ChatUserJoined",
            Event::ChatUserParted { .. } => "ChatUserParted",
            Event::ChatUserRenamed { .. } => "ChatUserRenamed",
            Event::FediverseFollowed { .. } => "FediverseFollowed",
            Event::FediverseLiked { .. } => "FediverseLiked",
            Event::FediverseReposted { .. } => "FediverseReposted",
            Event::FediverseQuoted { .. } => "FediverseQuoted",
            Event::FediverseReplied { .. } => "FediverseReplied",
            Event::FediverseMentioned { .. } => "FediverseMentioned",
            Event::FediverseActivityReceived { .. } => "FediverseActivityReceived",
            Event::ChatNoticePosted { .. } => "ChatNoticePosted",
            Event::ChatUserChanged { .. } => "ChatUserChanged",
            Event::ChatUserRemoved { .. } => "ChatUserRemoved",
            Event::ChatAddressBansChanged { .. } => "ChatAddressBansChanged",
            Event::ChatTokenRevoked { .. } => "ChatTokenRevoked",
            Event::ChatTokenReidentified { .. } => "ChatTokenReidentified",
            Event::ChatConnectionClosed { .. } => "ChatConnectionClosed",
            Event::ChatPinChanged => "ChatPinChanged",
            Event::ChatLinesForgotten { .. } => "ChatLinesForgotten",
            Event::Unknown => "Unknown",
        }
    }

    /// Whether only other servers on the same database need it: it tells them to do what the server that wrote it has
    /// done by itself. A server that is alone does not log it.
    pub fn is_internal(&self) -> bool {
        matches!(
            self,
            Event::ChatNoticePosted { .. }
                | Event::ChatUserChanged { .. }
                | Event::ChatUserRemoved { .. }
                | Event::ChatAddressBansChanged { .. }
                | Event::ChatTokenRevoked { .. }
                | Event::ChatTokenReidentified { .. }
                | Event::ChatConnectionClosed { .. }
                | Event::ChatPinChanged
                | Event::ChatLinesForgotten { .. }
        )
    }
}

/// An event with its position in the durable log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Position in the log; it grows and is never reused. Resume ids are made from it.
    pub seq: i64,
    /// When it was committed.
    pub at: Timestamp,
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fediverse::Visibility;

    fn somebody() -> ChatUser {
        ChatUser {
            id: crate::UserId::parse("u1").unwrap(),
            display_name: "ada".into(),
            display_color: 3,
            created_at: Timestamp::UNIX_EPOCH,
            previous_names: vec!["ada".into()],
            name_changed_at: None,
            is_bot: false,
            is_authenticated: false,
            is_moderator: true,
        }
    }

    fn alice() -> RemoteActor {
        RemoteActor {
            iri: "https://remote.example/users/alice".into(),
            name: "Alice".into(),
            handle: "@alice@remote.example".into(),
            url: None,
            image: None,
        }
    }

    fn post() -> RemotePost {
        RemotePost {
            actor: alice(),
            content: "<p>hi</p>".into(),
            content_text: "hi".into(),
            url: "https://remote.example/1".into(),
            posted_at: None,
            in_reply_to: None,
            attachments: vec![],
            language: None,
            visibility: Visibility::Public,
        }
    }

    fn internal() -> [Event; 9] {
        let token = || TokenId::parse("t1").unwrap();
        let user = || UserId::parse("u1").unwrap();
        [
            Event::ChatNoticePosted {
                id: MessageId::parse("m1").unwrap(),
            },
            Event::ChatUserChanged { user: user() },
            Event::ChatUserRemoved {
                user: user(),
                ids: vec![],
            },
            Event::ChatAddressBansChanged {
                banned: Some("192.0.2.1".into()),
            },
            Event::ChatTokenRevoked { token: token() },
            Event::ChatTokenReidentified {
                token: token(),
                name: "ada".into(),
            },
            Event::ChatConnectionClosed { client_id: 7 },
            Event::ChatPinChanged,
            Event::ChatLinesForgotten {
                before: Timestamp::UNIX_EPOCH,
            },
        ]
    }

    #[test]
    fn what_only_other_servers_need_is_internal_and_forgotten_with_the_chat() {
        for event in internal() {
            assert!(event.is_internal(), "{event:?}");
            // The log is pruned by this beginning of the name.
            assert!(event.kind().starts_with("Chat"), "{event:?}");
        }
        let renamed = Event::ChatUserRenamed {
            user: somebody(),
            old_name: "b".into(),
            client_id: 1,
        };
        assert!(!renamed.is_internal());
    }

    #[test]
    fn what_was_logged_can_be_read_again() {
        let event = Event::ChatMessagePosted {
            id: MessageId::parse("m1").unwrap(),
            user: somebody(),
            body: "<p>hi</p>".into(),
            raw_body: "hi".into(),
            client_id: 7,
            reply: Some(Reply {
                id: MessageId::parse("m0").unwrap(),
                display_name: "bo".into(),
                excerpt: "who is there?".into(),
            }),
        };
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
    }

    #[test]
    fn a_fact_of_an_older_version_can_be_read() {
        let older = r#"{"kind":"ChatVisibilityChanged","ids":[],"visible":true}"#;
        let event = Event::ChatVisibilityChanged {
            ids: vec![],
            visible: true,
            moderator: None,
        };
        assert_eq!(serde_json::from_str::<Event>(older).unwrap(), event);
        assert_eq!(serde_json::to_string(&event).unwrap(), older);
    }

    #[test]
    fn a_fact_of_a_newer_version_is_passed_over() {
        let newer = r#"{"kind":"MoonLanded","crew":3}"#;
        assert_eq!(
            serde_json::from_str::<Event>(newer).unwrap(),
            Event::Unknown
        );
    }

    #[test]
    fn a_coming_of_which_nothing_else_is_said_was_while_a_stream_was_live() {
        let joined = |is_live| Event::ChatUserJoined {
            user: somebody(),
            client_id: 1,
            is_live,
        };
        let written = serde_json::to_value(joined(true)).unwrap();
        assert_eq!(written.get("isLive"), None);
        assert_eq!(
            serde_json::from_value::<Event>(written).unwrap(),
            joined(true)
        );
        let written = serde_json::to_value(joined(false)).unwrap();
        assert_eq!(written["isLive"], false);
        assert_eq!(
            serde_json::from_value::<Event>(written).unwrap(),
            joined(false)
        );
    }

    #[test]
    fn the_kind_column_equals_the_json_tag() {
        for event in [
            Event::SetupCompleted,
            Event::AdminPasswordChanged,
            Event::AdminSignedInByLink {
                address: "192.0.2.1".into(),
            },
            Event::SettingChanged { key: "name".into() },
            Event::StreamStarted {
                id: "1".into(),
                title: String::new(),
            },
            Event::StreamStopped { id: "1".into() },
            Event::StreamTitleChanged {
                title: "new".into(),
            },
            Event::RecordingStarted {
                id: "00112233aabbccdd".into(),
                title: "new".into(),
                visibility: crate::recording::Visibility::Unlisted,
            },
            Event::RecordingFinished {
                id: "00112233aabbccdd".into(),
                title: "new".into(),
                visibility: crate::recording::Visibility::Private,
                duration_ms: 1500,
            },
            Event::RecordingPublished {
                id: "00112233aabbccdd".into(),
                title: "new".into(),
                duration_ms: 1500,
            },
            Event::ChatVisibilityChanged {
                ids: vec![],
                visible: true,
                moderator: None,
            },
            Event::ChatUserJoined {
                user: somebody(),
                client_id: 1,
                is_live: false,
            },
            Event::ChatUserParted {
                user: somebody(),
                client_id: 1,
            },
            Event::ChatUserRenamed {
                user: somebody(),
                old_name: "b".into(),
                client_id: 1,
            },
            Event::FediverseFollowed {
                actor: alice(),
                is_pending: true,
            },
            Event::FediverseLiked {
                actor: alice(),
                target: "t".into(),
                is_live_notification: true,
            },
            Event::FediverseReposted {
                actor: alice(),
                target: "t".into(),
                is_live_notification: false,
            },
            Event::FediverseQuoted {
                actor: alice(),
                target: "t".into(),
                url: "u".into(),
            },
            Event::FediverseReplied { post: post() },
            Event::FediverseMentioned { post: post() },
            Event::FediverseActivityReceived { json: "{}".into() },
        ]
        .into_iter()
        .chain(internal())
        {
            let json = serde_json::to_value(&event).unwrap();
            assert_eq!(json["kind"], event.kind());
            assert_eq!(serde_json::from_value::<Event>(json).unwrap(), event);
        }
    }
}
