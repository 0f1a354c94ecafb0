//! The integrations API: what bots and overlays can do with an access token.

mod caller;
mod chat;
mod events;
mod server;

pub(crate) use caller::check;
pub(crate) use chat::{
    BotText, clients, history, say_action, say_as_bot, say_system, say_to_client, set_visibility,
    user_details, was_removed,
};
pub(crate) use events::open as listen;
pub(crate) use server::{TimedStatus, Title, set_title, status};
