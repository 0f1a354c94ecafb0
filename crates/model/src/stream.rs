//! The state of the one stream.

use jiff::Timestamp;

/// The state of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamState {
    #[default]
    Offline,
    Live,
    /// The publisher was lost and may come back; the broadcast continues.
    Waiting,
}

impl StreamState {
    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            StreamState::Offline => "offline",
            StreamState::Live => "live",
            StreamState::Waiting => "waiting",
        }
    }
}

/// The stream's status as the page and bots see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamStatus {
    pub state: StreamState,
    /// True while parts of the stream are listed.
    pub is_online: bool,
    /// When the present or last broadcast began.
    pub last_connect: Option<Timestamp>,
    /// When the last broadcast ended.
    pub last_disconnect: Option<Timestamp>,
    /// Viewers right now.
    pub viewers: u32,
    /// Most viewers at once in this broadcast.
    pub session_peak: u32,
    /// Most viewers at once ever.
    pub overall_peak: u32,
}
