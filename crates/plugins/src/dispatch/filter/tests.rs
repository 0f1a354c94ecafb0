use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use testkit::ManualClock;

use super::super::fake::filtering;
use super::super::listener::EventDelivery;
use super::*;

/// Filters with scripted answers. An unknown plugin never answers, and the clock jumps ahead meanwhile.
#[derive(Debug, Default)]
struct FakeFilters {
    answers: HashMap<&'static str, Result<String, FilterError>>,
    asked: Mutex<Vec<(String, String)>>,
    left_out: Mutex<Vec<String>>,
    clock: ManualClock,
}

impl RunningPlugins for FakeFilters {
    fn loaded(&self) -> Arc<[EventListener]> {
        Arc::from([])
    }

    fn deliver(&self, slug: &str, _delivery: EventDelivery) {
        panic!("a filter of {slug} was asked by an event");
    }

    fn filter<'a>(
        &'a self,
        slug: &'a str,
        envelope: &'a str,
        budget: Duration,
    ) -> BoxFuture<'a, Result<String, FilterError>> {
        self.asked
            .lock()
            .unwrap()
            .push((slug.into(), envelope.into()));
        match self.answers.get(slug) {
            Some(answer) => Box::pin(std::future::ready(answer.clone())),
            None => {
                self.clock.advance(budget);
                Box::pin(std::future::pending())
            }
        }
    }

    fn left_out(&self, slug: &str) {
        self.left_out.lock().unwrap().push(slug.into());
    }
}

