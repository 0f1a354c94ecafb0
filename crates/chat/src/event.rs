//! The events of the chat. How they are written on the wire is not the business of this crate.

use std::fmt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use model::MessageId;
use model::chat::ChatUser;
use store::{Card, MessageKind, Reply};

/// Why somebody is told something in private; pages show some of them in a way of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Too much at once: everything is dropped for a while.
    Flood,
    /// A moderator has silenced them.
    Muted,
    /// The next line has to wait this many seconds.
    SlowMode(u64),
    /// The line waits for a moderator.
    Held,
    /// The line was not taken; the text says why.
    Refused,
    /// The name was not taken; the text says why.
    Name,
}

/// An event for everybody in the room, or for one client.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatEvent {
    /// Of the line, or of this announcement alone.
    pub id: MessageId,
    pub at: Timestamp,
    pub kind: ChatEventKind,
}

/// What an event is about.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatEventKind {
    /// Who the listener is; in private.
    Identity(Arc<ChatUser>),
    /// Somebody came in.
    Joined(Arc<ChatUser>),
    /// Somebody left.
    Parted(Arc<ChatUser>),
    /// Somebody took another name.
    Renamed {
        /// With the new one.
        user: Arc<ChatUser>,
        old_name: String,
    },
    /// Somebody wrote.
    Line {
        user: Arc<ChatUser>,
        /// Sanitised HTML.
        body: String,
        reply: Option<Reply>,
    },
    /// The server says something.
    System {
        /// HTML.
        body: String,
        server_name: String,
    },
    /// Something happened.
    Action {
        /// The bot that did it, if one did; the body names it too.
        user: Option<Arc<ChatUser>>,
        /// HTML.
        body: String,
        /// In private, and why.
        notice: Option<Notice>,
    },
    /// Somebody on the Fediverse took an interest.
    Engagement {
        kind: MessageKind,
        /// HTML.
        body: String,
        card: Card,
        server_name: String,
    },
    /// Lines were hidden or shown again.
    Visibility {
        ids: Vec<MessageId>,
        /// Whether they can be read now.
        visible: bool,
    },
    /// The listener is banned; in private, the last thing they hear.
    Banned,
}

/// Writes an event as one frame for all listeners.
pub type Encode = fn(&ChatEvent) -> Bytes;

/// Writes one such frame behind others, the way sockets carry it.
pub type Wrap = fn(&[u8], &mut BytesMut);

/// Why a listener's connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// They do not read fast enough.
    TooSlow,
    /// They are not wanted, or not who they said they are.
    Removed,
    /// They are somebody else now, and come in again as such.
    Changed,
    Stopping,
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CloseReason::TooSlow => "too slow",
            CloseReason::Removed => "removed",
            CloseReason::Changed => "come in again",
            CloseReason::Stopping => "the server stops",
        })
    }
}

impl CloseReason {
    /// The WebSocket close code that says it.
    pub fn code(self) -> u16 {
        match self {
            CloseReason::TooSlow => 1013,
            CloseReason::Removed => 1008,
            CloseReason::Changed => 1012,
            CloseReason::Stopping => 1001,
        }
    }
}
