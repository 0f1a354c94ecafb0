//! Enumerated text values.

use media::stream::AdviceLevel;
use model::{Scope, StreamState};
use utoipa::openapi::schema::{Array, ArrayBuilder, Object, ObjectBuilder, Type};

fn one_of<const N: usize>(about: &str, words: [&str; N]) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(about))
        .enum_values(Some(words))
        .build()
}

/// What a stream does.
pub(crate) fn stream_state() -> Object {
    one_of(
        "`waiting` is for a publisher that was lost.",
        [
            StreamState::Offline,
            StreamState::Live,
            StreamState::Waiting,
        ]
        .map(StreamState::as_str),
    )
}

/// How serious a log line is.
pub(crate) fn log_level() -> Object {
    one_of("How serious it is.", ["debug", "info", "warning", "error"])
}

/// How serious a finding about the stream is.
pub(crate) fn finding_level() -> Object {
    one_of(
        "How serious it is.",
        [AdviceLevel::Info, AdviceLevel::Warning].map(AdviceLevel::as_str),
    )
}

/// Whether this machine can afford something.
pub(crate) fn verdict() -> Object {
    one_of(
        "Whether this machine can afford it: `free` needs no encoder, `tight` keeps up with nothing to spare.",
        ["free", "comfortable", "tight", "slow", "failed"],
    )
}

/// How a publisher is connected.
pub(crate) fn publishing() -> Object {
    one_of("How it is connected.", ["rtmp", "rtmps"])
}

/// How somebody is connected to the chat.
pub(crate) fn transport() -> Object {
    one_of("How it is connected.", ["websocket", "sse"])
}

/// Where a setting's value comes from.
pub(crate) fn source() -> Object {
    one_of(
        "Where the value comes from.",
        ["default", "database", "file", "environment", "flag"],
    )
}

/// When a setting takes effect.
pub(crate) fn applies() -> Object {
    one_of(
        "When a change takes effect: at once, or with the next stream.",
        ["now", "stream"],
    )
}

/// What an access token may do.
pub(crate) fn scopes() -> Array {
    let scope = one_of("What the token may do.", Scope::ALL.map(Scope::as_str));
    ArrayBuilder::new().items(scope).build()
}

/// What becomes of an announced stream.
pub(crate) fn event_status() -> Object {
    one_of("Whether it happens.", ["scheduled", "cancelled"])
}

/// What webhooks are told of.
pub(crate) fn events() -> Array {
    let event = one_of("What happened.", notify::EVENT_NAMES);
    ArrayBuilder::new().items(event).build()
}
