use super::super::built_in::BUILT_IN;
use super::super::fake::{FakePlugins, listening};
use super::*;

fn relayed(event: &str, payload: &str) -> Vec<(String, EventDelivery)> {
    let ears = [event];
    let plugins = FakePlugins::new([
        listening("scores", &ears),
        listening("relay", &ears),
        listening("deaf", &[]),
    ]);
    let emitted = EmittedEvent {
        slug: "scores".into(),
        event_type: event.into(),
        payload: payload.into(),
        depth: 3,
    };
    relay(&plugins, &emitted);
    plugins.got()
}

#[test]
fn an_emitted_event_reaches_those_who_asked_for_it_and_not_its_sender() {
    let got = relayed("scores.goal", r#"{"b":1,"a":2}"#);
    let [(slug, delivery)] = got.as_slice() else {
        panic!("{got:?}");
    };
    assert_eq!(slug, "relay");
    assert_eq!(delivery.depth, 3);
    assert_eq!(
        &*delivery.envelope,
        r#"{"eventType":"scores.goal","payload":{"b":1,"a":2}}"#
    );
}

#[test]
fn an_emitted_event_cannot_pass_for_one_of_the_servers() {
    for event in BUILT_IN {
        assert_eq!(relayed(event, "{}"), [], "{event}");
        assert!(is_built_in(event));
    }
    assert!(!is_built_in("scores.goal"));
}

#[test]
fn a_payload_that_is_no_json_is_dropped() {
    assert_eq!(relayed("scores.goal", "{"), []);
}
