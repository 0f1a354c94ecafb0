//! A plugin's life: it waits for the engine, starts, takes one mail after the other, and starts again when it has to.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use model::Clock;
use tokio::sync::watch;
use tokio::time::Instant;

use super::filters::Filters;
use super::mailbox::{Answered, Lane, Mail};
use super::resident::{AskError, Resident, Status};
use super::restarts::{Absences, Restarts};
use super::usage::Share;
use crate::engine::{CallError, CallKind, Engine, EngineState, Instance, Spec, StartError};
use crate::host::{HostCalls, summary};

/// The whole life, up to a status that stays.
pub(super) async fn live(
    resident: Resident,
    engine: watch::Receiver<EngineState>,
    spec: Spec,
    clock: Arc<dyn Clock>,
) {
    let stop = resident.0.stop.clone();
    let host = Arc::clone(&spec.host);
    let life = AssertUnwindSafe(run(&resident, engine, spec, &*clock)).catch_unwind();
    let end = tokio::select! {
        end = life => end.unwrap_or_else(|_panic| {
            metrics::counter!("rillcast_panics_total", "where" => "plugins").increment(1);
            Status::Crashed("the server failed while running it".into())
        }),
        () = stop.cancelled() => Status::Closed,
    };
    // However it ended, a module body that failed included.
    host.instance_ended();
    refuse_mail(&resident);
    if let Some(error) = end.error() {
        tracing::error!(plugin = %resident.slug(), state = end.word(), "{}", summary(error));
    }
    resident.say(end);
}

async fn run(
    resident: &Resident,
    engine: watch::Receiver<EngineState>,
    spec: Spec,
    clock: &dyn Clock,
) -> Status {
    let engine: Engine = match super::ready(engine).await {
        Ok(engine) => engine,
        Err(why) => return Status::Failed(why.into()),
    };
    let filters = Filters::new(resident, &spec.host);
    let mut restarts = Restarts::default();
    let mut absences = Absences::default();
    loop {
        resident.say(Status::Starting);
        let ended = match live_once(resident, &engine, &spec, &filters).await {
            Ok(ended) => ended,
            Err(error) => return Status::Failed(error.to_string().into()),
        };
        spec.host.instance_ended();
        if let Some(host) = &spec.filter_host {
            host.instance_ended();
        }
        let Ended { error, is_filter } = ended;
        let restart = restarts.next(Instant::now());
        let restart = restart.filter(|_| !filters.is_struck());
        let Some(pause) = restart else {
            if !is_filter {
                return Status::Crashed(error);
            }
            let absence = absences.next(Instant::now());
            stay_away(resident, error, absence, clock).await;
            filters.forgive();
            restarts = Restarts::default();
            continue;
        };
        resident.0.counters.restarted();
        tracing::warn!(plugin = %resident.slug(), "the plugin was ended and starts again");
        resident.say(Status::Restarting(error));
        refuse_mail(resident);
        tokio::time::sleep(pause).await;
    }
}

/// Starts it, and lets it take calls until an instance ends.
async fn live_once(
    resident: &Resident,
    engine: &Engine,
    spec: &Spec,
    filters: &Arc<Filters>,
) -> Result<Ended, StartError> {
    let (instance, registration) = engine.start(spec.clone()).await?;
    let host = spec.filter_host.as_ref();
    let host = host.filter(|_| !registration.subscriptions.filter.is_empty());
    let second = match host {
        Some(host) => {
            let spec = Spec {
                host: Arc::clone(host),
                ..spec.clone()
            };
            Some(Worker::new(
                resident,
                engine.start(spec).await?.0,
                Lane::Filters,
            ))
        }
        None => None,
    };
    let lane = match second {
        Some(_) => Lane::Others,
        None => {
            let lines: Arc<Filters> = Arc::clone(filters);
            instance.filter_meanwhile(lines);
            Lane::All
        }
    };
    let mut first = Worker::new(resident, instance, lane);
    resident.0.mailbox.open();
    resident.say(Status::Running(Arc::new(registration)));
    Ok(match (second, host) {
        (Some(mut second), Some(host)) => tokio::select! {
            ended = first.serve(&*spec.host, filters) => ended,
            ended = second.serve(&**host, filters) => ended,
        },
        _ => first.serve(&*spec.host, filters).await,
    })
}

/// Switched off for a while: nobody is at home.
async fn stay_away(resident: &Resident, error: Arc<str>, absence: Duration, clock: &dyn Clock) {
    let until = clock.now() + absence;
    tracing::error!(
        plugin = %resident.slug(),
        state = "auto-disabled",
        minutes = absence.as_secs() / 60,
        "its filter failed too often, it is switched off for a while: {}",
        summary(&error)
    );
    refuse_mail(resident);
    resident.say(Status::AutoDisabled { error, until });
    clock.sleep_until(until).await;
}

/// Why a plugin takes no more calls.
struct Ended {
    error: Arc<str>,
    /// It was its filter.
    is_filter: bool,
}

/// One instance, and the mails it takes.
struct Worker<'a> {
    resident: &'a Resident,
    instance: Instance,
    lane: Lane,
    share: Option<Share>,
}

impl<'a> Worker<'a> {
    fn new(resident: &'a Resident, instance: Instance, lane: Lane) -> Self {
        Self {
            share: Some(resident.0.counters.started(&instance)),
            resident,
            instance,
            lane,
        }
    }

    /// Takes one mail after the other, until the instance ends or its filter has failed too often.
    async fn serve(&mut self, host: &dyn HostCalls, filters: &Filters) -> Ended {
        let resident = self.resident;
        loop {
            let mail = resident.0.mailbox.next(self.lane).await;
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
                // In the middle of a handler: that one is not to blame.
                if self.instance.is_dead() && filters.ended(problem) {
                    is_filter = true;
                    outcome = Err(AskError::Failed(CallError::Dead));
                } else {
                    report(resident, host, mail.kind, problem);
                }
            }
            mail.answer(outcome);
            let is_over = self.instance.is_dead() || filters.is_struck();
            if is_over {
                let last = || resident.usage().last_error.unwrap_or_default().into();
                return Ended {
                    error: error.unwrap_or_else(last),
                    is_filter: is_filter || filters.is_struck(),
                };
            }
        }
    }

    async fn call(&mut self, host: &dyn HostCalls, mail: &Mail) -> Result<Answered, AskError> {
        let started = Instant::now();
        host.enter(mail.occasion());
        let answer = self
            .instance
            .call(mail.kind, &mail.input, mail.kind.budget())
            .await;
        let session = host.leave();
        let counters = &self.resident.0.counters;
        counters.called(started.elapsed(), answer.as_ref().err());
        if let Some(share) = &mut self.share {
            counters.measure(&self.instance, share);
        }
        let text = answer?;
        Ok(Answered { text, session })
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Some(share) = self.share.take() {
            self.resident.0.counters.ended(share);
        }
    }
}

/// Says that a call failed, where people look for it.
pub(super) fn report(resident: &Resident, host: &dyn HostCalls, kind: CallKind, error: &AskError) {
    let error = format!("{}: {error}", kind.name());
    resident.0.counters.failed(&error);
    host.failed(&error);
}

/// Nobody is at home: who waits is told, what was only to be heard is lost and counted.
fn refuse_mail(resident: &Resident) {
    let waiting = resident.0.mailbox.close();
    resident.0.counters.dropped(waiting.len());
    for mail in waiting {
        mail.answer(Err(AskError::NotRunning));
    }
}
