//! Decides when the encoder is started, ended and restarted, and which of its outputs are offered to viewers.
//!
//! It knows no processes or pipes: it is told about input and output, and returns orders. Its caller must discard
//! everything that comes from a run after it was ended.
//!
//! An output is offered from its first key frame until its run ends, except while it is so far behind that players
//! would stall. Encoded sound is one of the outputs, and owes only sound, which a publisher may not send for hours. A
//! process that owes output and is silent, falls too far behind, exits or writes garbage is ended and restarted, after
//! a pause that doubles with every failure in a row. If the sound was the cause, pictures end up encoded without it.

mod blame;
mod failure;
mod input_progress;
mod output_progress;
mod speed;

use std::time::Duration;

use blame::{Blame, Fault};
pub use failure::Failure;
use input_progress::InputProgress;
use output_progress::{OutputProgress, given_to};
use speed::Speed;

/// Behind by this much in milliseconds, the encoder is given key frames only, until it has caught up.
const HURRY_MS: i64 = 2_000;
/// Less behind than this in milliseconds is caught up, and so is who owes a few pictures only.
const CAUGHT_UP_MS: i64 = 500;
/// Limit (broadcasters): how far behind live an encoded quality may fall; then it is hidden until it has caught up.
/// Players have as much in hand, and no more.
const HIDDEN_MS: i64 = 6_000;
/// Behind by this much in milliseconds, the encoder is ended: it will not catch up.
const HOPELESS_MS: i64 = 20_000;
/// A decoder may keep this many milliseconds of pictures for itself; only who owes more can be called silent.
const KEPT_MS: i64 = 3_000;
/// Pictures that a decoder may keep for itself: no codec puts more of them into another order. Who owes no more has
/// caught up, however long ago they were given: the next ones bring them out.
const KEPT_PICTURES: usize = 16;
/// Pictures that an encoder owes before it is behind, however long they last: more than it keeps when it has caught up,
/// or it would be behind again with the next one.
const BACKLOG_PICTURES: usize = 32;
/// Who owes this many milliseconds of pictures, when none come, does not just keep some for itself.
const STUCK_MS: i64 = 1_500;
/// How long an encoder may be silent once it owes more than a decoder keeps.
const SILENCE: Duration = Duration::from_secs(5);
/// How long it may take for its first words, which come after a look at what it is given.
const FIRST_WORDS: Duration = Duration::from_secs(15);
/// Pause after the first failure; it doubles with each that follows.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause after a failure.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A run of this length shows that the failures before it are over.
const STEADY: Duration = Duration::from_secs(60);

/// One run of the encoder; later runs have higher numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(u64);

/// What the encoder is fed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeedMode {
    /// Every frame.
    #[default]
    Everything,
    /// Key frames only, so that it can catch up. Feeding everything resumes at a key frame.
    KeyFrames,
}

/// An order to the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Start the encoder as this run, and feed it everything from the next key frame on.
    Start(RunId),
    /// End this run and all processes it has started, if it still runs.
    End(RunId),
    /// Offer this output. If its run is new, the rendition begins anew, after a gap.
    Show(usize, RunId),
    /// Stop offering this output.
    Hide(usize),
    /// Change what is fed.
    Feed(FeedMode),
}

/// The encoder's state, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscoderReport {
    /// Whether it runs, well or not.
    pub is_running: bool,
    /// Whether it is fed key frames only, because it is behind.
    pub hurries: bool,
    /// How far the slowest output is behind.
    pub behind_ms: i64,
    /// Encoded time per hundred seconds; 100 keeps up. `None` before it is measured.
    pub speed_percent: Option<u32>,
    /// Number of restarts.
    pub restarts: u64,
    /// The reason for the last restart.
    pub last_failure: Option<Failure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Resting { until: Duration },
    Running { since: Duration },
    Over,
}

/// What one encoder of a broadcast passes on to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestartHistory {
    /// No encoder may be started before this time.
    rests_until: Duration,
    failures: u32,
    blame: Blame,
}

impl RestartHistory {
    /// Records a start.
    pub fn begin(&mut self, now: Duration) {
        self.rests_until = now + SHORTEST_PAUSE;
    }

    /// How long the next start has to wait.
    pub fn rest(&self, now: Duration) -> Duration {
        self.rests_until.saturating_sub(now)
    }
}

