//! The events of the server itself.

/// Events of the server itself; a plugin whose slug and word make up one of them is not heard.
pub const BUILT_IN: [&str; 23] = [
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
    "recording.started",
    "recording.finished",
    "recording.published",
];

/// Whether an event is built in.
#[must_use]
pub fn is_built_in(event: &str) -> bool {
    BUILT_IN.contains(&event)
}
