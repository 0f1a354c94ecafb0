//! The integrations API: tokens, the ten endpoints, and what bots hear.

mod bot;
mod effects;
mod events;
mod scopes;
mod tokens;
