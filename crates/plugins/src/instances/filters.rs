//! A plugin's filter: the lines it judges while a handler waits, and its failures.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use tokio::time::Instant;

use super::error::AskError;
use super::handle::PluginHandle;
use super::mailbox::{CallOutput, Mail, MailClass};
use super::report::report;
use crate::dispatch::check_verdict;
use crate::engine::{CallError, WaitingLines};
use crate::host::HostCalls;

/// Limit (plugins): failures of a filter in a row; then the plugin is switched off for a while.
pub(super) const FILTER_STRIKES: u32 = 5;

/// The state of a plugin's filter.
#[derive(Debug)]
pub(super) struct Filters {
    handle: PluginHandle,
    host: Arc<dyn HostCalls>,
    /// Strikes survive the instance, so a filter cannot shed them by ending it.
    strikes: AtomicU32,
    /// There were too many strikes, perhaps in the middle of a handler that goes on.
    is_struck: AtomicBool,
    /// The line being judged in the middle of a handler, and since when.
    meanwhile: Mutex<Option<(Mail, Instant)>>,
}

impl Filters {
    pub(super) fn new(handle: &PluginHandle, host: &Arc<dyn HostCalls>) -> Arc<Self> {
        Arc::new(Self {
            handle: handle.clone(),
            host: Arc::clone(host),
            strikes: AtomicU32::new(0),
            is_struck: AtomicBool::new(false),
            meanwhile: Mutex::default(),
        })
    }

    /// Whether it has failed too often.
    pub(super) fn is_struck(&self) -> bool {
        self.is_struck.load(Ordering::Relaxed)
    }

    /// Resets its strikes.
    pub(super) fn forgive(&self) {
        self.strikes.store(0, Ordering::Relaxed);
        self.is_struck.store(false, Ordering::Relaxed);
        self.handle.0.counters.strikes(0);
    }

    /// Handles its answer about a line. An invalid verdict counts as a strike.
    ///
    /// A filter is not blamed for failing because the server kept it waiting, for example behind a handler's statement
    /// in the plugin's own database.
    pub(super) fn judged(
        &self,
        answer: Result<CallOutput, AskError>,
        was_kept_waiting: bool,
    ) -> Result<CallOutput, AskError> {
        let counters = &self.handle.0.counters;
        if was_kept_waiting && matches!(answer, Err(AskError::Failed(CallError::Raised(_)))) {
            return Err(AskError::Busy);
        }
        let checked = answer.and_then(|answered| {
            let remark = check_verdict(&answered.text).map_err(AskError::Unreadable)?;
            if let Some(remark) = remark {
                counters.remark(self.handle.slug(), &remark);
            }
            Ok(answered)
        });
        let strikes = match &checked {
            Err(_) => self.strikes.load(Ordering::Relaxed) + 1,
            Ok(_) => 0,
        };
        self.strikes.store(strikes, Ordering::Relaxed);
        self.is_struck
            .fetch_or(strikes >= FILTER_STRIKES, Ordering::Relaxed);
        counters.strikes(strikes);
        checked
    }

    /// The instance ended while judging a line in the middle of a handler: answers the line. Returns whether that was
    /// the case.
    pub(super) fn ended(&self, error: &AskError) -> bool {
        let Some((mail, since)) = self.meanwhile().take() else {
            return false;
        };
        self.finish(mail, since, Err(error.clone()), false);
        true
    }

    fn finish(
        &self,
        mail: Mail,
        since: Instant,
        answer: Result<CallOutput, AskError>,
        was_kept_waiting: bool,
    ) {
        // The end of the instance is counted with the handler's call.
        self.handle.0.counters.called(since.elapsed(), None);
        let answer = self.judged(answer, was_kept_waiting);
        let failure = answer.as_ref().err();
        if let Some(error) = failure.filter(|error| **error != AskError::Busy) {
            report(&self.handle, &*self.host, mail.kind, error);
        }
        mail.answer(answer);
    }

    fn meanwhile(&self) -> MutexGuard<'_, Option<(Mail, Instant)>> {
        self.meanwhile
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingLines for Filters {
    fn next(&self) -> BoxFuture<'_, Arc<str>> {
        Box::pin(async {
            let mail = self.handle.0.mailbox.next(MailClass::Filters).await;
            let line = Arc::clone(&mail.input);
            *self.meanwhile() = Some((mail, Instant::now()));
            line
        })
    }

    fn answered(&self, answer: Result<String, String>, was_kept_waiting: bool) {
        let Some((mail, since)) = self.meanwhile().take() else {
            return;
        };
        let answer = match answer {
            Ok(text) => Ok(CallOutput {
                text,
                session: Vec::new(),
            }),
            Err(traceback) => Err(AskError::Failed(CallError::Raised(traceback))),
        };
        self.finish(mail, since, answer, was_kept_waiting);
    }
}
