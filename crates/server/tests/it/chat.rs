//! The chat over real sockets: people join, talk, are moderated and reconnect.

pub(crate) mod chatter;
pub(crate) mod events;
mod fallback;
mod limits;
mod moderation;
mod moderators;
mod resume;
mod rules;
