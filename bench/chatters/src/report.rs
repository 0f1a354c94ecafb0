//! What the clients received, in numbers.

use std::collections::HashSet;
use std::time::Duration;

use crate::tally::{Complaints, Lags};

#[derive(Debug, Default)]
pub struct Report {
    pub sockets: usize,
    pub measured: Duration,
    pub sent: usize,
    pub heard: u64,
    pub lost: u64,
    pub doubled: u64,
    /// One hash for each order in which a client received the lines.
    pub orders: HashSet<u64>,
    pub complaints: Complaints,
    /// Of lines, or of connecting.
    pub lags: Lags,
    /// Of lines that were said at another machine.
    pub far_lags: Lags,
}

impl Report {
    pub fn into_json(mut self) -> String {
        format!(
            "{{\"sockets\": {}, \"seconds\": {:.3}, \"sent\": {}, \"heard\": {}, \"lost\": {}, \"doubled\": {}, \
             \"orders\": {}, \"errors\": {}, \"lag_ms\": {}, \"far_lag_ms\": {}, \"complaints\": {}}}",
            self.sockets,
            self.measured.as_secs_f64(),
            self.sent,
            self.heard,
            self.lost,
            self.doubled,
            self.orders.len(),
            self.complaints.count,
            self.lags.json(),
            self.far_lags.json(),
            self.complaints.json(),
        )
    }
}
