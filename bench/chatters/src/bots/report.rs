//! What the bots saw, in numbers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::calls::{CALLS, Call};
use crate::tally::{Complaints, Lags};

#[derive(Debug, Default)]
pub struct Report {
    pub measured: Duration,
    /// Calls that were made or should have been.
    pub calls: usize,
    pub statuses: BTreeMap<u16, u64>,
    /// Calls that were not answered with 200, and connections that were lost.
    pub complaints: Complaints,
    /// From the moment a call was due to the end of its answer.
    lags: Lags,
    lags_by_call: BTreeMap<&'static str, Lags>,
    /// The part of it that is ours: how late calls were made by a bot that was free.
    pub own: Lags,
    pub chat: ChannelReport,
    pub events: ChannelReport,
}

/// What the listeners of one channel received.
#[derive(Debug, Default)]
pub struct ChannelReport {
    pub sockets: usize,
    /// Lines that were accepted and are for them.
    pub lines: usize,
    pub heard: u64,
    pub lost: u64,
    pub doubled: u64,
    /// From the moment the line was due to the moment it was received.
    pub lags: Lags,
}

impl Report {
    pub fn lag(&mut self, call: Call, lag: Duration) {
        self.lags.add(lag);
        self.lags_by_call.entry(call.name()).or_default().add(lag);
    }

    pub fn into_json(mut self) -> String {
        let mut statuses = String::new();
        for (status, count) in &self.statuses {
            let comma = if statuses.is_empty() { "" } else { ", " };
            let _ = write!(statuses, "{comma}\"{status}\": {count}");
        }
        let mut by_call = String::new();
        for call in CALLS {
            let comma = if by_call.is_empty() { "" } else { ", " };
            let lags = self.lags_by_call.entry(call.name()).or_default().json();
            let _ = write!(by_call, "{comma}\"{}\": {lags}", call.name());
        }
        format!(
            "{{\"seconds\": {:.3}, \"calls\": {}, \"errors\": {}, \"statuses\": {{{statuses}}}, \"lag_ms\": {}, \
             \"by_call_ms\": {{{by_call}}}, \"own_ms\": {}, \"chat\": {}, \"events\": {}, \"complaints\": {}}}",
            self.measured.as_secs_f64(),
            self.calls,
            self.complaints.count,
            self.lags.json(),
            self.own.json(),
            self.chat.json(),
            self.events.json(),
            self.complaints.json(),
        )
    }
}

impl ChannelReport {
    fn json(&mut self) -> String {
        format!(
            "{{\"sockets\": {}, \"lines\": {}, \"heard\": {}, \"lost\": {}, \"doubled\": {}, \"lag_ms\": {}}}",
            self.sockets,
            self.lines,
            self.heard,
            self.lost,
            self.doubled,
            self.lags.json(),
        )
    }
}
