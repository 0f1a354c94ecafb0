//! Chat events. Their wire format is not part of this crate.

use std::fmt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use model::MessageId;
use model::chat::ChatUser;
use model::sentence::Sentence;
use store::{Card, MessageKind, Reply};

use crate::listener_state::ListenerState;
use crate::pins::PinnedLine;

/// Why somebody gets a private message; pages show some of them in a special way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Too many messages at once: everything is dropped for a while.
    Flood,
    /// A moderator has timed them out, for so many more seconds.
    Muted(Option<u64>),
    /// The next line has to wait this many seconds.
    SlowMode(u64),
    /// The line waits for a moderator.
    Held,
    /// The line was rejected; the text says why.
    Refused,
    /// The line was rejected for this word of the operator's or our list.
    BlockedWord(String),
    /// The name was rejected; the text says why.
    Name,
}

/// An event for everybody in the room, or for one client.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatEvent {
    /// The line's id, or one of this announcement.
    pub id: MessageId,
    pub at: Timestamp,
    pub kind: ChatEventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatEventKind {
    /// Tells a listener privately who they are.
    Identity(Box<ListenerState>),
    /// Somebody joined.
    Joined(Arc<ChatUser>),
    /// Somebody left.
    Parted(Arc<ChatUser>),
    /// Somebody changed their name.
    Renamed {
        /// With the new name.
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
    /// A message from the server.
    System {
        /// HTML.
        body: String,
        server_name: String,
    },
    /// An action.
    Action {
        /// The bot that acted, if any; the body names it too.
        user: Option<Arc<ChatUser>>,
        /// HTML.
        body: String,
        /// If set, the event is private, for this reason.
        notice: Option<Notice>,
        /// What the room itself says, for pages in other languages.
        sentence: Option<Sentence>,
    },
    /// Somebody on the Fediverse followed, liked or shared.
    Engagement {
        kind: MessageKind,
        /// HTML.
        body: String,
        card: Card,
        server_name: String,
    },
    /// This line stands above the chat now, or none.
    Pinned(Option<Arc<PinnedLine>>),
    /// Lines were hidden or restored.
    Visibility {
        ids: Vec<MessageId>,
        /// Whether they are visible now.
        visible: bool,
        /// Their author deleted them: nobody can show them again.
        by_author: bool,
    },
    /// The listener is banned; private, and their last event.
    Banned {
        /// What the moderator wrote about it.
        reason: Option<String>,
        /// When it is over.
        until: Option<Timestamp>,
    },
}

/// Encodes an event as one frame for all listeners.
pub type Encode = fn(&ChatEvent) -> Bytes;

/// Appends one such frame to others in socket framing.
pub type Wrap = fn(&[u8], &mut BytesMut);

/// Why a listener's connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// They read too slowly.
    TooSlow,
    /// They were removed, or their identity is no longer valid.
    Removed,
    /// Their identity has changed, or ended, and they have to reconnect.
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
    /// The matching WebSocket close code.
    pub fn code(self) -> u16 {
        match self {
            CloseReason::TooSlow => 1013,
            CloseReason::Removed => 1008,
            CloseReason::Changed => 1012,
            CloseReason::Stopping => 1001,
        }
    }
}
