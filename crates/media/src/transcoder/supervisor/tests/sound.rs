use super::*;
use crate::transcoder::OutputError;

#[test]
fn sound_is_an_output_behind_all_others_that_owes_nothing_while_none_is_given() {
    let mut supervisor = Supervisor::new(1, RestartHistory::default()).with_sound();
    let mut now = seconds(100);
    assert_eq!(supervisor.look(now), [Start(RunId(1))]);
    let run = supervisor.run;
    let mut orders = Vec::new();
    let mut play = |supervisor: &mut Supervisor, from_ms: i64, has_sound: bool| {
        for at_ms in (from_ms..from_ms + 30_000).step_by(40) {
            now += FRAME;
            orders.extend(supervisor.look(now));
            orders.extend(supervisor.given(at_ms, now));
            orders.extend(supervisor.came(run, 0, at_ms, at_ms % 2_000 == 0, now));
            if has_sound {
                orders.extend(supervisor.sound_given(at_ms, at_ms + 40, now));
                orders.extend(supervisor.came(run, 1, at_ms - 60, true, now));
            }
        }
        std::mem::take(&mut orders)
    };
    assert_eq!(play(&mut supervisor, 10_000, false), [Show(0, RunId(1))]);
    assert_eq!(supervisor.sound_given_ms(), None);
    assert_eq!(play(&mut supervisor, 40_000, true), [Show(1, RunId(1))]);
    assert_eq!(play(&mut supervisor, 70_000, false), []);
    assert_eq!(supervisor.sound_given_ms(), Some(70_000));
    assert_eq!(supervisor.report().speed_percent, Some(100));
    // Pictures do not excuse missing sound.
    let mut orders = Vec::new();
    for at_ms in (100_000..112_000).step_by(40) {
        now += FRAME;
        orders.extend(supervisor.given(at_ms, now));
        orders.extend(supervisor.sound_given(at_ms, at_ms + 40, now));
        orders.extend(supervisor.came(run, 0, at_ms, false, now));
    }
    let expected = [Feed(FeedMode::KeyFrames), Hide(1), End(RunId(1)), Hide(0)];
    assert_eq!(orders, expected);
    assert_eq!(supervisor.report().last_failure, Some(Failure::NoSound));
}

#[test]
fn sound_that_never_begins_hides_from_nobody_that_pictures_lag() {
    let mut supervisor = Supervisor::new(1, RestartHistory::default()).with_sound();
    let mut now = seconds(100);
    assert_eq!(supervisor.look(now), [Start(RunId(1))]);
    let run = supervisor.run;
    supervisor.given(10_000, now);
    // One frame, as at the start of a stream with a muted microphone.
    supervisor.sound_given(10_000, 10_040, now);
    let shown = supervisor.came(run, 0, 10_000, true, now);
    assert_eq!(shown, [Show(0, RunId(1))]);
    let mut orders = Vec::new();
    for at_ms in (10_040..13_000).step_by(40) {
        now += FRAME;
        orders.extend(supervisor.given(at_ms, now));
    }
    assert_eq!(orders, [Feed(FeedMode::KeyFrames)]);
    // The sound continues, but makes no progress.
    let mut orders = Vec::new();
    for (step, at_ms) in (13_000..31_000).step_by(40).enumerate() {
        now += FRAME;
        orders.extend(supervisor.given(at_ms, now));
        let came_ms = 10_001 + i64::try_from(step).unwrap();
        orders.extend(supervisor.came(run, 0, came_ms, false, now));
    }
    assert_eq!(orders, [Hide(0), End(RunId(1))]);
    assert_eq!(supervisor.report().last_failure, Some(Failure::TooSlow));
}

/// Thirty seconds in which pictures arrive and sound does not; returns the orders.
fn play_deaf(supervisor: &mut Supervisor, now: &mut Duration) -> Vec<Order> {
    let mut orders = supervisor.look(*now);
    let run = supervisor.run;
    for at_ms in (10_000..40_000).step_by(40) {
        *now += FRAME;
        orders.extend(supervisor.given(at_ms, *now));
        orders.extend(supervisor.came(run, 0, at_ms, at_ms % 2_000 == 0, *now));
        if supervisor.encodes_sound() {
            orders.extend(supervisor.sound_given(at_ms, at_ms + 40, *now));
        }
    }
    orders
}

#[test]
fn sound_that_has_spoilt_two_runs_is_left_out_and_pictures_go_on() {
    let mut supervisor = Supervisor::new(1, RestartHistory::default()).with_sound();
    let mut now = seconds(100);
    for number in [1, 2] {
        assert!(supervisor.encodes_sound());
        let (run, orders) = (RunId(number), play_deaf(&mut supervisor, &mut now));
        assert_eq!(orders, [Start(run), Show(0, run), End(run), Hide(0)]);
        assert_eq!(supervisor.report().last_failure, Some(Failure::NoSound));
    }
    assert!(!supervisor.encodes_sound());
    let orders = play_deaf(&mut supervisor, &mut now);
    assert_eq!(orders, [Start(RunId(3)), Show(0, RunId(3))]);
    // Other parameters of the source do not fix its sound.
    let next = Supervisor::new(1, supervisor.restart_history()).with_sound();
    assert!(!next.encodes_sound());
    let alone = Supervisor::new(0, supervisor.restart_history()).with_sound();
    assert!(alone.encodes_sound(), "there are no pictures to spoil");
}

