mod sound;

use std::collections::VecDeque;

use proptest::prelude::*;

use super::Order::{End, Feed, Hide, Show, Start};
use super::given::LONGEST_STEP_MS;
use super::*;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A stream of 25 frames in a second with a key frame every two, and an encoder that can be told how to behave.
struct Stage {
    supervisor: Supervisor,
    now: Duration,
    at_ms: i64,
    orders: Vec<Order>,
}

/// What the encoder does with what it is given.
#[derive(Clone, Copy)]
enum Manner {
    Prompt,
    Behind(i64),
    Silent,
}

const FRAME: Duration = Duration::from_millis(40);

impl Stage {
    fn new(outputs: usize) -> Self {
        let now = seconds(100);
        Self {
            supervisor: Supervisor::new(outputs, Past::default()),
            now,
            at_ms: 10_000,
            orders: Vec::new(),
        }
    }

    /// Started, and every output shown.
    fn running(outputs: usize) -> Self {
        let mut stage = Self::new(outputs);
        stage.play(seconds(1), Manner::Prompt);
        stage.orders.clear();
        stage
    }

    /// Plays for so long; whatever is ordered is written down.
    fn play(&mut self, length: Duration, manner: Manner) {
        let end = self.now + length;
        while self.now < end {
            self.frame(manner);
        }
    }

