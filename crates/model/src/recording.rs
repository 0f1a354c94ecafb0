//! Recordings of broadcasts: what they are called, and what may be done with them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Digits of an id.
const ID_DIGITS: usize = 16;

/// The id of a recording: 16 hexadecimal digits, drawn for it alone. It is not the broadcast's, which others know, so an
/// unlisted recording is found by nobody who was not given its address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordingId(String);

impl RecordingId {
    /// `None` unless it is 16 lower-case hexadecimal digits, so an id is always a safe name of a folder.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_id = text.len() == ID_DIGITS && text.bytes().all(is_digit);
        is_id.then(|| Self(text.to_owned()))
    }

    /// The id with these bytes, which the caller has drawn at random.
    pub fn from_random(bytes: [u8; ID_DIGITS / 2]) -> Self {
        Self(format!("{:016x}", u64::from_be_bytes(bytes)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RecordingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a recording is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingState {
    /// Kept only to go back in the live stream; it goes with the broadcast unless it is made a recording.
    Ring,
    /// The broadcast is being recorded.
    Recording,
    /// Complete.
    Finished,
    /// Nobody sees it any more; its files go.
    Deleting,
}

impl RecordingState {
    const ALL: [Self; 4] = [Self::Ring, Self::Recording, Self::Finished, Self::Deleting];

    /// The name in the database and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Recording => "recording",
            Self::Finished => "finished",
            Self::Deleting => "deleting",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// Who may watch a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everybody; it is in the list.
    Public,
    /// Everybody who knows its address.
    #[default]
    Unlisted,
    /// The operator.
    Private,
}

impl Visibility {
    const ALL: [Self; 3] = [Self::Public, Self::Unlisted, Self::Private];

    /// The name in settings, in the database and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::Private => "private",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|visibility| visibility.name() == name)
    }
}

/// Which broadcasts are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordingMode {
    /// None, unless the operator says so while one is on.
    #[default]
    Off,
    /// All.
    On,
    /// Those that are sent with a key that says so.
    ByKey,
}

impl RecordingMode {
    /// Whether a broadcast is recorded from its beginning; `key_records` is what the publisher's key says.
    pub fn records(self, key_records: bool) -> bool {
        match self {
            Self::Off => false,
            Self::On => true,
            Self::ByKey => key_records,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_sixteen_lower_case_digits_and_nothing_else() {
        for good in ["0123456789abcdef", "0000000000000000"] {
            assert_eq!(RecordingId::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "0123456789abcde",
            "0123456789abcdef0",
            "0123456789ABCDEF",
            "../../etc/passwd",
            "0123456789abcde/",
            "0123456789abcdeg",
            "ääääääää",
        ] {
            assert_eq!(RecordingId::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn an_id_made_of_random_bytes_is_an_id() {
        for bytes in [[0; 8], [255; 8], [1, 2, 3, 4, 5, 6, 7, 8]] {
            let id = RecordingId::from_random(bytes);
            assert_eq!(RecordingId::parse(id.as_str()), Some(id));
        }
    }

    #[test]
    fn states_and_visibilities_read_back_from_their_names() {
        for state in RecordingState::ALL {
            assert_eq!(RecordingState::parse(state.name()), Some(state));
        }
        for visibility in Visibility::ALL {
            assert_eq!(Visibility::parse(visibility.name()), Some(visibility));
            let json = serde_json::to_value(visibility).unwrap();
            assert_eq!(json, visibility.name());
        }
        assert_eq!(Visibility::parse("Public"), None);
    }

    #[test]
    fn by_key_records_what_is_sent_with_a_key_that_says_so() {
        let mode = |name: &str| serde_json::from_value::<RecordingMode>(name.into()).unwrap();
        assert!(!mode("off").records(true));
        assert!(mode("on").records(false));
        assert!(mode("by_key").records(true));
        assert!(!mode("by_key").records(false));
    }
}
