//! A plugin's host calls: they are bounded by its waiting budget, and its filter can run while one is pending.
//!
//! An instance cannot be entered twice, so a filter cannot be called from outside while a handler waits in a host call.
//! Instead the wait is interrupted: the call returns the line, the SDK runs the filter right there and passes its
//! verdict to the call [`FILTERED`], which returns the answer the handler is waiting for, or the next line.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use tokio::time::{Instant, timeout};

use super::instance::cut;
use super::limits::{CallKind, HOST_CALL_ARGUMENTS, InstanceLimits};
use super::meter::{Meter, SpentBudget};
use super::output::OutputCapture;
use crate::host::HostCalls;

/// The call by which the SDK hands in a verdict; no function of the host has this name.
const FILTERED: &str = "filtered";

/// What an answer begins with that is a line for the filter. No JSON text does.
const LINE: char = '!';

/// Chat lines that arrive for a plugin's filter while one of its handlers waits.
pub trait WaitingLines: fmt::Debug + Send + Sync {
    /// Waits for the next line, as JSON text. Dropping the future before it is ready loses nothing.
    fn next(&self) -> BoxFuture<'_, Arc<str>>;

    /// The filter's result for the line taken last: its answer or the traceback; and whether one of its host calls
    /// timed out.
    fn answered(&self, answer: Result<String, String>, was_kept_waiting: bool);
}

/// An instance's connection to its host. Cheap to clone.
#[derive(Clone)]
pub(super) struct HostCaller(Arc<HostCallerInner>);

struct HostCallerInner {
    host: Arc<dyn HostCalls>,
    meter: Arc<Meter>,
    printed: OutputCapture,
    host_calls: u32,
    state: Mutex<HostCallState>,
}

#[derive(Default)]
struct HostCallState {
    lines: Option<Arc<dyn WaitingLines>>,
    /// Whether the current call is a handler in which the filter may run.
    is_handler: bool,
    /// The interrupted host call of a handler, and the budget the handler had spent.
    broken_off: Option<(PendingHostCall, SpentBudget)>,
    /// A host call timed out, or was not started because no waiting time was left.
    was_kept_waiting: bool,
}

/// A host call in progress.
type PendingHostCall = BoxFuture<'static, Result<String, String>>;

#[derive(Deserialize)]
struct FilterFailure {
    error: String,
}

impl HostCaller {
    pub(super) fn new(
        host: Arc<dyn HostCalls>,
        meter: Arc<Meter>,
        printed: &OutputCapture,
        limits: InstanceLimits,
    ) -> Self {
        Self(Arc::new(HostCallerInner {
            host,
            meter,
            printed: printed.clone(),
            host_calls: limits.host_calls,
            state: Mutex::default(),
        }))
    }

    /// From now on lines are taken from `lines`.
    pub(super) fn set_lines(&self, lines: Arc<dyn WaitingLines>) {
        self.0.state().lines = Some(lines);
    }

    /// A call into the plugin starts.
    pub(super) fn begin(&self, kind: Option<CallKind>) {
        let mut state = self.0.state();
        state.is_handler = kind.is_some_and(|kind| kind != CallKind::Filter);
        state.broken_off = None;
        state.was_kept_waiting = false;
    }

    /// The call is over, and nobody waits for its host calls any more.
    pub(super) fn end(&self) {
        let mut state = self.0.state();
        state.is_handler = false;
        state.broken_off = None;
    }

    /// Whether a host call of the last call timed out.
    pub(super) fn was_kept_waiting(&self) -> bool {
        self.0.state().was_kept_waiting
    }

