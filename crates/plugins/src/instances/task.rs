//! A plugin's task: it waits for the engine, starts the plugin, handles one mail after the other, and restarts the
//! plugin when necessary.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use model::Clock;
use tokio::sync::watch;
use tokio::time::Instant;

use super::backoff::{RestartBackoff, SuspensionBackoff};
use super::error::AskError;
use super::filters::Filters;
use super::handle::{PluginHandle, PluginStatus};
use super::mailbox::{CallOutput, Mail, MailClass};
use super::report::report;
use super::usage::InstanceUsage;
use crate::engine::{
    CallError, CallKind, Engine, EngineState, Instance, InstanceSpec, Registration, StartError,
};
use crate::host::{HostCalls, summary};

/// Runs the plugin until a final status.
pub(super) async fn supervise(
    handle: PluginHandle,
    engine: watch::Receiver<EngineState>,
    spec: InstanceSpec,
    clock: Arc<dyn Clock>,
) {
    let stop = handle.0.stop.clone();
    let host = Arc::clone(&spec.host);
    let life = AssertUnwindSafe(run(&handle, engine, spec, &*clock)).catch_unwind();
    let end = tokio::select! {
        end = life => end.unwrap_or_else(|_panic| {
            metrics::counter!("rillcast_panics_total", "where" => "plugins").increment(1);
            PluginStatus::Crashed("the server failed while running it".into())
        }),
        () = stop.cancelled() => PluginStatus::Closed,
    };
    // However it ended, even if the module body failed.
    host.instance_ended();
    refuse_mail(&handle);
    if let Some(error) = end.error() {
        tracing::error!(plugin = %handle.slug(), state = end.word(), "{}", summary(error));
    }
    handle.say(end);
}

/// Hands a plugin's mail to a script until the plugin is stopped.
pub(super) async fn script(
    handle: PluginHandle,
    registration: Registration,
    mut answer: impl FnMut(Mail),
) {
    handle.0.mailbox.open();
    handle.say(PluginStatus::Running(Arc::new(registration)));
    loop {
        tokio::select! {
            () = handle.0.stop.cancelled() => break,
            mail = handle.0.mailbox.next(MailClass::All) => answer(mail),
        }
    }
    refuse_mail(&handle);
    handle.say(PluginStatus::Closed);
}

async fn run(
    handle: &PluginHandle,
    engine: watch::Receiver<EngineState>,
    spec: InstanceSpec,
    clock: &dyn Clock,
) -> PluginStatus {
    let engine: Engine = match super::ready(engine).await {
        Ok(engine) => engine,
        Err(why) => return PluginStatus::Failed(why.into()),
    };
    let filters = Filters::new(handle, &spec.host);
    let mut restarts = RestartBackoff::default();
    let mut absences = SuspensionBackoff::default();
    loop {
        handle.say(PluginStatus::Starting);
        let ended = match run_once(handle, &engine, &spec, &filters).await {
            Ok(ended) => ended,
            Err(error) => return PluginStatus::Failed(error.to_string().into()),
        };
        spec.host.instance_ended();
        if let Some(host) = &spec.filter_host {
            host.instance_ended();
        }
        let InstanceEnd { error, is_filter } = ended;
        let restart = restarts.next(Instant::now());
        let restart = restart.filter(|_| !filters.is_struck());
        let Some(pause) = restart else {
            if !is_filter {
                return PluginStatus::Crashed(error);
            }
            let absence = absences.next(Instant::now());
            stay_away(handle, error, absence, clock).await;
            filters.forgive();
            restarts = RestartBackoff::default();
            continue;
        };
        handle.0.counters.restarted();
        tracing::warn!(plugin = %handle.slug(), "the plugin was ended and starts again");
        handle.say(PluginStatus::Restarting(error));
        refuse_mail(handle);
        tokio::time::sleep(pause).await;
    }
}

