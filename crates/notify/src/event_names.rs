//! The events a webhook can subscribe to, by their names on the wire.

/// Every name; clients of servers like this one know them, except for those about recordings, which are ours.
pub const EVENT_NAMES: [&str; 12] = [
    "CHAT",
    "NAME_CHANGE",
    "USER_JOINED",
    "USER_PARTED",
    "VISIBILITY-UPDATE",
    "STREAM_STARTED",
    "STREAM_STOPPED",
    "STREAM_TITLE_UPDATED",
    "FEDIVERSE_ENGAGEMENT_FOLLOW",
    "RECORDING_STARTED",
    "RECORDING_FINISHED",
    "RECORDING_PUBLISHED",
];

/// The event with this name, if it exists.
pub fn known_event(name: &str) -> Option<&'static str> {
    EVENT_NAMES.into_iter().find(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_by_its_exact_spelling() {
        for name in EVENT_NAMES {
            assert_eq!(known_event(name), Some(name));
        }
        for name in ["", "chat", "CHAT,", "PING", "FEDIVERSE_ENGAGEMENT_LIKE"] {
            assert_eq!(known_event(name), None, "{name}");
        }
    }
}