    /// Makes a host call for the plugin.
    pub(super) async fn ask(&self, name: String, args: String) -> Result<String, String> {
        let is_too_large = args.len() > HOST_CALL_ARGUMENTS;
        if name == FILTERED {
            let verdict = (!is_too_large).then_some(args);
            return self.filtered(verdict).await;
        }
        if is_too_large {
            return Err(format!(
                "{name}: the arguments are larger than {HOST_CALL_ARGUMENTS} bytes"
            ));
        }
        let meter = &self.0.meter;
        let Some(may_wait) = meter.ask() else {
            return Err(format!(
                "{name}: too many host calls in one handler; do the rest later, for example from a timer"
            ));
        };
        let host = Arc::clone(&self.0.host);
        // A call without waiting time would still start, and its effects go on when nobody waits any more.
        if may_wait.is_zero() && !host.is_instant(&name) {
            meter.asked(std::time::Duration::ZERO);
            self.0.state().was_kept_waiting = true;
            let error = format!("{name}: the time a handler may wait is used up");
            self.0.printed.remark(&error);
            return Err(error);
        }
        let inner = Arc::clone(&self.0);
        let is_filter = self.0.state().broken_off.is_some();
        self.wait(Box::pin(async move {
            let call = match is_filter {
                true => host.call_from_filter(&name, &args),
                false => host.call(&name, &args),
            };
            let answer = timeout(may_wait, call).await;
            answer.unwrap_or_else(|_elapsed| {
                let error =
                    format!("{name}: there was no answer within the time a handler may wait");
                inner.printed.remark(&error);
                inner.state().was_kept_waiting = true;
                Err(error)
            })
        }))
        .await
    }

    /// Waits for the answer or for a line, whichever comes first.
    async fn wait(&self, mut waiting: PendingHostCall) -> Result<String, String> {
        let asked = WaitingTime(&self.0.meter, Instant::now());
        // Most calls complete at once.
        if let Poll::Ready(answer) = futures_util::poll!(&mut waiting) {
            return answer;
        }
        let Some(lines) = self.0.lines() else {
            return waiting.await;
        };
        let line = tokio::select! {
            biased;
            answer = &mut waiting => return answer,
            line = lines.next() => line,
        };
        drop(asked);
        let spent = self
            .0
            .meter
            .set_aside(CallKind::Filter.budget(), self.0.host_calls);
        let mut state = self.0.state();
        state.broken_off = Some((waiting, spent));
        state.was_kept_waiting = false;
        Ok(format!("{LINE}{line}"))
    }

    /// Takes a verdict, unless it was too large, and continues the handler's wait.
    async fn filtered(&self, verdict: Option<String>) -> Result<String, String> {
        let (lines, broken_off, was_kept_waiting) = {
            let mut state = self.0.state();
            let was_kept_waiting = std::mem::take(&mut state.was_kept_waiting);
            (
                state.lines.clone(),
                state.broken_off.take(),
                was_kept_waiting,
            )
        };
        let (Some(lines), Some((waiting, spent))) = (lines, broken_off) else {
            return Err(format!("there is no host function {FILTERED:?}"));
        };
        self.0.meter.go_on(&spent);
        self.0.host.filter_ended();
        let verdict = verdict.ok_or_else(|| "the verdict is too large".to_owned());
        let verdict = verdict.and_then(|text| match serde_json::from_str::<FilterFailure>(&text) {
            Ok(failure) => Err(cut(&failure.error)),
            Err(_) => Ok(text),
        });
        lines.answered(verdict, was_kept_waiting);
        self.wait(waiting).await
    }
}

impl HostCallerInner {
    /// The source of lines, while the filter may run. `None` inside a filter: it handles one line at a time.
    fn lines(&self) -> Option<Arc<dyn WaitingLines>> {
        let state = self.state();
        let may_judge = state.is_handler && state.broken_off.is_none();
        state.lines.clone().filter(|_| may_judge)
    }

    fn state(&self) -> MutexGuard<'_, HostCallState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Accounts for the waiting time even if the call is dropped.
struct WaitingTime<'a>(&'a Meter, Instant);

impl Drop for WaitingTime<'_> {
    fn drop(&mut self) {
        self.0.asked(self.1.elapsed());
    }
}