/// Starts it and handles calls until an instance ends.
async fn run_once(
    handle: &PluginHandle,
    engine: &Engine,
    spec: &InstanceSpec,
    filters: &Arc<Filters>,
) -> Result<InstanceEnd, StartError> {
    let (instance, registration) = engine.start(spec.clone()).await?;
    let host = spec.filter_host.as_ref();
    let host = host.filter(|_| !registration.subscriptions.filter.is_empty());
    let second = match host {
        Some(host) => {
            let spec = InstanceSpec {
                host: Arc::clone(host),
                ..spec.clone()
            };
            Some(Worker::new(
                handle,
                engine.start(spec).await?.0,
                MailClass::Filters,
            ))
        }
        None => None,
    };
    let class = match second {
        Some(_) => MailClass::Others,
        None => {
            let lines: Arc<Filters> = Arc::clone(filters);
            instance.filter_meanwhile(lines);
            MailClass::All
        }
    };
    let mut first = Worker::new(handle, instance, class);
    handle.0.mailbox.open();
    handle.say(PluginStatus::Running(Arc::new(registration)));
    Ok(match (second, host) {
        (Some(mut second), Some(host)) => tokio::select! {
            ended = first.serve(&*spec.host, filters) => ended,
            ended = second.serve(&**host, filters) => ended,
        },
        _ => first.serve(&*spec.host, filters).await,
    })
}

/// Suspends the plugin for a while; it takes no mail.
async fn stay_away(handle: &PluginHandle, error: Arc<str>, absence: Duration, clock: &dyn Clock) {
    let until = clock.now() + absence;
    tracing::error!(
        plugin = %handle.slug(),
        state = "auto-disabled",
        minutes = absence.as_secs() / 60,
        "its filter failed too often, it is switched off for a while: {}",
        summary(&error)
    );
    refuse_mail(handle);
    handle.say(PluginStatus::AutoDisabled { error, until });
    clock.sleep_until(until).await;
}

/// Why a plugin stops taking calls.
struct InstanceEnd {
    error: Arc<str>,
    /// Caused by its filter.
    is_filter: bool,
}

/// One instance handling mail.
struct Worker<'a> {
    handle: &'a PluginHandle,
    instance: Instance,
    class: MailClass,
    share: Option<InstanceUsage>,
}

impl<'a> Worker<'a> {
    fn new(handle: &'a PluginHandle, instance: Instance, class: MailClass) -> Self {
        Self {
            share: Some(handle.0.counters.started(&instance)),
            handle,
            instance,
            class,
        }
    }

    /// Handles one mail after the other, until the instance ends or its filter has failed too often.
    async fn serve(&mut self, host: &dyn HostCalls, filters: &Filters) -> InstanceEnd {
        let handle = self.handle;
        loop {
            let mail = handle.0.mailbox.next(self.class).await;
            let mut outcome = self.call(host, &mail).await;
            let mut is_filter = mail.kind == CallKind::Filter;
            if is_filter {
                let was_kept_waiting = self.instance.was_kept_waiting();
                outcome = filters.judged(outcome, was_kept_waiting);
            }
            let mut error: Option<Arc<str>> = None;
            if let Err(problem) = &outcome {
                error = Some(problem.to_string().into());
                if *problem == AskError::Busy {
                    mail.answer(outcome);
                    continue;
                }
                // The filter failed in the middle of a handler: the handler is not to blame.
                if self.instance.is_dead() && filters.ended(problem) {
                    is_filter = true;
                    outcome = Err(AskError::Failed(CallError::Dead));
                } else {
                    report(handle, host, mail.kind, problem);
                }
            }
            mail.answer(outcome);
            let is_over = self.instance.is_dead() || filters.is_struck();
            if is_over {
                let last = || handle.usage().last_error.unwrap_or_default().into();
                return InstanceEnd {
                    error: error.unwrap_or_else(last),
                    is_filter: is_filter || filters.is_struck(),
                };
            }
        }
    }

    async fn call(&mut self, host: &dyn HostCalls, mail: &Mail) -> Result<CallOutput, AskError> {
        let started = Instant::now();
        host.enter(mail.occasion());
        let answer = self
            .instance
            .call(mail.kind, &mail.input, mail.kind.budget())
            .await;
        let session = host.leave();
        let counters = &self.handle.0.counters;
        counters.called(started.elapsed(), answer.as_ref().err());
        if let Some(share) = &mut self.share {
            counters.measure(&self.instance, share);
        }
        let text = answer?;
        Ok(CallOutput { text, session })
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Some(share) = self.share.take() {
            self.handle.0.counters.ended(share);
        }
    }
}

/// Empties and closes the mailbox: waiting callers get an error, events are dropped and counted.
fn refuse_mail(handle: &PluginHandle) {
    let waiting = handle.0.mailbox.close();
    handle.0.counters.dropped(waiting.len());
    for mail in waiting {
        mail.answer(Err(AskError::NotRunning));
    }
}
