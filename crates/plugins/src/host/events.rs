//! Events emitted by plugins.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::args;
use crate::dispatch::is_built_in;
use crate::host::plugin_host::{Host, Occasion};

/// Events of plugins that may cause one another in a row. One more is dropped and logged: plugins that answer each other's
/// events would go on for ever.
pub const MAX_EMIT_DEPTH: u8 = 8;

/// Bytes of a payload. A larger one is refused: every listener reads it into its own memory.
const MAX_PAYLOAD_BYTES: usize = 1024 * 1024;

/// Bytes of a name. A longer one is refused.
const MAX_NAME_BYTES: usize = 200;

/// An event for other plugins.
#[derive(Clone, Debug)]
pub struct EmittedEvent {
    pub slug: String,
    /// The full name: the slug, a dot, and the plugin's name for it.
    pub event_type: String,
    /// JSON text exactly as the plugin wrote it.
    pub payload: String,
    /// The number of emitted events in a row that led to it, including itself.
    pub depth: u8,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EmitArgs {
    #[serde(alias = "name", alias = "type", deserialize_with = "args::text")]
    event_type: String,
    payload: Option<Box<RawValue>>,
}

pub(super) async fn emit(host: &Host, args: &str) -> Result<String, String> {
    let EmitArgs {
        event_type,
        payload,
    } = args::read(args)?;
    let payload = payload.map_or_else(args::nothing, |json| json.get().to_owned());
    if event_type.is_empty() || event_type.len() > MAX_NAME_BYTES {
        return Err(format!(
            "eventType must have 1 to {MAX_NAME_BYTES} bytes, it has {}",
            event_type.len()
        ));
    }
    if payload.len() > MAX_PAYLOAD_BYTES {
        return Err(format!(
            "the payload has more than {MAX_PAYLOAD_BYTES} bytes"
        ));
    }
    let before = match host.occasion() {
        Occasion::Event { depth } => depth,
        Occasion::Other | Occasion::Http => 0,
    };
    if before >= MAX_EMIT_DEPTH {
        if host.may_log_refusal() {
            tracing::warn!(
                plugin = host.slug(),
                event = event_type,
                "dropped an event: {MAX_EMIT_DEPTH} emitted events in a row have led to it"
            );
        }
        return Err(format!(
            "dropped: {MAX_EMIT_DEPTH} emitted events in a row have led to this one"
        ));
    }
    let event_type = format!("{}.{event_type}", host.slug());
    // Nobody will receive it. The warning is logged here because only here is the plugin's log budget known.
    if is_built_in(&event_type) && host.may_log_refusal() {
        tracing::warn!(
            plugin = host.slug(),
            event = event_type,
            "dropped an emitted event: its name is one of the server's own"
        );
    }
    let event = EmittedEvent {
        slug: host.slug().to_owned(),
        event_type,
        payload,
        depth: before + 1,
    };
    host.parts.services.event_emitted(&event);
    host.parts.deliveries.emitted(event);
    Ok(args::nothing())
}
