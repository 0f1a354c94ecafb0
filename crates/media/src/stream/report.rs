//! What the operator sees.

use std::net::SocketAddr;

use jiff::Timestamp;
use model::StreamState;

use super::diagnosis::Advice;
use super::health::InboundSample;
use crate::hls::{LatencyLevel, Targets, Tracks};

/// Who publishes.
#[derive(Clone, Debug)]
pub struct PublisherInfo {
    /// Where it comes from.
    pub peer: SocketAddr,
    /// What it says it is.
    pub encoder: String,
    /// The operator's name for the key it used.
    pub key_name: String,
    /// Over TLS.
    pub is_tls: bool,
    /// Since when.
    pub since: Timestamp,
}

/// The broadcast.
#[derive(Clone, Debug)]
pub struct SessionInfo {
    /// As in the history.
    pub id: String,
    /// When it went live.
    pub started_at: Timestamp,
    /// Most viewers at once.
    pub peak_viewers: u32,
    /// What it is kept short by.
    pub level: LatencyLevel,
}

/// Everything about the broadcast at one moment.
#[derive(Clone, Debug)]
pub struct BroadcastReport {
    /// Off, on, or waiting for the publisher to come back.
    pub state: StreamState,
    /// The broadcast, if there is one.
    pub session: Option<SessionInfo>,
    /// The publisher, if it is connected.
    pub publisher: Option<PublisherInfo>,
    pub tracks: Tracks,
    /// The promise made to players.
    pub targets: Option<Targets>,
    /// Second by second, newest last.
    pub inbound: Vec<InboundSample>,
    /// Distance between the last two key frames, in milliseconds.
    pub key_interval_ms: Option<u32>,
    /// What could be better.
    pub advice: Vec<Advice>,
}
