use super::*;

#[test]
fn sound_is_an_output_behind_all_others_that_owes_nothing_while_none_is_given() {
    let mut supervisor = Supervisor::new(1, Past::default()).with_sound();
    let mut now = seconds(100);
    assert_eq!(supervisor.look(now), [Start(Run(1))]);
    let run = supervisor.run;
    let mut orders = Vec::new();
    let mut play = |supervisor: &mut Supervisor, from_ms: i64, has_sound: bool| {
        for at_ms in (from_ms..from_ms + 30_000).step_by(40) {
            now += FRAME;
            orders.extend(supervisor.look(now));
            orders.extend(supervisor.given(at_ms, now));
            orders.extend(supervisor.came(run, 0, at_ms, at_ms % 2_000 == 0, now));
            if has_sound {
                orders.extend(supervisor.sound_given(at_ms, now));
                orders.extend(supervisor.came(run, 1, at_ms - 60, true, now));
            }
        }
        std::mem::take(&mut orders)
    };
    assert_eq!(play(&mut supervisor, 10_000, false), [Show(0, Run(1))]);
    assert_eq!(supervisor.sound_given_ms(), None);
    assert_eq!(play(&mut supervisor, 40_000, true), [Show(1, Run(1))]);
    assert_eq!(play(&mut supervisor, 70_000, false), []);
    assert_eq!(supervisor.sound_given_ms(), Some(69_960));
    assert_eq!(supervisor.report().speed_percent, Some(100));
    // Pictures that come are no excuse for sound that does not.
    let mut orders = Vec::new();
    for at_ms in (100_000..112_000).step_by(40) {
        now += FRAME;
        orders.extend(supervisor.given(at_ms, now));
        orders.extend(supervisor.sound_given(at_ms, now));
        orders.extend(supervisor.came(run, 0, at_ms, false, now));
    }
    let expected = [Feed(Diet::KeyFrames), Hide(1), End(Run(1)), Hide(0)];
    assert_eq!(orders, expected);
    assert_eq!(supervisor.report().last_failure, Some(Failure::Silent));
}

#[test]
fn sound_that_never_begins_hides_from_nobody_that_pictures_lag() {
    let mut supervisor = Supervisor::new(1, Past::default()).with_sound();
    let mut now = seconds(100);
    assert_eq!(supervisor.look(now), [Start(Run(1))]);
    let run = supervisor.run;
    supervisor.given(10_000, now);
    // One frame, as at the beginning of a stream whose microphone is muted.
    supervisor.sound_given(10_000, now);
    let shown = supervisor.came(run, 0, 10_000, true, now);
    assert_eq!(shown, [Show(0, Run(1))]);
    let mut orders = Vec::new();
    for at_ms in (10_040..13_000).step_by(40) {
        now += FRAME;
        orders.extend(supervisor.given(at_ms, now));
    }
    assert_eq!(orders, [Feed(Diet::KeyFrames)]);
    // It goes on, and gets nowhere.
    let mut orders = Vec::new();
    for (step, at_ms) in (13_000..31_000).step_by(40).enumerate() {
        now += FRAME;
        orders.extend(supervisor.given(at_ms, now));
        let came_ms = 10_001 + i64::try_from(step).unwrap();
        orders.extend(supervisor.came(run, 0, came_ms, false, now));
    }
    assert_eq!(orders, [Hide(0), End(Run(1))]);
    assert_eq!(supervisor.report().last_failure, Some(Failure::TooSlow));
}
