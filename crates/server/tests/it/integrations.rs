//! The integrations API: tokens, the ten endpoints, and the events for bots.

pub(crate) mod bot;
mod effects;
mod events;
mod fediverse;
mod scopes;
mod tokens;
