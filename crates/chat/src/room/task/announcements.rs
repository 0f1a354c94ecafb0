//! Announcements by the room itself.

use crate::event::ChatEventKind;
use crate::render::escaped;

fn action(text: &str) -> ChatEventKind {
    ChatEventKind::Action {
        user: None,
        body: format!("<p>{text}</p>"),
        notice: None,
    }
}

pub(super) fn stream_starts() -> ChatEventKind {
    action("The stream is <strong>starting</strong>.")
}

pub(super) fn stream_ends() -> ChatEventKind {
    action("The stream has <strong>ended</strong>. Thank you for watching!")
}

pub(super) fn title_changed(title: &str) -> ChatEventKind {
    action(&format!(
        "The stream is now called <strong>{}</strong>.",
        escaped(title)
    ))
}

pub(super) fn removed(name: &str) -> ChatEventKind {
    action(&format!(
        "<strong>{}</strong> was removed from the chat.",
        escaped(name)
    ))
}

pub(super) fn signed_in(name: &str, known: &str) -> ChatEventKind {
    action(&format!(
        "<strong>{}</strong> has signed in as <strong>{}</strong>.",
        escaped(name),
        escaped(known)
    ))
}
