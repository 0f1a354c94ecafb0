//! Measures how much of its budget a call has used.
//!
//! Computing is measured in processor time of the thread, so that a plugin is not blamed for a busy machine. Sleeping
//! is measured in wall-clock time. Waiting for host calls has a budget of its own.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::time::{Instant, Sleep};

use super::limits::Budget;

/// Why a call was ended.
#[derive(Debug, thiserror::Error)]
#[error("it used up its time")]
pub(super) struct OutOfTime;

/// Measures one instance, call by call.
#[derive(Debug)]
pub(super) struct Meter(Mutex<MeterState>);

#[derive(Debug)]
struct MeterState {
    budget: Budget,
    host_calls_left: u32,
    ran: Duration,
    waited: Duration,
    /// Since the instance was created.
    processor: Duration,
    phase: Phase,
    /// The thread's processor time when the guest was entered.
    entered: Duration,
}

impl MeterState {
    /// Adds the processor time since the guest was entered or since this was last called.
    fn settle(&mut self) {
        let now = processor_time();
        let used = now.saturating_sub(self.entered);
        self.ran += used;
        self.processor += used;
        self.entered = now;
    }
}

/// The budget spent by a call that was interrupted.
#[derive(Debug)]
pub(super) struct SpentBudget {
    budget: Budget,
    host_calls_left: u32,
    ran: Duration,
    waited: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// In the guest, or not started.
    Running,
    /// Interrupted so that others can run; it would continue at once.
    Interrupted,
    /// In one of our host calls.
    Asking,
    /// In a waiting host call of WASI, usually a clock.
    Sleeping(Instant),
}

impl Meter {
    pub(super) fn new() -> Self {
        Self(Mutex::new(MeterState {
            budget: Budget::LOAD,
            host_calls_left: 0,
            ran: Duration::ZERO,
            waited: Duration::ZERO,
            processor: Duration::ZERO,
            phase: Phase::Running,
            entered: Duration::ZERO,
        }))
    }

    /// Starts a new call.
    pub(super) fn begin(&self, budget: Budget, host_calls: u32) {
        let mut state = self.lock();
        state.budget = budget;
        state.host_calls_left = host_calls;
        state.ran = Duration::ZERO;
        state.waited = Duration::ZERO;
        state.phase = Phase::Running;
    }

    /// Called in the guest at every tick; returns whether it may continue.
    pub(super) fn interrupt(&self) -> Result<(), OutOfTime> {
        let mut state = self.lock();
        let here = processor_time().saturating_sub(state.entered);
        if state.ran + here > state.budget.running {
            return Err(OutOfTime);
        }
        state.phase = Phase::Interrupted;
        Ok(())
    }

    /// Starts a host call; returns how long it may wait, or `None` if there were too many.
    pub(super) fn ask(&self) -> Option<Duration> {
        let mut state = self.lock();
        state.host_calls_left = state.host_calls_left.checked_sub(1)?;
        state.phase = Phase::Asking;
        Some(state.budget.waiting.saturating_sub(state.waited))
    }

    /// Ends a host call.
    pub(super) fn asked(&self, waited: Duration) {
        let mut state = self.lock();
        state.waited += waited;
        state.phase = Phase::Running;
    }

    /// Starts a nested call with a budget of its own; what the outer call has spent is set aside.
    pub(super) fn set_aside(&self, budget: Budget, host_calls: u32) -> SpentBudget {
        let mut state = self.lock();
        state.settle();
        SpentBudget {
            budget: std::mem::replace(&mut state.budget, budget),
            host_calls_left: std::mem::replace(&mut state.host_calls_left, host_calls),
            ran: std::mem::take(&mut state.ran),
            waited: std::mem::take(&mut state.waited),
        }
    }

    /// Ends the nested call; the outer call goes on waiting.
    pub(super) fn go_on(&self, spent: &SpentBudget) {
        let mut state = self.lock();
        state.settle();
        state.budget = spent.budget;
        state.host_calls_left = spent.host_calls_left;
        state.ran = spent.ran;
        state.waited = spent.waited;
        state.phase = Phase::Asking;
    }

    /// The budget of the running call, or of the filter nested in it.
    pub(super) fn budget(&self) -> Budget {
        self.lock().budget
    }

    /// Time used by the last call: computing, sleeping and waiting for the host.
    pub(super) fn used(&self) -> Duration {
        let state = self.lock();
        state.ran + state.waited
    }

    /// Processor time since the instance was created.
    pub(super) fn processor(&self) -> Duration {
        self.lock().processor
    }

    /// The guest is about to run.
    fn enter(&self) -> Result<(), OutOfTime> {
        let mut state = self.lock();
        match state.phase {
            Phase::Sleeping(since) => {
                state.ran += since.elapsed();
                state.phase = Phase::Running;
            }
            Phase::Interrupted => state.phase = Phase::Running,
            Phase::Running | Phase::Asking => {}
        }
        state.entered = processor_time();
        match state.ran > state.budget.running {
            true => Err(OutOfTime),
            false => Ok(()),
        }
    }

    /// The guest has stopped running. If it is sleeping, returns how long it may.
    fn leave(&self, is_done: bool) -> Option<Duration> {
        let mut state = self.lock();
        state.settle();
        if is_done || !matches!(state.phase, Phase::Running) {
            return None;
        }
        state.phase = Phase::Sleeping(Instant::now());
        Some(state.budget.running.saturating_sub(state.ran))
    }

    fn lock(&self) -> MutexGuard<'_, MeterState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Processor time of the calling thread: a guest runs on the thread that polls it.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// A call into the guest that ends when its budget does.
pub(super) struct MeteredCall<'a, F> {
    meter: &'a Meter,
    call: Pin<Box<F>>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<'a, F: Future> MeteredCall<'a, F> {
    pub(super) fn new(meter: &'a Meter, call: F) -> Self {
        Self {
            meter,
            call: Box::pin(call),
            alarm: None,
        }
    }
}

impl<F: Future> Future for MeteredCall<'_, F> {
    type Output = Result<F::Output, OutOfTime>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if let Err(over) = this.meter.enter() {
            return Poll::Ready(Err(over));
        }
        let outcome = this.call.as_mut().poll(context);
        let may_sleep = this.meter.leave(outcome.is_ready());
        if let Poll::Ready(output) = outcome {
            return Poll::Ready(Ok(output));
        }
        this.alarm = may_sleep.map(|left| Box::pin(tokio::time::sleep(left)));
        if let Some(alarm) = &mut this.alarm
            && alarm.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Err(OutOfTime));
        }
        Poll::Pending
    }
}
