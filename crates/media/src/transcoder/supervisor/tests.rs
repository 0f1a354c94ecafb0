mod sound;

use std::collections::VecDeque;

use proptest::prelude::*;

use super::Order::{End, Feed, Hide, Show, Start};
use super::input_progress::LONGEST_STEP_MS;
use super::*;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A stream of 25 frames a second with a key frame every two seconds, and an encoder with scripted behaviour.
struct SupervisorRig {
    supervisor: Supervisor,
    now: Duration,
    at_ms: i64,
    orders: Vec<Order>,
}

/// How the encoder reacts to its input.
#[derive(Clone, Copy)]
enum EncoderBehaviour {
    Prompt,
    Behind(i64),
    Silent,
}

const FRAME: Duration = Duration::from_millis(40);

impl SupervisorRig {
    fn new(outputs: usize) -> Self {
        let now = seconds(100);
        Self {
            supervisor: Supervisor::new(outputs, RestartHistory::default()),
            now,
            at_ms: 10_000,
            orders: Vec::new(),
        }
    }

    /// A rig whose encoder is started and shows every output.
    fn running(outputs: usize) -> Self {
        let mut rig = Self::new(outputs);
        rig.play(seconds(1), EncoderBehaviour::Prompt);
        rig.orders.clear();
        rig
    }

    /// Plays for a duration and records all orders.
    fn play(&mut self, length: Duration, behaviour: EncoderBehaviour) {
        let end = self.now + length;
        while self.now < end {
            self.frame(behaviour);
        }
    }

    fn frame(&mut self, behaviour: EncoderBehaviour) {
        self.now += FRAME;
        let orders = self.supervisor.look(self.now);
        self.orders.extend(orders);
        let is_key = |at_ms: i64| at_ms % 2_000 == 0;
        let run = self.supervisor.run;
        let orders = self.supervisor.given(self.at_ms, self.now);
        self.orders.extend(orders);
        for output in 0..self.supervisor.outputs.len() {
            let at_ms = match behaviour {
                EncoderBehaviour::Prompt => self.at_ms,
                EncoderBehaviour::Behind(ms) => self.at_ms - ms,
                EncoderBehaviour::Silent => continue,
            };
            let orders = self
                .supervisor
                .came(run, output, at_ms, is_key(at_ms), self.now);
            self.orders.extend(orders);
        }
        self.at_ms += 40;
    }

    fn taken(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.orders)
    }

    fn fail(&mut self) -> Vec<Order> {
        let (run, now) = (self.supervisor.run, self.now);
        let failure = Failure::GaveUp("no more".into());
        self.supervisor.failed(run, failure, now)
    }
}

#[test]
fn the_encoder_is_started_at_once_and_outputs_are_shown_with_their_first_key_frame() {
    let mut rig = SupervisorRig::new(2);
    rig.frame(EncoderBehaviour::Prompt);
    assert_eq!(
        rig.taken(),
        [Start(RunId(1)), Show(0, RunId(1)), Show(1, RunId(1))]
    );
    rig.play(seconds(120), EncoderBehaviour::Prompt);
    assert_eq!(rig.taken(), []);
    let report = rig.supervisor.report();
    assert!(report.is_running && !report.hurries);
    assert_eq!((report.behind_ms, report.restarts), (0, 0));
    assert_eq!(report.speed_percent, Some(100));
}

#[test]
fn an_output_that_has_shown_no_key_frame_is_not_offered() {
    let mut rig = SupervisorRig::new(1);
    rig.at_ms = 10_040;
    rig.play(seconds(1), EncoderBehaviour::Prompt);
    assert_eq!(rig.taken(), [Start(RunId(1))]);
    rig.play(seconds(1), EncoderBehaviour::Prompt);
    assert_eq!(rig.taken(), [Show(0, RunId(1))]);
}

