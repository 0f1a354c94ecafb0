//! The server's state, for bots and webhooks.

use jiff::Timestamp;
use model::settings::Layers;
use model::settings::table::STREAM_TITLE;
use model::{StreamState, StreamStatus, product};
use serde::Serialize;
use utoipa::ToSchema;

/// The server's state, for bots and webhooks. Unlike the public one it always tells how many watch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FullStatus {
    /// `null` while nothing is on.
    #[schema(required = true)]
    last_connect_time: Option<String>,
    /// `null` while a stream is on.
    #[schema(required = true)]
    last_disconnect_time: Option<String>,
    version_number: &'static str,
    stream_title: String,
    viewer_count: u32,
    overall_max_viewer_count: u32,
    session_max_viewer_count: u32,
    online: bool,
}

impl FullStatus {
    pub(crate) fn of(settings: &Layers, stream: &StreamStatus) -> Self {
        Self {
            last_connect_time: connected_since(stream),
            last_disconnect_time: disconnected_since(stream),
            version_number: product::VERSION,
            stream_title: settings.get(&STREAM_TITLE).clone(),
            viewer_count: stream.viewers,
            overall_max_viewer_count: stream.overall_peak,
            session_max_viewer_count: stream.session_peak,
            online: stream.is_online,
        }
    }
}

/// When the broadcast that is on began.
pub(crate) fn connected_since(stream: &StreamStatus) -> Option<String> {
    let is_on = stream.state != StreamState::Offline;
    stream.last_connect.filter(|_| is_on).map(whole_seconds)
}

/// When the last broadcast ended, unless one is on.
pub(crate) fn disconnected_since(stream: &StreamStatus) -> Option<String> {
    let is_off = stream.state == StreamState::Offline;
    stream.last_disconnect.filter(|_| is_off).map(whole_seconds)
}

fn whole_seconds(at: Timestamp) -> String {
    format!("{at:.0}")
}