/// Supervises the encoder of one broadcast.
#[derive(Debug)]
pub struct Supervisor {
    phase: Phase,
    run: RunId,
    outputs: Vec<OutputProgress>,
    given: Option<InputProgress>,
    sound_given: Option<InputProgress>,
    /// When the current run last produced a frame on any output.
    came_at: Option<Duration>,
    mode: FeedMode,
    failures: u32,
    blame: Blame,
    last_failure: Option<Failure>,
    speed: Speed,
}

impl Supervisor {
    /// For an encoder with this many outputs; it is started at the first tick that the restart history allows.
    pub fn new(outputs: usize, restart_history: RestartHistory) -> Self {
        Self {
            phase: Phase::Resting {
                until: restart_history.rests_until,
            },
            run: RunId::default(),
            outputs: vec![OutputProgress::default(); outputs],
            given: None,
            sound_given: None,
            came_at: None,
            mode: FeedMode::default(),
            failures: restart_history.failures,
            blame: restart_history.blame,
            last_failure: None,
            speed: Speed::default(),
        }
    }

    /// Adds sound as the last output.
    #[must_use]
    pub fn with_sound(mut self) -> Self {
        self.outputs.push(OutputProgress {
            is_sound: true,
            ..OutputProgress::default()
        });
        self
    }

    /// Advances the time; call it a few times a second.
    pub fn look(&mut self, now: Duration) -> Vec<Order> {
        match self.phase {
            Phase::Over => Vec::new(),
            Phase::Resting { until } if now < until => Vec::new(),
            Phase::Resting { .. } => self.start(now),
            Phase::Running { since } => {
                if now.saturating_sub(since) >= STEADY {
                    self.failures = 0;
                    self.blame.forget();
                }
                self.judge(now)
            }
        }
    }

    /// Records that the encoder was given a picture that is shown at `at_ms`.
    pub fn given(&mut self, at_ms: i64, now: Duration) -> Vec<Order> {
        self.was_given(false, at_ms, at_ms, now)
    }

    /// Records that the encoder was given sound from `at_ms` to `end_ms`.
    pub fn sound_given(&mut self, at_ms: i64, end_ms: i64, now: Duration) -> Vec<Order> {
        self.was_given(true, at_ms, end_ms, now)
    }

    fn was_given(&mut self, is_sound: bool, at_ms: i64, end_ms: i64, now: Duration) -> Vec<Order> {
        if !matches!(self.phase, Phase::Running { .. }) {
            return Vec::new();
        }
        let place = if is_sound {
            &mut self.sound_given
        } else {
            &mut self.given
        };
        let given = place.get_or_insert_with(|| InputProgress::new(at_ms));
        given.add(at_ms, end_ms);
        let outputs = self.outputs.iter_mut();
        for output in outputs.filter(|output| output.is_sound == is_sound) {
            if output.owes_too_much(given) {
                output.owes_since.get_or_insert(now);
            }
        }
        self.judge(now)
    }

    /// Records that a picture shown at `at_ms` was dropped.
    pub fn left_out(&mut self, at_ms: i64, now: Duration) -> Vec<Order> {
        if let Some(given) = &mut self.given {
            given.pass(at_ms);
        }
        self.judge(now)
    }

    /// Records that sound at `at_ms` was dropped.
    pub fn sound_left_out(&mut self, at_ms: i64, now: Duration) -> Vec<Order> {
        if let Some(given) = &mut self.sound_given {
            given.pass(at_ms);
        }
        self.judge(now)
    }

    /// The latest picture given to the current run.
    pub fn given_ms(&self) -> Option<i64> {
        self.given.as_ref().map(|given| given.newest_ms)
    }

    /// The end of the latest sound given to the current run: a frame may last longer than a second.
    pub fn sound_given_ms(&self) -> Option<i64> {
        self.sound_given.as_ref().map(|given| given.end_ms)
    }