#[test]
fn an_encoder_that_ends_takes_its_outputs_along_and_is_started_again() {
    let mut rig = SupervisorRig::running(2);
    assert_eq!(rig.fail(), [End(RunId(1)), Hide(0), Hide(1)]);
    assert_eq!(rig.supervisor.rests_until(), Some(rig.now + seconds(1)));
    rig.at_ms = 20_000;
    rig.play(seconds(3), EncoderBehaviour::Prompt);
    assert_eq!(
        rig.taken(),
        [Start(RunId(2)), Show(0, RunId(2)), Show(1, RunId(2))]
    );
    let report = rig.supervisor.report();
    assert_eq!(report.restarts, 1);
    assert_eq!(report.last_failure, Some(Failure::GaveUp("no more".into())));
}

#[test]
fn the_pause_doubles_up_to_half_a_minute_and_is_short_again_after_a_good_minute() {
    let mut rig = SupervisorRig::new(1);
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let orders = rig.supervisor.look(rig.now);
        assert!(matches!(orders.as_slice(), [Start(_)]), "{orders:?}");
        rig.fail();
        let until = rig.supervisor.rests_until().unwrap();
        let just_before = until - Duration::from_millis(1);
        assert_eq!(rig.supervisor.look(just_before), []);
        pauses.push((until - rig.now).as_secs());
        rig.now = until;
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
    rig.play(seconds(61), EncoderBehaviour::Prompt);
    rig.fail();
    let until = rig.supervisor.rests_until().unwrap();
    assert_eq!(until - rig.now, seconds(1));
}

#[test]
fn an_encoder_that_takes_the_place_of_another_is_started_no_sooner_than_that_one_would_be() {
    let mut rig = SupervisorRig::new(1);
    assert_eq!(rig.supervisor.look(rig.now), [Start(RunId(1))]);
    let mut next = Supervisor::new(1, rig.supervisor.restart_history());
    assert_eq!(next.look(rig.now + Duration::from_millis(999)), []);
    assert_eq!(next.look(rig.now + seconds(1)), [Start(RunId(1))]);
    rig.play(seconds(1), EncoderBehaviour::Prompt);
    assert_eq!(
        rig.supervisor.restart_history().rest(rig.now),
        Duration::ZERO
    );
    rig.fail();
    let mut next = Supervisor::new(1, rig.supervisor.restart_history());
    rig.now += seconds(1);
    assert_eq!(next.look(rig.now), [Start(RunId(1))]);
    next.failed(RunId(1), Failure::Silent, rig.now);
    assert_eq!(next.restart_history().rest(rig.now), seconds(2));
}

#[test]
fn nothing_of_a_run_that_is_over_is_heard() {
    let mut rig = SupervisorRig::running(1);
    let (at_ms, now) = (rig.at_ms, rig.now);
    rig.fail();
    let supervisor = &mut rig.supervisor;
    assert_eq!(supervisor.came(RunId(1), 0, at_ms, true, now), []);
    assert_eq!(supervisor.failed(RunId(1), Failure::Silent, now), []);
    assert_eq!(supervisor.given(at_ms, now), []);
    rig.now += seconds(2);
    let now = rig.now;
    assert_eq!(rig.supervisor.look(now), [Start(RunId(2))]);
    let supervisor = &mut rig.supervisor;
    supervisor.given(at_ms, now);
    assert_eq!(supervisor.came(RunId(1), 0, at_ms, true, now), []);
    assert_eq!(supervisor.failed(RunId(1), Failure::Silent, now), []);
    assert_eq!(
        supervisor.came(RunId(2), 0, at_ms, true, now),
        [Show(0, RunId(2))]
    );
    // An output that does not exist.
    assert_eq!(supervisor.came(RunId(2), 9, at_ms, true, now), []);
}

#[test]
fn an_encoder_that_hangs_is_ended_within_seconds() {
    let mut rig = SupervisorRig::running(2);
    rig.play(seconds(7), EncoderBehaviour::Silent);
    assert_eq!(rig.taken(), [Feed(FeedMode::KeyFrames), Hide(0), Hide(1)]);
    rig.play(seconds(1) + FRAME, EncoderBehaviour::Silent);
    assert_eq!(rig.taken(), [End(RunId(1))]);
    let report = rig.supervisor.report();
    assert_eq!(report.last_failure, Some(Failure::Silent));
}

