//! The chat over real sockets: people join, talk, are moderated and reconnect.

pub(crate) mod chatter;
pub(crate) mod events;
mod fallback;
mod limits;
mod moderation;
mod moderators;
mod operator;
mod own_lines;
mod pins;
mod resume;
mod rules;
