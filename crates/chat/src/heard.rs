//! What people in the room hear. How it is written on the wire is not the room's business.

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

/// One thing that is heard, by everybody or by one.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// Of the line, or of this announcement alone.
    pub id: MessageId,
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: What,
}

/// What is heard.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
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
        /// The former one.
        old_name: String,
    },
    /// Somebody wrote.
    Line {
        /// Who.
        user: Arc<ChatUser>,
        /// Sanitised HTML.
        body: String,
        /// What it answers.
        reply: Option<Reply>,
    },
    /// The server says something.
    System {
        /// HTML.
        body: String,
        /// The server's name.
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
        /// Which.
        kind: MessageKind,
        /// HTML.
        body: String,
        /// Who.
        card: Card,
        /// The server's name.
        server_name: String,
    },
    /// Lines were hidden or shown again.
    Visibility {
        /// Which.
        ids: Vec<MessageId>,
        /// Whether they can be read now.
        visible: bool,
    },
    /// The listener is banned; in private, the last thing they hear.
    Banned,
}

/// Writes what is heard as one frame for all listeners.
pub type Encode = fn(&Heard) -> Bytes;

/// Writes one such frame behind others, the way sockets carry it.
pub type Wrap = fn(&[u8], &mut BytesMut);

/// Why a listener's connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// They do not read fast enough.
    TooSlow,
    /// They are not wanted, or not who they said they are.
    Removed,
    /// They are somebody else now, and come in again as such.
    Changed,
    /// The server stops.
    Stopping,
}

impl fmt::Display for Farewell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Farewell::TooSlow => "too slow",
            Farewell::Removed => "removed",
            Farewell::Changed => "come in again",
            Farewell::Stopping => "the server stops",
        })
    }
}

impl Farewell {
    /// The WebSocket close code that says it.
    pub fn code(self) -> u16 {
        match self {
            Farewell::TooSlow => 1013,
            Farewell::Removed => 1008,
            Farewell::Changed => 1012,
            Farewell::Stopping => 1001,
        }
    }
}