    /// Records that a run produced a frame.
    pub fn came(
        &mut self,
        run: RunId,
        output: usize,
        at_ms: i64,
        is_key: bool,
        now: Duration,
    ) -> Vec<Order> {
        let is_present = run == self.run && matches!(self.phase, Phase::Running { .. });
        let Some(place) = self.outputs.get_mut(output).filter(|_| is_present) else {
            return Vec::new();
        };
        let given = if place.is_sound {
            &self.sound_given
        } else {
            &self.given
        };
        let Some(given) = given else {
            return Vec::new();
        };
        self.came_at = Some(now);
        place.newest_ms = place.newest_ms.max(Some(at_ms));
        place.owes_since = place.owes_too_much(given).then_some(now);
        let mut orders = Vec::new();
        if !place.is_shown && is_key && place.late_ms(given) < HURRY_MS {
            place.is_shown = true;
            orders.push(Order::Show(output, run));
        }
        // Sound counts for the speed only if there are no pictures; it may pause for hours.
        let has_pictures = self.has_pictures();
        let slowest = self.outputs.iter();
        let slowest = slowest.filter(|output| !(has_pictures && output.is_sound));
        if let Some(newest_ms) = slowest.filter_map(|output| output.newest_ms).min() {
            self.speed.note(newest_ms, now);
        }
        orders.extend(self.judge(now));
        orders
    }

    /// Records that a run exited, could not be started, or cannot be trusted.
    pub fn failed(&mut self, run: RunId, failure: Failure, now: Duration) -> Vec<Order> {
        if run != self.run || !matches!(self.phase, Phase::Running { .. }) {
            return Vec::new();
        }
        self.end_run(failure, now)
    }

    /// The broadcast is over.
    pub fn stop(&mut self) -> Vec<Order> {
        let was_running = matches!(self.phase, Phase::Running { .. });
        self.phase = Phase::Over;
        let mut orders = Vec::new();
        if was_running {
            orders.push(Order::End(self.run));
            orders.extend(self.hide_all());
        }
        orders
    }

    /// The state to pass on to the next encoder.
    pub fn restart_history(&self) -> RestartHistory {
        let rests_until = match self.phase {
            Phase::Resting { until } => until,
            Phase::Running { since } => since + SHORTEST_PAUSE,
            Phase::Over => Duration::ZERO,
        };
        RestartHistory {
            rests_until,
            failures: self.failures,
            blame: self.blame,
        }
    }

    /// When [`Self::look`] is due next without any other event, if ever.
    pub fn rests_until(&self) -> Option<Duration> {
        match self.phase {
            Phase::Resting { until } => Some(until),
            Phase::Running { .. } | Phase::Over => None,
        }
    }

    /// Whether a run should encode the sound, if that is wanted: not for the rest of a broadcast once it has disturbed
    /// the pictures.
    pub fn encodes_sound(&self) -> bool {
        !(self.has_pictures() && self.blame.leaves_out_sound())
    }

    /// The current state.
    pub fn report(&self) -> TranscoderReport {
        TranscoderReport {
            is_running: matches!(self.phase, Phase::Running { .. }),
            hurries: self.mode == FeedMode::KeyFrames,
            behind_ms: self.late_ms(),
            speed_percent: self.speed.percent,
            restarts: self.run.0.saturating_sub(1),
            last_failure: self.last_failure.clone(),
        }
    }

    fn has_pictures(&self) -> bool {
        self.outputs.iter().any(|output| !output.is_sound)
    }

    fn late_ms(&self) -> i64 {
        let late = self.outputs.iter().filter_map(|output| {
            let given = given_to(output, self.given.as_ref(), self.sound_given.as_ref());
            Some(output.late_ms(given?))
        });
        late.max().unwrap_or(0)
    }

    fn start(&mut self, now: Duration) -> Vec<Order> {
        self.run = RunId(self.run.0 + 1);
        self.phase = Phase::Running { since: now };
        self.given = None;
        self.sound_given = None;
        self.came_at = None;
        self.mode = FeedMode::Everything;
        self.speed = Speed::default();
        for output in &mut self.outputs {
            *output = OutputProgress {
                is_sound: output.is_sound,
                ..OutputProgress::default()
            };
        }
        vec![Order::Start(self.run)]
    }