#[test]
fn an_encoder_that_never_says_a_word_has_a_little_longer() {
    let mut rig = SupervisorRig::new(1);
    rig.play(seconds(17), EncoderBehaviour::Silent);
    assert_eq!(rig.taken(), [Start(RunId(1))]);
    rig.play(seconds(2), EncoderBehaviour::Silent);
    assert_eq!(rig.taken(), [End(RunId(1))]);
}

#[test]
fn an_encoder_that_gets_nothing_owes_nothing() {
    let mut rig = SupervisorRig::running(1);
    // Pictures that the decoder keeps until it is given more.
    rig.play(Duration::from_millis(200), EncoderBehaviour::Silent);
    for _ in 0..600 {
        rig.now += seconds(1);
        assert_eq!(rig.supervisor.look(rig.now), []);
    }
}

#[test]
fn a_gap_in_the_stream_is_no_delay() {
    let mut rig = SupervisorRig::running(1);
    rig.now += seconds(3_600);
    rig.at_ms += 3_600_000;
    rig.play(seconds(10), EncoderBehaviour::Prompt);
    assert_eq!(rig.taken(), []);
    // Not even if the first frame after it is the only one given.
    rig.at_ms += 3_600_000;
    rig.play(FRAME, EncoderBehaviour::Silent);
    assert_eq!(rig.supervisor.report().behind_ms, LONGEST_STEP_MS);
    assert_eq!(rig.taken(), []);
}

#[test]
fn an_encoder_that_lags_gets_key_frames_until_it_has_caught_up() {
    let mut rig = SupervisorRig::running(1);
    rig.play(FRAME, EncoderBehaviour::Behind(1_960));
    assert_eq!(rig.taken(), []);
    rig.play(FRAME * 2, EncoderBehaviour::Silent);
    assert_eq!(rig.taken(), []);
    rig.play(seconds(2), EncoderBehaviour::Silent);
    assert_eq!(rig.taken(), [Feed(FeedMode::KeyFrames)]);
    assert!(rig.supervisor.report().hurries);
    rig.play(FRAME, EncoderBehaviour::Behind(800));
    assert_eq!(rig.taken(), []);
    rig.play(FRAME, EncoderBehaviour::Behind(400));
    assert_eq!(rig.taken(), [Feed(FeedMode::Everything)]);
    assert!(!rig.supervisor.report().hurries);
}

/// An encoder that keeps the last pictures until it is given more, and gets the input that was ordered.
struct BufferingEncoder {
    rig: SupervisorRig,
    group_ms: i64,
    kept: VecDeque<i64>,
    wants_key: bool,
}

impl BufferingEncoder {
    fn play(&mut self, length: Duration, keeps: usize) {
        let rig = &mut self.rig;
        let end = rig.now + length;
        while rig.now < end {
            rig.now += FRAME;
            let is_key = |at_ms: i64| (at_ms - 10_000) % self.group_ms == 0;
            let supervisor = &mut rig.supervisor;
            let mut orders = supervisor.look(rig.now);
            let (run, at_ms) = (supervisor.run, rig.at_ms);
            let is_wanted = supervisor.mode == FeedMode::Everything && !self.wants_key;
            if is_wanted || is_key(at_ms) {
                self.wants_key = false;
                self.kept.push_back(at_ms);
                orders.extend(supervisor.given(at_ms, rig.now));
            } else {
                self.wants_key = true;
                orders.extend(supervisor.left_out(at_ms, rig.now));
            }
            while self.kept.len() > keeps {
                let at_ms = self.kept.pop_front().unwrap();
                orders.extend(supervisor.came(run, 0, at_ms, is_key(at_ms), rig.now));
            }
            rig.orders.extend(orders);
            rig.at_ms += 40;
        }
    }
}

