//! What the chat keeps: lines, who may not write, and what moderators did.

mod bans;
mod counts;
mod log;
mod messages;
pub(crate) mod people;
mod refusal;
mod sanctions;

pub use bans::AddressBan;
pub use counts::ChatCounts;
pub use log::{Action, Actor, LogEntry};
pub use messages::{Card, Message, MessageKind, NewMessage, Posting, Reply};
pub use people::{Attached, MAX_PAGE, Page, Renaming, UserFilter};
