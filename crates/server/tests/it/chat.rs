//! The chat over real sockets: people come, talk, are moderated and come back.

pub(crate) mod chatter;
pub(crate) mod events;
mod fallback;
mod limits;
mod moderation;
mod resume;
mod rules;
