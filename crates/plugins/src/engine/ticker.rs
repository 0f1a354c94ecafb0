//! The ticker that interrupts plugins: running code checks it and yields when it has changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::EngineWeak;

/// Between two beats. A plugin runs at most this much longer than it may.
const BEAT: Duration = Duration::from_millis(5);
/// Beats without a call after which the pulse rests: waking it up costs more than a short call.
const IDLE_BEATS: u32 = 200;
/// What the thread is called in the system's lists.
const THREAD_NAME: &str = "plugin-pulse";

/// Ticks while calls run. The thread ends with the engine.
#[derive(Debug)]
pub(super) struct Ticker {
    shared: Arc<TickerShared>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct TickerShared {
    running: AtomicUsize,
    is_resting: AtomicBool,
    is_over: AtomicBool,
}

impl Ticker {
    pub(super) fn start(engine: EngineWeak) -> std::io::Result<Self> {
        let shared = Arc::new(TickerShared::default());
        let beating = Arc::clone(&shared);
        let handle = thread::Builder::new()
            .name(THREAD_NAME.to_owned())
            .spawn(move || beat(&engine, &beating))?;
        Ok(Self {
            shared,
            thread: handle.thread().clone(),
        })
    }

    /// Keeps the ticker running while the guard lives.
    pub(super) fn hold(&self) -> TickerGuard<'_> {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        if self.shared.is_resting.swap(false, Ordering::SeqCst) {
            self.thread.unpark();
        }
        TickerGuard(&self.shared)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// See [`Ticker::hold`].
pub(super) struct TickerGuard<'a>(&'a TickerShared);

impl Drop for TickerGuard<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

fn beat(engine: &EngineWeak, shared: &TickerShared) {
    let mut idle = 0;
    while !shared.is_over.load(Ordering::SeqCst) {
        if idle < IDLE_BEATS {
            thread::park_timeout(BEAT);
            let Some(engine) = engine.upgrade() else {
                return;
            };
            engine.increment_epoch();
        } else {
            rest(shared);
            idle = 0;
        }
        match shared.running.load(Ordering::SeqCst) {
            0 => idle += 1,
            _ => idle = 0,
        }
    }
}

/// Sleeps until a call begins. The flag is set first and the calls are counted afterwards, so none is missed.
fn rest(shared: &TickerShared) {
    shared.is_resting.store(true, Ordering::SeqCst);
    while shared.running.load(Ordering::SeqCst) == 0
        && shared.is_resting.load(Ordering::SeqCst)
        && !shared.is_over.load(Ordering::SeqCst)
    {
        thread::park();
    }
    shared.is_resting.store(false, Ordering::SeqCst);
}
