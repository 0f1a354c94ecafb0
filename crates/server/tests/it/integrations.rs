//! The integrations API: tokens, the ten endpoints, and what bots hear.

pub(crate) mod bot;
mod effects;
mod events;
mod fediverse;
mod scopes;
mod tokens;
