use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use plugins::host::{Deliveries, EmittedEvent, HostCalls, MAX_TIMERS};
use serde_json::{Value, json};
use testkit::{ManualClock, eventually};
use tokio::sync::Semaphore;

use super::stage::{Stage, all};

/// Callbacks that return when they are allowed to.
#[derive(Debug)]
struct Callbacks {
    begun: Mutex<Vec<i64>>,
    may_return: Semaphore,
}

impl Deliveries for Callbacks {
    fn emitted(&self, _event: EmittedEvent) {}

    fn timer_due<'a>(&'a self, _slug: &'a str, id: i64) -> BoxFuture<'a, ()> {
        self.begun.lock().unwrap().push(id);
        Box::pin(async { self.may_return.acquire().await.unwrap().forget() })
    }
}

fn stage(returning: usize) -> (Stage, Arc<Callbacks>, ManualClock) {
    let clock = ManualClock::default();
    let callbacks = Arc::new(Callbacks {
        begun: Mutex::default(),
        may_return: Semaphore::new(returning),
    });
    let (time, deliveries) = (clock.clone(), Arc::clone(&callbacks));
    let stage = Stage::with(all(), json!({}), move |parts| {
        parts.clock = Arc::new(time);
        parts.deliveries = deliveries;
    });
    (stage, callbacks, clock)
}

async fn begun(callbacks: &Callbacks, count: usize) -> Vec<i64> {
    eventually("callbacks", || async {
        let begun = callbacks.begun.lock().unwrap().clone();
        (begun.len() >= count).then_some(begun)
    })
    .await
}

/// Lets every task that can go on do so.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

fn timer(id: i64, ms: i64, repeat: bool) -> Value {
    json!({"id": id, "delayMs": ms, "repeat": repeat})
}

#[tokio::test]
async fn a_timeout_fires_once_and_short_waits_become_a_tenth_of_a_second() {
    let (stage, callbacks, clock) = stage(100);
    assert_eq!(stage.ok("timer_set", timer(1, 1, false)).await, 1);
    settle().await;
    clock.advance(Duration::from_millis(99));
    settle().await;
    assert!(callbacks.begun.lock().unwrap().is_empty());
    clock.advance(Duration::from_millis(1));
    assert_eq!(begun(&callbacks, 1).await, [1]);
    clock.advance(Duration::from_secs(10));
    settle().await;
    assert_eq!(*callbacks.begun.lock().unwrap(), [1]);
}

#[tokio::test]
async fn an_interval_waits_for_its_callback_before_it_counts_again() {
    let (stage, callbacks, clock) = stage(0);
    stage.ok("timer_set", timer(7, 1000, true)).await;
    settle().await;
    clock.advance(Duration::from_secs(1));
    begun(&callbacks, 1).await;
    clock.advance(Duration::from_secs(60));
    settle().await;
    assert_eq!(callbacks.begun.lock().unwrap().len(), 1, "it still runs");
    callbacks.may_return.add_permits(1);
    settle().await;
    clock.advance(Duration::from_millis(999));
    settle().await;
    assert_eq!(callbacks.begun.lock().unwrap().len(), 1);
    clock.advance(Duration::from_millis(1));
    assert_eq!(begun(&callbacks, 2).await, [7, 7]);
}

#[tokio::test]
async fn there_is_room_for_so_many_timers_and_an_id_replaces_its_former_one() {
    let (stage, callbacks, clock) = stage(100);
    for id in 1..=MAX_TIMERS as i64 {
        assert_eq!(stage.ok("timer_set", timer(id, 5000, false)).await, id);
    }
    assert_eq!(stage.ok("timer_set", timer(99, 5000, false)).await, 0);
    assert_eq!(stage.ok("timer_set", timer(1, 100, false)).await, 1);
    settle().await;
    clock.advance(Duration::from_millis(100));
    assert_eq!(begun(&callbacks, 1).await, [1]);
    assert_eq!(stage.ok("timer_set", timer(99, 5000, false)).await, 99);
    stage.ok("timer_clear", json!({"id": 99})).await;
    stage.ok("timer_clear", json!({"id": 12345})).await;
    settle().await;
    clock.advance(Duration::from_secs(5));
    let all = begun(&callbacks, MAX_TIMERS).await;
    settle().await;
    assert_eq!(all.len(), MAX_TIMERS);
    assert!(!all.contains(&99));
}

#[tokio::test]
async fn timers_end_with_the_instance_and_with_the_plugin() {
    for closes in [true, false] {
        let (stage, callbacks, clock) = stage(100);
        stage.ok("timer_set", timer(1, 1000, true)).await;
        match closes {
            true => stage.host.close(),
            false => stage.host.instance_ended(),
        }
        settle().await;
        clock.advance(Duration::from_secs(60));
        settle().await;
        assert!(callbacks.begun.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn no_wait_is_longer_than_a_day() {
    let (stage, callbacks, clock) = stage(100);
    stage.ok("timer_set", timer(1, i64::MAX, false)).await;
    stage.ok("timer_set", timer(2, -5, false)).await;
    settle().await;
    clock.advance(Duration::from_millis(100));
    assert_eq!(begun(&callbacks, 1).await, [2]);
    clock.advance(Duration::from_secs(24 * 60 * 60));
    assert_eq!(begun(&callbacks, 2).await, [2, 1]);
}
