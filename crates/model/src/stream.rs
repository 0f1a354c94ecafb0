//! What is known about the one stream.

use jiff::Timestamp;

/// The state of the stream as the page and the bots see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamStatus {
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
