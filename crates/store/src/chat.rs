//! Stored chat data: lines, who may not write, and what moderators did.

mod bans;
mod counts;
mod export;
mod hidden;
mod hiding;
mod invitations;
mod log;
mod messages;
pub(crate) mod operator;
mod own_lines;
pub(crate) mod people;
mod pins;
mod pruning;
mod refusal;
mod replay;
mod sanctioned;
mod sanctions;

pub use bans::AddressBan;
pub use counts::ChatCounts;
pub use export::ExportedMessage;
pub use invitations::{MAX_INVITATIONS, ModeratorInvitation};
pub(crate) use log::note_restriction;
pub use log::{Action, Actor, LogEntry};
pub use messages::{Card, ChatMessage, MessageKind, NewMessage, Reply};
pub use own_lines::OwnDeletion;
pub use people::{AttachedIdentity, MAX_PAGE, RenameResult, UserFilter, UserPage};
pub use pins::PinnedMessage;
pub use refusal::{LineGap, PostResult};
pub use replay::ReplayCursor;
