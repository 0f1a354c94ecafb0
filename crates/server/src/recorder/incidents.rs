//! Decides what of a broadcast's troubles is worth remembering, without IO.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use media::stream::{Advice, AdviceLevel};
use media::transcoder::TranscoderReport;
use store::StreamIncident;

/// The same trouble is told again only if it was away for this long.
const CALM: Duration = Duration::from_secs(300);

/// What is being watched during one broadcast.
#[derive(Debug, Default)]
pub(super) struct IncidentWatch {
    /// Troubles by their names, and when each was last seen.
    troubles: BTreeMap<&'static str, Duration>,
    restarts: u64,
    /// Not yet taken.
    noted: Vec<(&'static str, String)>,
}

impl IncidentWatch {
    pub(super) fn restarted(&mut self) {
        self.noted.push(("server-restarted", String::new()));
    }

    pub(super) fn lost(&mut self) {
        self.noted.push(("publisher-lost", String::new()));
    }

    pub(super) fn returned(&mut self) {
        self.noted.push(("publisher-returned", String::new()));
    }

    /// Looks at what is wrong with the inbound stream.
    pub(super) fn judge(&mut self, advice: &[Advice], uptime: Duration) {
        for advice in advice {
            if advice.level == AdviceLevel::Warning {
                self.see(advice.code, || advice.message.clone(), uptime);
            }
        }
        self.troubles
            .retain(|_, seen| uptime.saturating_sub(*seen) < CALM);
    }

    pub(super) fn judge_encoder(&mut self, report: &TranscoderReport, uptime: Duration) {
        if report.hurries {
            self.see("encoder-behind", String::new, uptime);
        }
        // Another encoder of the same broadcast begins to count anew.
        let has_failed = report.restarts > self.restarts;
        self.restarts = report.restarts;
        if has_failed {
            let why = report.last_failure.as_ref();
            let why = why.map_or_else(String::new, ToString::to_string);
            self.noted.push(("encoder-restarted", why));
        }
    }

    fn see(&mut self, code: &'static str, message: impl FnOnce() -> String, uptime: Duration) {
        if self.troubles.insert(code, uptime).is_none() {
            self.noted.push((code, message()));
        }
    }

    /// What has come up since the last call.
    pub(super) fn take(&mut self, at: Timestamp) -> Vec<StreamIncident> {
        let noted = std::mem::take(&mut self.noted).into_iter();
        noted
            .map(|(code, message)| StreamIncident {
                at,
                code: code.into(),
                message,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(watch: &mut IncidentWatch) -> Vec<String> {
        let taken = watch.take(Timestamp::UNIX_EPOCH).into_iter();
        taken.map(|incident| incident.code).collect()
    }

    fn advice(level: AdviceLevel, code: &'static str) -> Advice {
        Advice {
            level,
            code,
            message: "why".into(),
            params: model::sentence::SentenceParams::new(),
        }
    }

    #[test]
    fn a_trouble_that_lasts_is_told_once_and_again_after_a_calm_time() {
        let mut watch = IncidentWatch::default();
        let second = Duration::from_secs;
        let found = [
            advice(AdviceLevel::Warning, "jitter"),
            advice(AdviceLevel::Info, "no-audio"),
        ];
        watch.judge(&found, second(1));
        assert_eq!(codes(&mut watch), ["jitter"]);
        watch.judge(&found, second(200));
        watch.judge(&[], second(400));
        watch.judge(&found, second(450));
        assert!(codes(&mut watch).is_empty());
        watch.judge(&[], second(750));
        watch.judge(&found, second(755));
        assert_eq!(codes(&mut watch), ["jitter"]);
    }

    #[test]
    fn every_restart_of_the_encoder_is_told_and_that_it_is_behind_once() {
        let mut watch = IncidentWatch::default();
        let mut report = TranscoderReport {
            is_running: true,
            hurries: true,
            behind_ms: 0,
            speed_percent: None,
            restarts: 0,
            last_failure: None,
        };
        watch.judge_encoder(&report, Duration::from_secs(1));
        watch.judge_encoder(&report, Duration::from_secs(6));
        assert_eq!(codes(&mut watch), ["encoder-behind"]);
        report.restarts = 2;
        watch.judge_encoder(&report, Duration::from_secs(11));
        report.restarts = 0;
        watch.judge_encoder(&report, Duration::from_secs(16));
        report.restarts = 1;
        watch.judge_encoder(&report, Duration::from_secs(21));
        assert_eq!(
            codes(&mut watch),
            ["encoder-restarted", "encoder-restarted"]
        );
    }
}
