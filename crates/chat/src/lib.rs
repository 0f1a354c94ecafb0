//! The chat room: who may say what, and who receives it.
//!
//! It owns the one conversation: the order of lines, connections, names and bans, what a line may contain and
//! how it is rendered, rate limits, and the history.
//!
//! It must not:
//!
//! - know sockets or HTTP: `web` owns the connections and the wire formats;
//! - know plugins or federation: filters reach it through [`MessageFilter`], which `server` implements, and facts
//!   leave it as `model::Event`;
//! - show a line to anybody before the store has committed it;
//! - keep an unbounded queue: a listener that cannot keep up is disconnected, and the others do not wait.
//!
//! Start with [`Room`], then `sender.rs` for the path of a line, then `room/task.rs` for who receives it.

mod announce;
pub mod emoji;
mod event;
mod everywhere;
mod filter;
#[doc(hidden)]
pub mod fuzzing;
mod ids;
mod listener_state;
mod member;
mod moderation;
pub mod names;
mod own_lines;
mod pins;
mod rate_limit;
pub mod render;
mod room;
mod rules;
mod sender;
pub mod sentences;
mod timeout_text;
mod word_filter;

pub use event::{ChatEvent, ChatEventKind, CloseReason, Encode, Notice, Wrap};
pub use everywhere::{PeopleNote, PeopleNoteKind, PersonMove};
pub use filter::{Draft, FILTER_BUDGET, FilterVerdict, MessageFilter, NoFilter};
pub use ids::{new_user_id, random_color, short_id};
pub use listener_state::ListenerState;
pub use model::chat::MAX_LINE_CHARS;
pub use moderation::{MAX_BAN, MAX_IDS, MAX_REASON_CHARS, MAX_TIMEOUT};
pub use own_lines::OWN_DELETION_WINDOW;
pub use pins::PinnedLine;
pub use room::{
    ClientReceiver, ConnectionInfo, DirectWriter, HISTORY, JoinRejection, JoinRequest,
    LISTENER_QUEUE, MAX_PER_ADDRESS, PastLine, RecvError, Room, RoomDeps, ToldElsewhere, Transport,
};
pub use rules::{AFTER_STREAM, is_open};
pub use sender::{ClientMessage, ClientSender};
