//! Events that plugins send each other.

use super::listener::{EventDelivery, RunningPlugins, broadcast};
use crate::host::EmittedEvent;

/// Events of the server itself; a plugin whose slug and word make up one of them is not heard.
pub const BUILT_IN: [&str; 20] = [
    "chat.message.received",
    "chat.user.joined",
    "chat.user.parted",
    "chat.user.renamed",
    "chat.message.moderated",
    "chat.command",
    "stream.started",
    "stream.stopped",
    "stream.title.changed",
    "sse.connect",
    "sse.disconnect",
    "tick",
    "timer.fire",
    "fediverse.activity",
    "fediverse.follow",
    "fediverse.like",
    "fediverse.repost",
    "fediverse.quote",
    "fediverse.mention",
    "fediverse.reply",
];

/// Whether an event is built in.
#[must_use]
pub fn is_built_in(event: &str) -> bool {
    BUILT_IN.contains(&event)
}

/// Delivers an emitted event to all other plugins that subscribed to it.
///
/// The name is already prefixed with the emitting plugin's slug, and the nesting depth was checked on emission.
pub fn relay(plugins: &dyn RunningPlugins, emitted: &EmittedEvent) {
    let (plugin, event) = (&*emitted.slug, &*emitted.event_type);
    if is_built_in(event) {
        return;
    }
    tracing::debug!(
        plugin,
        event,
        payload = emitted.payload,
        "a plugin emitted an event"
    );
    match EventDelivery::emitted(event, &emitted.payload, emitted.depth) {
        Some(delivery) => broadcast(plugins, &delivery, Some(plugin)),
        None => tracing::debug!(
            plugin,
            event,
            "dropped an emitted event: its payload is not JSON"
        ),
    }
}

#[cfg(test)]
mod tests;
