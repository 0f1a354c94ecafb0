//! The report for the operator.

use std::net::SocketAddr;

use jiff::Timestamp;
use model::StreamState;

use super::diagnosis::Advice;
use super::health::InboundSample;
use crate::hls::{LatencyLevel, Targets, Tracks};

/// The current publisher.
#[derive(Clone, Debug)]
pub struct PublisherInfo {
    pub peer: SocketAddr,
    /// The software it names.
    pub encoder: String,
    /// The operator's name for the key it used.
    pub key_name: String,
    /// Whether what is sent with that key is to be recorded.
    pub is_recorded: bool,
    /// Whether it uses TLS.
    pub is_tls: bool,
    pub since: Timestamp,
}

#[derive(Clone, Debug)]
pub struct SessionInfo {
    /// The id in the history.
    pub id: String,
    /// When it went live.
    pub started_at: Timestamp,
    /// Most viewers at once.
    pub peak_viewers: u32,
    /// The latency level.
    pub level: LatencyLevel,
}

/// Everything about the broadcast at one moment.
#[derive(Clone, Debug)]
pub struct BroadcastReport {
    /// Offline, live, or waiting for the publisher to come back.
    pub state: StreamState,
    /// The broadcast, if any.
    pub session: Option<SessionInfo>,
    /// The publisher, if connected.
    pub publisher: Option<PublisherInfo>,
    /// When somebody last tried to publish with a wrong stream key.
    pub wrong_key_at: Option<Timestamp>,
    pub tracks: Tracks,
    /// The durations promised to players.
    pub targets: Option<Targets>,
    /// One sample per second, newest last.
    pub inbound: Vec<InboundSample>,
    /// Distance between the last two key frames, in milliseconds.
    pub key_interval_ms: Option<u32>,
    /// Suggestions for improvement.
    pub advice: Vec<Advice>,
}