    fn frame(&mut self, manner: Manner) {
        self.now += FRAME;
        let orders = self.supervisor.look(self.now);
        self.orders.extend(orders);
        let is_key = |at_ms: i64| at_ms % 2_000 == 0;
        let run = self.supervisor.run;
        let orders = self.supervisor.given(self.at_ms, self.now);
        self.orders.extend(orders);
        for output in 0..self.supervisor.outputs.len() {
            let at_ms = match manner {
                Manner::Prompt => self.at_ms,
                Manner::Behind(ms) => self.at_ms - ms,
                Manner::Silent => continue,
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
    let mut stage = Stage::new(2);
    stage.frame(Manner::Prompt);
    assert_eq!(
        stage.taken(),
        [Start(Run(1)), Show(0, Run(1)), Show(1, Run(1))]
    );
    stage.play(seconds(120), Manner::Prompt);
    assert_eq!(stage.taken(), []);
    let report = stage.supervisor.report();
    assert!(report.is_running && !report.hurries);
    assert_eq!((report.behind_ms, report.restarts), (0, 0));
    assert_eq!(report.speed_percent, Some(100));
}

#[test]
fn an_output_that_has_shown_no_key_frame_is_not_offered() {
    let mut stage = Stage::new(1);
    stage.at_ms = 10_040;
    stage.play(seconds(1), Manner::Prompt);
    assert_eq!(stage.taken(), [Start(Run(1))]);
    stage.play(seconds(1), Manner::Prompt);
    assert_eq!(stage.taken(), [Show(0, Run(1))]);
}

#[test]
fn an_encoder_that_ends_takes_its_outputs_along_and_is_started_again() {
    let mut stage = Stage::running(2);
    assert_eq!(stage.fail(), [End(Run(1)), Hide(0), Hide(1)]);
    assert_eq!(stage.supervisor.rests_until(), Some(stage.now + seconds(1)));
    stage.at_ms = 20_000;
    stage.play(seconds(3), Manner::Prompt);
    assert_eq!(
        stage.taken(),
        [Start(Run(2)), Show(0, Run(2)), Show(1, Run(2))]
    );
    let report = stage.supervisor.report();
    assert_eq!(report.restarts, 1);
    assert_eq!(report.last_failure, Some(Failure::GaveUp("no more".into())));
}

#[test]
fn the_pause_doubles_up_to_half_a_minute_and_is_short_again_after_a_good_minute() {
    let mut stage = Stage::new(1);
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let orders = stage.supervisor.look(stage.now);
        assert!(matches!(orders.as_slice(), [Start(_)]), "{orders:?}");
        stage.fail();
        let until = stage.supervisor.rests_until().unwrap();
        let just_before = until - Duration::from_millis(1);
        assert_eq!(stage.supervisor.look(just_before), []);
        pauses.push((until - stage.now).as_secs());
        stage.now = until;
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
    stage.play(seconds(61), Manner::Prompt);
    stage.fail();
    let until = stage.supervisor.rests_until().unwrap();
    assert_eq!(until - stage.now, seconds(1));
}

#[test]
fn an_encoder_that_takes_the_place_of_another_is_started_no_sooner_than_that_one_would_be() {
    let mut stage = Stage::new(1);
    assert_eq!(stage.supervisor.look(stage.now), [Start(Run(1))]);
    let mut next = Supervisor::new(1, stage.supervisor.past());
    assert_eq!(next.look(stage.now + Duration::from_millis(999)), []);
    assert_eq!(next.look(stage.now + seconds(1)), [Start(Run(1))]);
    stage.play(seconds(1), Manner::Prompt);
    assert_eq!(stage.supervisor.past().rest(stage.now), Duration::ZERO);
    stage.fail();
    let mut next = Supervisor::new(1, stage.supervisor.past());
    stage.now += seconds(1);
    assert_eq!(next.look(stage.now), [Start(Run(1))]);
    next.failed(Run(1), Failure::Silent, stage.now);
    assert_eq!(next.past().rest(stage.now), seconds(2));
}

#[test]
fn nothing_of_a_run_that_is_over_is_heard() {
    let mut stage = Stage::running(1);
    let (at_ms, now) = (stage.at_ms, stage.now);
    stage.fail();
    let supervisor = &mut stage.supervisor;
    assert_eq!(supervisor.came(Run(1), 0, at_ms, true, now), []);
    assert_eq!(supervisor.failed(Run(1), Failure::Silent, now), []);
    assert_eq!(supervisor.given(at_ms, now), []);
    stage.now += seconds(2);
    let now = stage.now;
    assert_eq!(stage.supervisor.look(now), [Start(Run(2))]);
    let supervisor = &mut stage.supervisor;
    supervisor.given(at_ms, now);
    assert_eq!(supervisor.came(Run(1), 0, at_ms, true, now), []);
    assert_eq!(supervisor.failed(Run(1), Failure::Silent, now), []);
    assert_eq!(
        supervisor.came(Run(2), 0, at_ms, true, now),
        [Show(0, Run(2))]
    );
    // An output that nobody asked for.
    assert_eq!(supervisor.came(Run(2), 9, at_ms, true, now), []);
}

#[test]
fn an_encoder_that_hangs_is_ended_within_seconds() {
    let mut stage = Stage::running(2);
    stage.play(seconds(7), Manner::Silent);
    assert_eq!(stage.taken(), [Feed(Diet::KeyFrames), Hide(0), Hide(1)]);
    stage.play(seconds(1) + FRAME, Manner::Silent);
    assert_eq!(stage.taken(), [End(Run(1))]);
    let report = stage.supervisor.report();
    assert_eq!(report.last_failure, Some(Failure::Silent));
}

#[test]
fn an_encoder_that_never_says_a_word_has_a_little_longer() {
    let mut stage = Stage::new(1);
    stage.play(seconds(17), Manner::Silent);
    assert_eq!(stage.taken(), [Start(Run(1))]);
    stage.play(seconds(2), Manner::Silent);
    assert_eq!(stage.taken(), [End(Run(1))]);
}

#[test]
fn an_encoder_that_gets_nothing_owes_nothing() {
    let mut stage = Stage::running(1);
    // What the decoder keeps until it is given more.
    stage.play(Duration::from_millis(200), Manner::Silent);
    for _ in 0..600 {
        stage.now += seconds(1);
        assert_eq!(stage.supervisor.look(stage.now), []);
    }
}

#[test]
fn a_gap_in_the_stream_is_no_delay() {
    let mut stage = Stage::running(1);
    stage.now += seconds(3_600);
    stage.at_ms += 3_600_000;
    stage.play(seconds(10), Manner::Prompt);
    assert_eq!(stage.taken(), []);
    // Not even where the first frame behind it is the only one that was given.
    stage.at_ms += 3_600_000;
    stage.play(FRAME, Manner::Silent);
    assert_eq!(stage.supervisor.report().behind_ms, LONGEST_STEP_MS);
    assert_eq!(stage.taken(), []);
}

#[test]
fn an_encoder_that_lags_gets_key_frames_until_it_has_caught_up() {
    let mut stage = Stage::running(1);
    stage.play(FRAME, Manner::Behind(1_960));
    assert_eq!(stage.taken(), []);
    stage.play(FRAME * 2, Manner::Silent);
    assert_eq!(stage.taken(), []);
    stage.play(seconds(2), Manner::Silent);
    assert_eq!(stage.taken(), [Feed(Diet::KeyFrames)]);
    assert!(stage.supervisor.report().hurries);
    stage.play(FRAME, Manner::Behind(800));
    assert_eq!(stage.taken(), []);
    stage.play(FRAME, Manner::Behind(400));
    assert_eq!(stage.taken(), [Feed(Diet::Everything)]);
    assert!(!stage.supervisor.report().hurries);
}

/// An encoder that keeps the last pictures until it is given more, and gets what it is meant to.
struct Keeper {
    stage: Stage,
    group_ms: i64,
    kept: VecDeque<i64>,
    wants_key: bool,
}

impl Keeper {
    fn play(&mut self, length: Duration, keeps: usize) {
        let stage = &mut self.stage;
        let end = stage.now + length;
        while stage.now < end {
            stage.now += FRAME;
            let is_key = |at_ms: i64| (at_ms - 10_000) % self.group_ms == 0;
            let supervisor = &mut stage.supervisor;
            let mut orders = supervisor.look(stage.now);
            let (run, at_ms) = (supervisor.run, stage.at_ms);
            let is_wanted = supervisor.diet == Diet::Everything && !self.wants_key;
            if is_wanted || is_key(at_ms) {
                self.wants_key = false;
                self.kept.push_back(at_ms);
                orders.extend(supervisor.given(at_ms, stage.now));
            } else {
                self.wants_key = true;
                orders.extend(supervisor.left_out(at_ms, stage.now));
            }
            while self.kept.len() > keeps {
                let at_ms = self.kept.pop_front().unwrap();
                orders.extend(supervisor.came(run, 0, at_ms, is_key(at_ms), stage.now));
            }
            stage.orders.extend(orders);
            stage.at_ms += 40;
        }
    }
}

#[test]
fn an_encoder_that_keeps_pictures_to_put_them_in_order_catches_up_too() {
    for (group_ms, keeps) in [(2_000, 2), (2_000, 16), (12_000, 2), (12_000, 16)] {
        let what = format!("a key frame every {group_ms} ms, {keeps} kept");
        let mut encoder = Keeper {
            stage: Stage::new(1),
            group_ms,
            kept: VecDeque::new(),
            wants_key: true,
        };
        encoder.play(seconds(3), keeps);
        assert_eq!(encoder.stage.taken(), [Start(Run(1)), Show(0, Run(1))]);
        encoder.play(seconds(3), usize::MAX);
        assert_eq!(encoder.stage.taken(), [Feed(Diet::KeyFrames)], "{what}");
        encoder.play(seconds(20), keeps);
        let orders = encoder.stage.taken();
        assert_eq!(orders[0], Feed(Diet::Everything), "{what}");
        // Where the next key frame is far away, players would run dry until then.
        let rest = if group_ms > HIDDEN_MS {
            vec![Hide(0), Show(0, Run(1))]
        } else {
            Vec::new()
        };
        assert_eq!(orders[1..], rest, "{what}");
        let report = encoder.stage.supervisor.report();
        assert!(!report.hurries && report.behind_ms <= 640, "{report:?}");
    }
}

#[test]
fn pictures_that_come_at_once_after_a_pause_are_not_owed_since_before_it() {
    let mut stage = Stage::running(1);
    // What the decoder keeps.
    stage.play(FRAME * 2, Manner::Silent);
    for _ in 0..40 {
        stage.now += Duration::from_millis(250);
        assert_eq!(stage.supervisor.look(stage.now), []);
    }
    for _ in 0..100 {
        let orders = stage.supervisor.given(stage.at_ms, stage.now);
        stage.orders.extend(orders);
        stage.at_ms += 40;
    }
    assert_eq!(stage.taken(), [Feed(Diet::KeyFrames)]);
    stage.play(seconds(2), Manner::Prompt);
    assert_eq!(stage.taken(), [Feed(Diet::Everything)]);
}

#[test]
fn an_output_that_is_far_behind_is_not_offered_until_it_is_back() {
    let mut stage = Stage::running(2);
    // The second keeps up; the first has not come further.
    let run = stage.supervisor.run;
    for _ in 0..(7_000 / 40) {
        stage.now += FRAME;
        stage.at_ms += 40;
        let given = stage.supervisor.given(stage.at_ms, stage.now);
        let slow_ms = stage.at_ms - (stage.at_ms - 11_000) * 9 / 10;
        let slow = stage
            .supervisor
            .came(run, 0, slow_ms.max(10_960), false, stage.now);
        let prompt = stage.supervisor.came(run, 1, stage.at_ms, false, stage.now);
        stage
            .orders
            .extend(given.into_iter().chain(slow).chain(prompt));
    }
    assert_eq!(stage.taken(), [Feed(Diet::KeyFrames), Hide(0)]);
    let (at_ms, now) = (stage.at_ms, stage.now);
    let supervisor = &mut stage.supervisor;
    // Near enough, but in the middle of something.
    assert_eq!(supervisor.came(run, 0, at_ms - 1_000, false, now), []);
    assert_eq!(
        supervisor.came(run, 0, at_ms - 900, true, now),
        [Show(0, run)]
    );
}

#[test]
fn an_encoder_that_is_hopelessly_behind_is_ended() {
    let mut stage = Stage::running(1);
    let run = stage.supervisor.run;
    // It says something all the time, and gets nowhere.
    for step in 0..(21_000 / 40) {
        stage.now += FRAME;
        stage.at_ms += 40;
        let given = stage.supervisor.given(stage.at_ms, stage.now);
        let came = stage
            .supervisor
            .came(run, 0, 10_960 + step, false, stage.now);
        stage.orders.extend(given.into_iter().chain(came));
    }
    assert_eq!(stage.taken(), [Feed(Diet::KeyFrames), Hide(0), End(Run(1))]);
    let report = stage.supervisor.report();
    assert_eq!(report.last_failure, Some(Failure::TooSlow));
    assert!(!report.is_running);
}

#[test]
fn a_broadcast_that_is_over_ends_its_encoder_and_starts_no_other() {
    let mut stage = Stage::running(1);
    assert_eq!(stage.supervisor.stop(), [End(Run(1)), Hide(0)]);
    assert_eq!(stage.supervisor.stop(), []);
    stage.play(seconds(120), Manner::Prompt);
    assert_eq!(stage.taken(), []);
    let mut resting = Stage::running(1);
    resting.fail();
    assert_eq!(resting.supervisor.stop(), []);
    resting.play(seconds(120), Manner::Prompt);
    assert_eq!(resting.taken(), []);
}

#[test]
fn failures_say_what_to_do() {
    let missing = Failure::Missing("no such file".into()).to_string();
    assert!(missing.contains("ffmpeg_path"), "{missing}");
    let slow = Failure::TooSlow.to_string();
    assert!(slow.contains("lower its size"), "{slow}");
}

/// One thing that happens.
#[derive(Clone, Debug)]
enum Happening {
    Wait(u64),
    Given(i64),
    Came(usize, i64, bool),
    Failed,
    Stop,
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        4 => (0..3_000u64).prop_map(Happening::Wait),
        6 => (0..4_000i64).prop_map(Happening::Given),
        6 => (0..3usize, 0..10_000i64, any::<bool>())
            .prop_map(|(output, behind, is_key)| Happening::Came(output, behind, is_key)),
        1 => Just(Happening::Failed),
        1 => prop_oneof![30 => Just(Happening::Failed), 1 => Just(Happening::Stop)],
    ]
}

proptest! {
    #[test]
    fn whatever_happens_one_encoder_runs_and_only_its_outputs_are_shown(
        happenings in prop::collection::vec(happening(), 0..300),
    ) {
        let mut supervisor = Supervisor::new(2, Past::default());
        let (mut now, mut at_ms) = (Duration::ZERO, 10_000);
        let mut running = None;
        let mut last = Run(0);
        let mut shown = [false; 2];
        for happening in happenings {
            let run = supervisor.run;
            let orders = match happening {
                Happening::Wait(ms) => {
                    now += Duration::from_millis(ms);
                    supervisor.look(now)
                }
                Happening::Given(step) => {
                    at_ms += step;
                    supervisor.given(at_ms, now)
                }
                Happening::Came(output, behind, is_key) => {
                    supervisor.came(run, output, at_ms - behind, is_key, now)
                }
                Happening::Failed => supervisor.failed(run, Failure::Silent, now),
                Happening::Stop => supervisor.stop(),
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
