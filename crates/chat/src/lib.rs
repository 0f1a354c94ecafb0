//! The room: who may say what, and who hears it.
//!
//! It owns the one conversation: the order of its lines, who is connected, names and bans, what a line may contain and
//! how it is rendered, how often anybody may speak, and the history.
//!
//! What it must not do:
//!
//! - know sockets or HTTP: `web` owns the connections and the shapes on the wire;
//! - know plugins or federation: filters reach it through [`MessageFilter`], which `server` implements, and facts
//!   leave it as `model::Event`;
//! - show a line to anybody before the store has committed it;
//! - keep a queue without a bound: a listener that does not keep up is sent away, the others do not wait.
//!
//! Start with [`Room`], then `speaker.rs` for the way of a line, then `room/hall.rs` for who hears it.

mod announce;
pub mod emoji;
mod filter;
#[doc(hidden)]
pub mod fuzzing;
mod heard;
mod ids;
mod member;
mod moderation;
pub mod names;
mod pace;
pub mod render;
mod room;
mod rules;
mod speaker;
mod words;

pub use filter::{Draft, FILTER_BUDGET, MessageFilter, NoFilter, Verdict};
pub use heard::{Encode, Farewell, Heard, Notice, What, Wrap};
pub use ids::{new_user_id, random_color, short_id};
pub use model::chat::MAX_LINE_CHARS;
pub use moderation::{MAX_IDS, MAX_TIMEOUT};
pub use room::{
    Connection, Ear, Furniture, Guest, HISTORY, LISTENER_QUEUE, MAX_PER_ADDRESS, PastLine, Refusal,
    Room, Silence, Straight, Transport,
};
pub use rules::{AFTER_STREAM, is_open};
pub use speaker::{Said, Speaker};