#[test]
fn an_encoder_that_keeps_pictures_to_put_them_in_order_catches_up_too() {
    for (group_ms, keeps) in [(2_000, 2), (2_000, 16), (12_000, 2), (12_000, 16)] {
        let what = format!("a key frame every {group_ms} ms, {keeps} kept");
        let mut encoder = BufferingEncoder {
            rig: SupervisorRig::new(1),
            group_ms,
            kept: VecDeque::new(),
            wants_key: true,
        };
        encoder.play(seconds(3), keeps);
        assert_eq!(encoder.rig.taken(), [Start(RunId(1)), Show(0, RunId(1))]);
        encoder.play(seconds(3), usize::MAX);
        assert_eq!(encoder.rig.taken(), [Feed(FeedMode::KeyFrames)], "{what}");
        encoder.play(seconds(20), keeps);
        let orders = encoder.rig.taken();
        assert_eq!(orders[0], Feed(FeedMode::Everything), "{what}");
        // Where the next key frame is far away, players would stall until then.
        let rest = if group_ms > HIDDEN_MS {
            vec![Hide(0), Show(0, RunId(1))]
        } else {
            Vec::new()
        };
        assert_eq!(orders[1..], rest, "{what}");
        let report = encoder.rig.supervisor.report();
        assert!(!report.hurries && report.behind_ms <= 640, "{report:?}");
    }
}

#[test]
fn pictures_that_come_at_once_after_a_pause_are_not_owed_since_before_it() {
    let mut rig = SupervisorRig::running(1);
    // Pictures that the decoder keeps.
    rig.play(FRAME * 2, EncoderBehaviour::Silent);
    for _ in 0..40 {
        rig.now += Duration::from_millis(250);
        assert_eq!(rig.supervisor.look(rig.now), []);
    }
    for _ in 0..100 {
        let orders = rig.supervisor.given(rig.at_ms, rig.now);
        rig.orders.extend(orders);
        rig.at_ms += 40;
    }
    assert_eq!(rig.taken(), [Feed(FeedMode::KeyFrames)]);
    rig.play(seconds(2), EncoderBehaviour::Prompt);
    assert_eq!(rig.taken(), [Feed(FeedMode::Everything)]);
}

#[test]
fn an_output_that_is_far_behind_is_not_offered_until_it_is_back() {
    let mut rig = SupervisorRig::running(2);
    // The second output keeps up; the first has stopped.
    let run = rig.supervisor.run;
    for _ in 0..(7_000 / 40) {
        rig.now += FRAME;
        rig.at_ms += 40;
        let given = rig.supervisor.given(rig.at_ms, rig.now);
        let slow_ms = rig.at_ms - (rig.at_ms - 11_000) * 9 / 10;
        let slow = rig
            .supervisor
            .came(run, 0, slow_ms.max(10_960), false, rig.now);
        let prompt = rig.supervisor.came(run, 1, rig.at_ms, false, rig.now);
        rig.orders
            .extend(given.into_iter().chain(slow).chain(prompt));
    }
    assert_eq!(rig.taken(), [Feed(FeedMode::KeyFrames), Hide(0)]);
    let (at_ms, now) = (rig.at_ms, rig.now);
    let supervisor = &mut rig.supervisor;
    // Close enough, but in the middle of a group of pictures.
    assert_eq!(supervisor.came(run, 0, at_ms - 1_000, false, now), []);
    assert_eq!(
        supervisor.came(run, 0, at_ms - 900, true, now),
        [Show(0, run)]
    );
}

#[test]
fn an_encoder_that_is_hopelessly_behind_is_ended() {
    let mut rig = SupervisorRig::running(1);
    let run = rig.supervisor.run;
    // It keeps producing output, but makes no progress.
    for step in 0..(21_000 / 40) {
        rig.now += FRAME;
        rig.at_ms += 40;
        let given = rig.supervisor.given(rig.at_ms, rig.now);
        let came = rig.supervisor.came(run, 0, 10_960 + step, false, rig.now);
        rig.orders.extend(given.into_iter().chain(came));
    }
    assert_eq!(
        rig.taken(),
        [Feed(FeedMode::KeyFrames), Hide(0), End(RunId(1))]
    );
    let report = rig.supervisor.report();
    assert_eq!(report.last_failure, Some(Failure::TooSlow));
    assert!(!report.is_running);
}

