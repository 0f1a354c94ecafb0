use testkit::{ManualClock, eventually};

use super::super::fake::{FakePlugins, listening};
use super::*;

#[tokio::test]
async fn time_is_told_once_a_second_to_those_who_asked() {
    let plugins = Arc::new(FakePlugins::new([
        listening("clock", &["tick"]),
        listening("deaf", &[]),
    ]));
    let clock = ManualClock::default();
    let stop = CancellationToken::new();
    let task = tokio::spawn(tick(plugins.clone(), Arc::new(clock.clone()), stop.clone()));
    for told in 1..=3 {
        let heard = || async {
            clock.advance(TICK);
            (plugins.heard().len() >= told).then_some(())
        };
        eventually("a tick", heard).await;
    }
    stop.cancel();
    task.await.unwrap();
    let got = plugins.got();
    assert!(got.iter().all(|(slug, _)| slug == "clock"));
    let first = &got[0].1.envelope;
    assert!(
        first.starts_with(r#"{"eventType":"tick","payload":{"now":17000000"#),
        "{first}"
    );
}
