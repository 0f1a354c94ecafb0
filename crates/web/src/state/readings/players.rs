//! Playback reports of players, individually and in total.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use media::stream::ViewerId;

use crate::cmcd;

/// Players whose reports are kept; further ones are not heard.
const MAX_PLAYERS: usize = 5_000;
/// A player that has not reported for this long is forgotten.
const SILENCE: Duration = Duration::from_secs(120);
/// Between two looks for silent players while there is no room for more.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// For this long after an error a player counts as one that has trouble.
const TROUBLE: Duration = Duration::from_secs(120);
/// Errors or changes one report is believed; more counts as this.
const MAX_COUNT: u32 = 1000;

/// One report, however it arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayerReport {
    pub(crate) sequence: Option<u64>,
    pub(crate) state: Option<&'static str>,
    pub(crate) bandwidth_kbps: Option<f64>,
    pub(crate) latency_seconds: Option<f64>,
    pub(crate) download_seconds: Option<f64>,
    pub(crate) errors: u32,
    pub(crate) quality_changes: u32,
}

impl From<cmcd::CmcdReport> for PlayerReport {
    fn from(report: cmcd::CmcdReport) -> Self {
        Self {
            sequence: report.sequence,
            state: report.state,
            bandwidth_kbps: report.throughput_kbps,
            latency_seconds: report.latency_seconds,
            download_seconds: report.download_seconds,
            errors: report.errors,
            quality_changes: report.quality_changes,
        }
    }
}

/// The known state of one player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Playback {
    pub(crate) last_update: Timestamp,
    pub(crate) state: Option<&'static str>,
    pub(crate) bandwidth_kbps: Option<f64>,
    pub(crate) latency_seconds: Option<f64>,
    pub(crate) download_seconds: Option<f64>,
    pub(crate) error_count: u32,
    pub(crate) quality_changes: u32,
}

/// Minimum, median and maximum of the players' reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) lowest: f64,
    pub(crate) median: f64,
    pub(crate) highest: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        Some(Self {
            lowest: *values.first()?,
            median: *values.get(values.len() / 2)?,
            highest: *values.last()?,
        })
    }
}

/// All players at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VideoSample {
    /// Since the last sample.
    pub(crate) errors: u32,
    /// Since the last sample.
    pub(crate) quality_changes: u32,
    pub(crate) latency: Option<Spread>,
    pub(crate) download: Option<Spread>,
    pub(crate) bandwidth: Option<Spread>,
}

/// How many players report, and how many of them are fine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayerHealth {
    pub(crate) players: usize,
    pub(crate) without_trouble: usize,
    /// Of those with trouble, the ones whose connection is slower than the lowest quality.
    pub(crate) slow: usize,
    /// Errors since the player first reported.
    pub(crate) errors: u64,
}

#[derive(Debug)]
struct PlayerRecord {
    playback: Playback,
    heard: Duration,
    sequence: Option<u64>,
    last_error: Option<Duration>,
}

impl PlayerRecord {
    fn is_slower_than(&self, needed_kbps: Option<u32>) -> bool {
        let measured = self.playback.bandwidth_kbps;
        let pair = measured.zip(needed_kbps);
        pair.is_some_and(|(measured, needed)| measured < f64::from(needed))
    }
}

#[derive(Debug, Default)]
pub(super) struct Players {
    players: HashMap<ViewerId, PlayerRecord>,
    swept_at: Option<Duration>,
    errors: u32,
    quality_changes: u32,
}

impl Players {
    pub(super) fn note(
        &mut self,
        viewer: ViewerId,
        update: &PlayerReport,
        at: Timestamp,
        now: Duration,
    ) {
        if !self.players.contains_key(&viewer) && self.players.len() >= MAX_PLAYERS {
            // Sweeping all players on every report would be a way to keep the server busy.
            if self.swept_at.is_none_or(|at| now >= at + SWEEP_INTERVAL) {
                self.swept_at = Some(now);
                self.forget_silent(now);
            }
            if self.players.len() >= MAX_PLAYERS {
                return;
            }
        }
        let player = self.players.entry(viewer).or_insert(PlayerRecord {
            playback: Playback {
                last_update: at,
                state: None,
                bandwidth_kbps: None,
                latency_seconds: None,
                download_seconds: None,
                error_count: 0,
                quality_changes: 0,
            },
            heard: now,
            sequence: None,
            last_error: None,
        });
        player.heard = now;
        // A report that is resent because its sender missed our answer must not count twice.
        if update.sequence.is_some() && update.sequence == player.sequence {
            return;
        }
        player.sequence = update.sequence;
        let playback = &mut player.playback;
        playback.last_update = at;
        playback.state = update.state.or(playback.state);
        playback.bandwidth_kbps = update.bandwidth_kbps.or(playback.bandwidth_kbps);
        playback.latency_seconds = update.latency_seconds.or(playback.latency_seconds);
        playback.download_seconds = update.download_seconds.or(playback.download_seconds);
        let errors = update.errors.min(MAX_COUNT);
        let changes = update.quality_changes.min(MAX_COUNT);
        playback.error_count = playback.error_count.saturating_add(errors);
        playback.quality_changes = playback.quality_changes.saturating_add(changes);
        if errors > 0 {
            player.last_error = Some(now);
        }
        self.errors = self.errors.saturating_add(errors);
        self.quality_changes = self.quality_changes.saturating_add(changes);
    }

