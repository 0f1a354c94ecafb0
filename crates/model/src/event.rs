//! Facts rooms tell each other, in the past tense.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Something that happened and was committed.
///
/// The JSON form is what the durable log stores; adding a variant or an optional field is safe, renaming one is a
/// change to stored data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Event {
    /// The first admin password was set through the setup link.
    SetupCompleted,
    /// The admin password was replaced.
    AdminPasswordChanged,
    /// A setting got a new value; secrets are named, never carried.
    SettingChanged {
        /// The setting's key in the table.
        key: String,
    },
    /// A broadcast went live: its first part can be played. Once per broadcast, however often the publisher reconnects.
    StreamStarted {
        /// The broadcast in the history.
        id: String,
        /// The stream's title at that moment.
        title: String,
    },
    /// A broadcast is over. Once per broadcast.
    StreamStopped {
        /// The broadcast in the history.
        id: String,
    },
    /// The stream got another title.
    StreamTitleChanged {
        /// The new one.
        title: String,
    },
}

impl Event {
    /// The stable name of the variant, stored in a column of its own.
    pub fn kind(&self) -> &'static str {
        match self {
            Event::SetupCompleted => "SetupCompleted",
            Event::AdminPasswordChanged => "AdminPasswordChanged",
            Event::SettingChanged { .. } => "SettingChanged",
            Event::StreamStarted { .. } => "StreamStarted",
            Event::StreamStopped { .. } => "StreamStopped",
            Event::StreamTitleChanged { .. } => "StreamTitleChanged",
        }
    }
}

/// An event with its place in the durable log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Position in the log; grows, never reused. Resume ids are made of it.
    pub seq: i64,
    /// When it was committed.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_column_equals_the_json_tag() {
        for event in [
            Event::SetupCompleted,
            Event::AdminPasswordChanged,
            Event::SettingChanged { key: "name".into() },
            Event::StreamStarted {
                id: "1".into(),
                title: String::new(),
            },
            Event::StreamStopped { id: "1".into() },
            Event::StreamTitleChanged {
                title: "new".into(),
            },
        ] {
            let json = serde_json::to_value(&event).unwrap();
            assert_eq!(json["kind"], event.kind());
        }
    }
}