/// Starts the next run, which fails before it produces anything.
fn fail_at_once(supervisor: &mut Supervisor, now: &mut Duration, failure: Failure) {
    *now += seconds(31);
    let orders = supervisor.look(*now);
    assert!(matches!(orders.as_slice(), [Start(_)]), "{orders:?}");
    supervisor.failed(supervisor.run, failure, *now);
}

#[test]
fn a_program_that_gives_up_at_once_is_tried_without_sound_and_with_it_if_that_is_no_better() {
    let mut supervisor = Supervisor::new(1, RestartHistory::default()).with_sound();
    let mut now = seconds(100);
    let gave_up = || Failure::GaveUp("no decoder".into());
    for has_sound in [true, true, false, true, true, true] {
        assert_eq!(supervisor.encodes_sound(), has_sound);
        fail_at_once(&mut supervisor, &mut now, gave_up());
    }
    // Its output shows that the sound is the cause.
    for _ in 0..2 {
        assert!(supervisor.encodes_sound());
        let bad = Failure::BadSound(OutputError::Mixed);
        fail_at_once(&mut supervisor, &mut now, bad);
    }
    for _ in 0..3 {
        assert!(!supervisor.encodes_sound());
        fail_at_once(&mut supervisor, &mut now, gave_up());
    }
}

#[test]
fn an_encoder_that_dies_after_it_has_written_sound_keeps_it() {
    let mut supervisor = Supervisor::new(1, RestartHistory::default()).with_sound();
    let mut now = seconds(100);
    for _ in 0..5 {
        now += seconds(31);
        supervisor.look(now);
        let run = supervisor.run;
        supervisor.given(10_000, now);
        supervisor.sound_given(10_000, 10_040, now);
        supervisor.came(run, 0, 10_000, true, now);
        supervisor.came(run, 1, 10_000, true, now);
        supervisor.failed(run, Failure::GaveUp("signal: 9".into()), now);
        assert!(supervisor.encodes_sound());
    }
}

/// An encoder of pictures and sound that gets the input that was ordered: while behind, key frames and all of the
/// sound.
struct CatchingUpEncoder {
    supervisor: Supervisor,
    now: Duration,
    at_ms: i64,
    group_ms: i64,
    wants_key: bool,
}

impl CatchingUpEncoder {
    fn new(group_ms: i64) -> Self {
        Self {
            supervisor: Supervisor::new(1, RestartHistory::default()).with_sound(),
            now: seconds(100),
            at_ms: 10_000,
            group_ms,
            wants_key: true,
        }
    }

    /// Plays for a duration; pictures and sound arrive as given. Returns the orders.
    fn play(&mut self, length: Duration, has_pictures: bool, has_sound: bool) -> Vec<Order> {
        let end = self.now + length;
        let mut orders = Vec::new();
        while self.now < end {
            self.now += FRAME;
            let (supervisor, now, at_ms) = (&mut self.supervisor, self.now, self.at_ms);
            orders.extend(supervisor.look(now));
            let run = supervisor.run;
            let is_key = (at_ms - 10_000) % self.group_ms == 0;
            let is_given = is_key || (supervisor.mode == FeedMode::Everything && !self.wants_key);
            self.wants_key = !is_given;
            if is_given {
                orders.extend(supervisor.given(at_ms, now));
            } else {
                orders.extend(supervisor.left_out(at_ms, now));
            }
            if is_given && has_pictures {
                orders.extend(supervisor.came(run, 0, at_ms, is_key, now));
            }
            orders.extend(supervisor.sound_given(at_ms, at_ms + 40, now));
            if has_sound {
                orders.extend(supervisor.came(run, 1, at_ms, true, now));
            }
            self.at_ms += 40;
        }
        orders
    }
}

#[test]
fn an_encoder_that_hangs_as_a_whole_keeps_its_sound() {
    for group_ms in [2_000, 12_000] {
        let mut encoder = CatchingUpEncoder::new(group_ms);
        // From here on sound owes too much, shortly or long before pictures do.
        let begun = encoder.play(seconds(1), true, true);
        assert_eq!(
            begun,
            [Start(RunId(1)), Show(0, RunId(1)), Show(1, RunId(1))]
        );
        for number in 1..=3 {
            let orders = encoder.play(Duration::from_millis(8_500), false, false);
            let run = RunId(number);
            let expected = [Feed(FeedMode::KeyFrames), Hide(0), Hide(1), End(run)];
            assert_eq!(orders, expected, "{group_ms}");
            let report = encoder.supervisor.report();
            assert_eq!(report.last_failure, Some(Failure::Silent), "{group_ms}");
            assert!(encoder.supervisor.encodes_sound(), "{group_ms}");
            encoder.play(seconds(20), true, true);
        }
    }
}

#[test]
fn sound_that_stops_is_to_blame_also_where_no_picture_is_due() {
    let mut encoder = CatchingUpEncoder::new(12_000);
    encoder.play(seconds(1), true, true);
    // The next key frame is far away, and nothing else is fed while the sound is behind.
    let orders = encoder.play(Duration::from_millis(8_500), true, false);
    let expected = [Feed(FeedMode::KeyFrames), Hide(1), End(RunId(1)), Hide(0)];
    assert_eq!(orders, expected);
    let report = encoder.supervisor.report();
    assert_eq!(report.last_failure, Some(Failure::NoSound));
}
