//! Events that plugins send each other.

use super::built_in::is_built_in;
use super::listener::{EventDelivery, RunningPlugins, broadcast};
use crate::host::EmittedEvent;

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