    /// Decides whether the current run can continue.
    fn judge(&mut self, now: Duration) -> Vec<Order> {
        let has_pictures = self.has_pictures();
        let (pictures, sound) = (self.given.as_ref(), self.sound_given.as_ref());
        if pictures.is_none() && sound.is_none() {
            return Vec::new();
        }
        let (mut is_silent, mut lacks_sound) = (false, false);
        let (mut is_hopeless, mut has_begun) = (false, true);
        let (mut has_backlog, mut has_caught_up) = (false, true);
        for output in &self.outputs {
            // An output without input owes nothing.
            let Some(given) = given_to(output, pictures, sound) else {
                continue;
            };
            let is_beside_pictures = output.is_sound && has_pictures;
            let says_nothing = output.is_silent(given, now);
            let is_alone = is_beside_pictures && !self.hangs(output);
            is_silent |= says_nothing && !is_alone;
            lacks_sound |= says_nothing && is_alone;
            // Sound that has not begun says nothing about how fast pictures are.
            if is_beside_pictures && output.newest_ms.is_none() {
                continue;
            }
            is_hopeless |= output.behind_ms(given) >= HOPELESS_MS;
            has_begun &= output.newest_ms.is_some();
            has_backlog |= output.has_backlog(given);
            has_caught_up &= output.has_caught_up(given);
        }
        if is_silent {
            return self.end_run(Failure::Silent, now);
        }
        if lacks_sound {
            return self.end_run(Failure::NoSound, now);
        }
        // It reads what it needs before its first output faster than that arrives.
        if has_begun && is_hopeless {
            return self.end_run(Failure::TooSlow, now);
        }
        let mut orders = Vec::new();
        for (place, output) in self.outputs.iter_mut().enumerate() {
            let given = given_to(output, pictures, sound);
            if output.is_shown && given.is_some_and(|given| output.late_ms(given) >= HIDDEN_MS) {
                output.is_shown = false;
                orders.push(Order::Hide(place));
            }
        }
        let mode = match self.mode {
            FeedMode::Everything if has_begun && has_backlog => FeedMode::KeyFrames,
            FeedMode::KeyFrames if has_caught_up => FeedMode::Everything,
            same => same,
        };
        if mode != self.mode {
            self.mode = mode;
            orders.push(Order::Feed(mode));
        }
        orders
    }

    /// Whether pictures stopped too since too much sound is owed. A hanging process is soon fed only key frames but all
    /// of the sound, so it owes sound first: that is not the sound's fault.
    fn hangs(&self, sound: &OutputProgress) -> bool {
        let has_come = |since: Duration| self.came_at.is_some_and(|came_at| came_at > since);
        let owes_pictures = self.given.as_ref().is_some_and(|given| {
            let mut outputs = self.outputs.iter();
            outputs.any(|output| !output.is_sound && output.behind_ms(given) >= STUCK_MS)
        });
        owes_pictures && !sound.owes_since.is_some_and(has_come)
    }

    fn end_run(&mut self, failure: Failure, now: Duration) -> Vec<Order> {
        let doubled = SHORTEST_PAUSE.saturating_mul(1 << self.failures.min(10));
        let until = now + doubled.min(LONGEST_PAUSE);
        self.failures = self.failures.saturating_add(1);
        let fault = self.fault_of(&failure);
        self.blame.note(fault);
        self.last_failure = Some(failure);
        self.phase = Phase::Resting { until };
        let mut orders = vec![Order::End(self.run)];
        orders.extend(self.hide_all());
        self.given = None;
        self.sound_given = None;
        orders
    }

    /// What a failure says about the sound, if there are pictures that could do without it.
    fn fault_of(&self, failure: &Failure) -> Fault {
        let has_sound = self.outputs.iter().any(|output| output.is_sound);
        if !has_sound || !self.has_pictures() {
            return Fault::Other;
        }
        let has_come = |is_sound| {
            let mut outputs = self.outputs.iter();
            outputs.any(|output| output.is_sound == is_sound && output.newest_ms.is_some())
        };
        // A process that was given no sound has none to produce.
        let was_expected = self.sound_given.is_some() || !has_come(false);
        match failure {
            Failure::NoSound | Failure::BadSound(_) => Fault::Sound,
            Failure::GaveUp(_) | Failure::Silent if was_expected && !has_come(true) => {
                Fault::Anything
            }
            Failure::GaveUp(_)
            | Failure::Silent
            | Failure::Missing(_)
            | Failure::BadOutput(_)
            | Failure::TooSlow => Fault::Other,
        }
    }

    fn hide_all(&mut self) -> Vec<Order> {
        let mut orders = Vec::new();
        for (place, output) in self.outputs.iter_mut().enumerate() {
            if std::mem::take(&mut output.is_shown) {
                orders.push(Order::Hide(place));
            }
        }
        orders
    }
}

#[cfg(test)]
mod tests;