impl FakeFilters {
    fn say(answers: &[(&'static str, &str)]) -> Self {
        let answers = answers
            .iter()
            .map(|(slug, answer)| (*slug, Ok((*answer).into())));
        Self {
            answers: answers.collect(),
            ..Self::default()
        }
    }

    fn chain<'a>(&'a self, listeners: &'a [EventListener]) -> FilterChain<'a> {
        FilterChain::new(self, listeners, &self.clock)
    }

    fn order(&self) -> Vec<String> {
        self.asked
            .lock()
            .unwrap()
            .iter()
            .map(|(slug, _)| slug.clone())
            .collect()
    }
}

fn all(slugs: &[&str]) -> Vec<EventListener> {
    slugs
        .iter()
        .map(|slug| filtering(slug, Some(100)))
        .collect()
}

fn line() -> ChatMessage {
    ChatMessage {
        id: "m".into(),
        body: "hello".into(),
        timestamp: "t".into(),
        ..ChatMessage::default()
    }
}

const LINE: &str = r#"{"id":"m","body":"hello","timestamp":"t"}"#;
const PASS: &str = r#"{"action":"pass"}"#;

fn unchanged() -> Judgement {
    Judgement::Passed {
        payload: LINE.into(),
        is_changed: false,
    }
}

#[tokio::test]
async fn lower_priorities_are_asked_first_and_then_by_slug() {
    let plugins = FakeFilters::say(&[("a", PASS), ("b", PASS), ("c", PASS), ("d", PASS)]);
    let listeners = [
        filtering("d", Some(100)),
        filtering("b", Some(5)),
        filtering("c", Some(100)),
        filtering("a", None),
    ];
    let chain = plugins.chain(&listeners);
    assert!(!chain.is_empty());
    assert_eq!(chain.judge(&line()).await, unchanged());
    assert_eq!(plugins.order(), ["b", "c", "d"]);
}

#[tokio::test]
async fn a_changed_line_is_what_the_next_filter_sees() {
    let plugins = FakeFilters::say(&[
        (
            "a",
            r#"{"action":"modify","payload":{"body":"bye", "id":"m"}}"#,
        ),
        ("b", PASS),
    ]);
    let listeners = all(&["a", "b"]);
    let judged = plugins.chain(&listeners).judge(&line()).await;
    assert_eq!(judged.changed_body().as_deref(), Some("bye"));
    assert_eq!(
        plugins.asked.lock().unwrap()[1].1,
        r#"{"eventType":"chat.message.received","payload":{"body":"bye", "id":"m"}}"#
    );
}

#[tokio::test]
async fn a_dropped_line_is_shown_to_no_other_filter() {
    let plugins = FakeFilters::say(&[("a", r#"{"action":"drop","reason":"rude"}"#), ("b", PASS)]);
    let listeners = all(&["a", "b"]);
    let judged = plugins.chain(&listeners).judge(&line()).await;
    let (by, reason) = ("a".into(), "rude".into());
    assert_eq!(judged, Judgement::Dropped { by, reason });
    assert_eq!(plugins.order(), ["a"]);
}

#[tokio::test]
async fn a_filter_cannot_lengthen_a_line_past_what_the_chat_takes() {
    let changed = |body: String| format!(r#"{{"action":"modify","payload":{{"body":"{body}"}}}}"#);
    let most = model::chat::MAX_LINE_CHARS;
    for (length, heard) in [(most, "ä".repeat(most)), (most + 1, "masked".to_owned())] {
        let long = changed("ä".repeat(length));
        let plugins = FakeFilters::say(&[("a", &changed("masked".into())), ("b", &long)]);
        let listeners = all(&["a", "b"]);
        let judged = plugins.chain(&listeners).judge(&line()).await;
        assert_eq!(judged.changed_body(), Some(heard));
        assert_eq!(check_verdict(&long).is_err(), length > most);
    }
}

#[tokio::test]
async fn answers_that_cannot_be_used_are_strikes_and_the_line_goes_on() {
    let long = format!(
        r#"{{"action":"drop","reason":"{}"}}"#,
        "x".repeat(MAX_FILTER_OUTPUT)
    );
    for answer in [
        "no JSON",
        "[]",
        "5",
        r#"{"action":7}"#,
        r#"{"action":"modify"}"#,
        r#"{"action":"modify","payload":"text"}"#,
        r#"{"action":"drop","reason":7}"#,
        long.as_str(),
    ] {
        let plugins = FakeFilters::say(&[("bad", answer), ("good", PASS)]);
        let listeners = all(&["bad", "good"]);
        assert_eq!(plugins.chain(&listeners).judge(&line()).await, unchanged());
        assert!(check_verdict(answer).is_err(), "{answer:.60}");
        assert_eq!(plugins.order(), ["bad", "good"]);
    }
}

#[tokio::test]
async fn an_unknown_verdict_and_an_empty_one_let_the_line_pass() {
    for (answer, is_odd) in [
        (r#"{"action":"sing"}"#, true),
        (r#"{"action":""}"#, false),
        ("{}", false),
    ] {
        let plugins = FakeFilters::say(&[("a", answer)]);
        let listeners = all(&["a"]);
        assert_eq!(plugins.chain(&listeners).judge(&line()).await, unchanged());
        assert_eq!(check_verdict(answer).unwrap().is_some(), is_odd, "{answer}");
    }
}

#[tokio::test]
async fn a_filter_that_fails_keeps_what_the_one_before_made_of_the_line() {
    let mut plugins = FakeFilters::say(&[("a", r#"{"action":"modify","payload":{"body":"bye"}}"#)]);
    plugins
        .answers
        .insert("b", Err(FilterError::Failed("ZeroDivisionError".into())));
    let listeners = all(&["a", "b"]);
    let judged = plugins.chain(&listeners).judge(&line()).await;
    assert_eq!(judged.changed_body().as_deref(), Some("bye"));
}

#[tokio::test]
async fn a_changed_message_without_a_text_is_a_strike_and_undoes_no_mask() {
    for payload in ["{}", r#"{"user":{}}"#, r#"{"body":null}"#, r#"{"body":5}"#] {
        let answer = format!(r#"{{"action":"modify","payload":{payload}}}"#);
        let masked = r#"{"action":"modify","payload":{"body":"my ******"}}"#;
        let plugins = FakeFilters::say(&[("a", masked), ("b", &answer)]);
        let listeners = all(&["a", "b"]);
        let judged = plugins.chain(&listeners).judge(&line()).await;
        assert_eq!(
            judged.changed_body().as_deref(),
            Some("my ******"),
            "{payload}"
        );
        assert!(check_verdict(&answer).is_err(), "{payload}");
    }
}

#[tokio::test]
async fn a_filter_that_is_gone_is_passed_over() {
    let mut plugins = FakeFilters::default();
    plugins.answers.insert("a", Err(FilterError::Gone));
    let listeners = all(&["a"]);
    assert_eq!(plugins.chain(&listeners).judge(&line()).await, unchanged());
}

#[tokio::test]
async fn a_filter_that_is_busy_or_late_is_passed_over_and_counted() {
    for error in [FilterError::Busy, FilterError::Late] {
        let mut plugins = FakeFilters::say(&[("b", PASS)]);
        plugins.answers.insert("a", Err(error.clone()));
        let listeners = all(&["a", "b"]);
        let judged = plugins.chain(&listeners).judge(&line()).await;
        assert_eq!(judged, unchanged(), "{error:?}");
        assert_eq!(plugins.order(), ["a", "b"], "{error:?}");
        assert_eq!(*plugins.left_out.lock().unwrap(), ["a"], "{error:?}");
    }
}

#[tokio::test]
async fn a_filter_that_does_not_answer_in_time_is_passed_over() {
    let plugins = FakeFilters::say(&[("b", PASS)]);
    let listeners = all(&["a", "b"]);
    assert_eq!(plugins.chain(&listeners).judge(&line()).await, unchanged());
    assert_eq!(plugins.order(), ["a", "b"]);
    assert_eq!(*plugins.left_out.lock().unwrap(), ["a"]);
}

#[tokio::test]
async fn a_filter_whose_plugin_is_busy_is_waited_for_and_leaves_something_to_those_after_it() {
    let plugins = FakeFilters::say(&[("b", PASS), ("c", PASS)]);
    let listeners = all(&["a", "b", "c"]);
    let begin = plugins.clock.now();
    assert_eq!(plugins.chain(&listeners).judge(&line()).await, unchanged());
    let waited = plugins.clock.now().duration_since(begin).unsigned_abs();
    assert_eq!(waited, CHAIN_BUDGET - 2 * LEFT_TO_LATER);
    assert_eq!(plugins.order(), ["a", "b", "c"]);
}

#[tokio::test]
async fn many_slow_filters_together_keep_a_line_no_longer_than_their_budget() {
    let plugins = FakeFilters::default();
    let listeners = all(&["a", "b", "c", "d", "e", "f"]);
    let end = plugins.clock.now() + CHAIN_BUDGET;
    assert_eq!(plugins.chain(&listeners).judge(&line()).await, unchanged());
    assert_eq!(plugins.clock.now(), end);
    assert_eq!(plugins.order(), ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(plugins.left_out.lock().unwrap().len(), 6);
}

#[tokio::test]
async fn a_result_that_is_no_verdict_passes_and_is_remarked() {
    let answer = r#"{"action":"pass","warning":"filter_chat_message returned 'drop'"}"#;
    let plugins = FakeFilters::say(&[("a", answer)]);
    let listeners = all(&["a"]);
    assert_eq!(plugins.chain(&listeners).judge(&line()).await, unchanged());
    let remark = check_verdict(answer).unwrap();
    assert_eq!(
        remark.as_deref(),
        Some("filter_chat_message returned 'drop'")
    );
}

#[test]
fn only_a_text_is_taken_as_a_changed_body() {
    let changed = |payload: &str| {
        let payload = payload.into();
        Judgement::Passed {
            payload,
            is_changed: true,
        }
        .changed_body()
    };
    assert_eq!(changed(r#"{"body":"x","id":5}"#).as_deref(), Some("x"));
    assert_eq!(changed(r#"{"body":5}"#), None);
    assert_eq!(changed("{}"), None);
    assert_eq!(unchanged().changed_body(), None);
}