#[test]
fn a_broadcast_that_is_over_ends_its_encoder_and_starts_no_other() {
    let mut rig = SupervisorRig::running(1);
    assert_eq!(rig.supervisor.stop(), [End(RunId(1)), Hide(0)]);
    assert_eq!(rig.supervisor.stop(), []);
    rig.play(seconds(120), EncoderBehaviour::Prompt);
    assert_eq!(rig.taken(), []);
    let mut resting = SupervisorRig::running(1);
    resting.fail();
    assert_eq!(resting.supervisor.stop(), []);
    resting.play(seconds(120), EncoderBehaviour::Prompt);
    assert_eq!(resting.taken(), []);
}

#[test]
fn failures_say_what_to_do() {
    let missing = Failure::Missing("no such file".into()).to_string();
    assert!(missing.contains("ffmpeg_path"), "{missing}");
    let slow = Failure::TooSlow.to_string();
    assert!(slow.contains("lower its size"), "{slow}");
}

/// A test event.
#[derive(Clone, Debug)]
enum TestEvent {
    Wait(u64),
    Given(i64),
    Came(usize, i64, bool),
    Failed,
    Stop,
}

fn event() -> impl Strategy<Value = TestEvent> {
    prop_oneof![
        4 => (0..3_000u64).prop_map(TestEvent::Wait),
        6 => (0..4_000i64).prop_map(TestEvent::Given),
        6 => (0..3usize, 0..10_000i64, any::<bool>())
            .prop_map(|(output, behind, is_key)| TestEvent::Came(output, behind, is_key)),
        1 => Just(TestEvent::Failed),
        1 => prop_oneof![30 => Just(TestEvent::Failed), 1 => Just(TestEvent::Stop)],
    ]
}

proptest! {
    #[test]
    fn whatever_happens_one_encoder_runs_and_only_its_outputs_are_shown(
        events in prop::collection::vec(event(), 0..300),
    ) {
        let mut supervisor = Supervisor::new(2, RestartHistory::default());
        let (mut now, mut at_ms) = (Duration::ZERO, 10_000);
        let mut running = None;
        let mut last = RunId(0);
        let mut shown = [false; 2];
        for event in events {
            let run = supervisor.run;
            let orders = match event {
                TestEvent::Wait(ms) => {
                    now += Duration::from_millis(ms);
                    supervisor.look(now)
                }
                TestEvent::Given(step) => {
                    at_ms += step;
                    supervisor.given(at_ms, now)
                }
                TestEvent::Came(output, behind, is_key) => {
                    supervisor.came(run, output, at_ms - behind, is_key, now)
                }
                TestEvent::Failed => supervisor.failed(run, Failure::Silent, now),
                TestEvent::Stop => supervisor.stop(),
            };
            for order in orders {
                match order {
                    Start(run) => {
                        prop_assert_eq!(running, None);
                        prop_assert!(run > last);
                        (running, last) = (Some(run), run);
                    }
                    End(run) => {
                        prop_assert_eq!(running, Some(run));
                        running = None;
                    }
                    Show(output, run) => {
                        prop_assert_eq!(running, Some(run));
                        prop_assert!(!shown[output]);
                        shown[output] = true;
                    }
                    Hide(output) => {
                        prop_assert!(shown[output]);
                        shown[output] = false;
                    }
                    Feed(_) => prop_assert!(running.is_some()),
                }
            }
            prop_assert!(running.is_some() || shown == [false; 2]);
            prop_assert_eq!(supervisor.report().is_running, running.is_some());
            prop_assert!(supervisor.report().behind_ms >= 0);
        }
    }
}
