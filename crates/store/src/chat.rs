//! Stored chat data: lines, who may not write, and what moderators did.

mod bans;
mod counts;
mod export;
mod log;
mod messages;
pub(crate) mod people;
mod refusal;
mod sanctions;

pub use bans::AddressBan;
pub use counts::ChatCounts;
pub use export::ExportedMessage;
pub use log::{Action, Actor, LogEntry};
pub use messages::{Card, ChatMessage, MessageKind, NewMessage, PostResult, Reply};
pub use people::{AttachedIdentity, MAX_PAGE, RenameResult, UserFilter, UserPage};