    /// One sample over all players; `None` if nobody reports.
    pub(super) fn sum_up(&mut self, now: Duration) -> Option<VideoSample> {
        self.forget_silent(now);
        let errors = std::mem::take(&mut self.errors);
        let quality_changes = std::mem::take(&mut self.quality_changes);
        if self.players.is_empty() {
            return None;
        }
        let of = |value: fn(&Playback) -> Option<f64>| {
            Spread::of(
                self.players
                    .values()
                    .filter_map(|player| value(&player.playback)),
            )
        };
        Some(VideoSample {
            errors,
            quality_changes,
            latency: of(|playback| playback.latency_seconds),
            download: of(|playback| playback.download_seconds),
            bandwidth: of(|playback| playback.bandwidth_kbps),
        })
    }

    pub(super) fn of(&self, viewer: ViewerId, now: Duration) -> Option<Playback> {
        let player = self.players.get(&viewer)?;
        (now.saturating_sub(player.heard) < SILENCE).then_some(player.playback)
    }

    /// `needed_kbps` is what the lowest quality takes.
    pub(super) fn health(&mut self, needed_kbps: Option<u32>, now: Duration) -> PlayerHealth {
        self.forget_silent(now);
        let mut health = PlayerHealth::default();
        for player in self.players.values() {
            health.players += 1;
            health.errors += u64::from(player.playback.error_count);
            let is_recent = |at: Duration| now.saturating_sub(at) < TROUBLE;
            if !player.last_error.is_some_and(is_recent) {
                health.without_trouble += 1;
            } else if player.is_slower_than(needed_kbps) {
                health.slow += 1;
            }
        }
        health
    }

    fn forget_silent(&mut self, now: Duration) {
        self.players
            .retain(|_, player| now.saturating_sub(player.heard) < SILENCE);
    }
}

#[cfg(test)]
mod tests {
    use media::stream::{ViewerRequest, Viewers};

    use super::*;

    fn viewer(viewers: &Viewers, number: u32) -> ViewerId {
        let address = std::net::Ipv4Addr::from_bits(number).into();
        let request = ViewerRequest {
            address,
            user_agent: b"",
            session: None,
        };
        viewers.note(&request, Duration::ZERO).unwrap()
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn note(players: &mut Players, viewer: ViewerId, update: &PlayerReport, seconds: u64) {
        players.note(viewer, update, Timestamp::UNIX_EPOCH, at(seconds));
    }

    #[test]
    fn players_are_summed_up_and_forgotten_when_they_fall_silent() {
        let (viewers, mut players) = (Viewers::default(), Players::default());
        assert_eq!(players.sum_up(at(0)), None);
        for (number, latency) in [(1, 2.0), (2, 9.0), (3, 4.0)] {
            let update = PlayerReport {
                latency_seconds: Some(latency),
                errors: number,
                ..PlayerReport::default()
            };
            note(&mut players, viewer(&viewers, number), &update, 1);
        }
        let sample = players.sum_up(at(60)).unwrap();
        let latency = sample.latency.unwrap();
        assert_eq!(
            (latency.lowest, latency.median, latency.highest),
            (2.0, 4.0, 9.0)
        );
        assert_eq!((sample.errors, sample.bandwidth), (6, None));
        assert_eq!(players.sum_up(at(61)).unwrap().errors, 0);
        assert_eq!(players.health(None, at(61)).without_trouble, 0);
        assert_eq!(players.sum_up(at(121)), None);
        assert_eq!(players.of(viewer(&viewers, 1), at(121)), None);
    }

    #[test]
    fn of_players_with_trouble_those_with_slow_connections_are_counted() {
        let (viewers, mut players) = (Viewers::default(), Players::default());
        for (number, bandwidth, errors) in [(1, 900.0, 1), (2, 5000.0, 1), (3, 900.0, 0)] {
            let update = PlayerReport {
                bandwidth_kbps: Some(bandwidth),
                errors,
                ..PlayerReport::default()
            };
            note(&mut players, viewer(&viewers, number), &update, 1);
        }
        let health = players.health(Some(2000), at(2));
        assert_eq!(
            (health.players, health.without_trouble, health.slow),
            (3, 1, 1)
        );
        assert_eq!(players.health(None, at(2)).slow, 0);
    }

    #[test]
    fn a_report_that_comes_twice_counts_once() {
        let (viewers, mut players) = (Viewers::default(), Players::default());
        let id = viewer(&viewers, 1);
        let update = PlayerReport {
            sequence: Some(4),
            errors: 1,
            ..PlayerReport::default()
        };
        note(&mut players, id, &update, 1);
        note(&mut players, id, &update, 2);
        assert_eq!(players.of(id, at(3)).unwrap().error_count, 1);
    }

    #[test]
    fn more_players_than_anybody_has_are_not_kept() {
        let (viewers, mut players) = (Viewers::default(), Players::default());
        for number in 0..=u32::try_from(MAX_PLAYERS).unwrap() {
            note(
                &mut players,
                viewer(&viewers, number),
                &PlayerReport::default(),
                1,
            );
        }
        assert_eq!(players.health(None, at(2)).players, MAX_PLAYERS);
        let late = viewer(&viewers, 1_000_000);
        note(&mut players, late, &PlayerReport::default(), 200);
        assert!(players.of(late, at(200)).is_some(), "room was made");
    }
}
