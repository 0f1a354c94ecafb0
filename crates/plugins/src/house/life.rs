//! A plugin's life: it waits for the engine, starts, takes one mail after the other, and starts again when it has to.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::watch;
use tokio::time::Instant;

use super::mailbox::{Answered, Mail};
use super::resident::{AskError, Resident, Status};
use super::restarts::Restarts;
use crate::dispatch::check_verdict;
use crate::engine::{CallKind, Engine, EngineState, Instance, Spec};
use crate::host::HostCalls;

/// Failures of its filter in a row after which a plugin is switched off until it is loaded again.
pub(super) const FILTER_STRIKES: u32 = 5;

/// The whole life, up to a status that stays.
pub(super) async fn live(resident: Resident, engine: watch::Receiver<EngineState>, spec: Spec) {
    let stop = resident.0.stop.clone();
    let host = Arc::clone(&spec.host);
    let life = AssertUnwindSafe(run(&resident, engine, spec)).catch_unwind();
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
        tracing::error!(plugin = %resident.slug(), state = end.word(), "{error}");
    }
    resident.say(end);
}

async fn run(resident: &Resident, engine: watch::Receiver<EngineState>, spec: Spec) -> Status {
    let engine: Engine = match super::ready(engine).await {
        Ok(engine) => engine,
        Err(why) => return Status::Failed(why.into()),
    };
    let mut restarts = Restarts::default();
    // A filter that ends its instance every time does not get rid of its strikes by that.
    let mut strikes = 0;
    loop {
        resident.say(Status::Starting);
        let (mut instance, registration) = match engine.start(spec.clone()).await {
            Ok(started) => started,
            Err(error) => return Status::Failed(error.to_string().into()),
        };
        resident.0.counters.started(&instance);
        resident.0.mailbox.open();
        resident.say(Status::Running(Arc::new(registration)));
        let error: Arc<str> = match serve(resident, &mut instance, &*spec.host, &mut strikes).await
        {
            Ended::Struck(error) => return Status::AutoDisabled(error),
            Ended::Instance(error) => error,
        };
        drop(instance);
        spec.host.instance_ended();
        let Some(pause) = restarts.next(Instant::now()) else {
            return Status::Crashed(error);
        };
        resident.0.counters.restarted();
        tracing::warn!(plugin = %resident.slug(), "{error}; it starts again");
        resident.say(Status::Restarting(error));
        refuse_mail(resident);
        tokio::time::sleep(pause).await;
    }
}

/// Why an instance takes no more mail.
enum Ended {
    Instance(Arc<str>),
    Struck(Arc<str>),
}

async fn serve(
    resident: &Resident,
    instance: &mut Instance,
    host: &dyn HostCalls,
    strikes: &mut u32,
) -> Ended {
    loop {
        let mail = resident.0.mailbox.next().await;
        if mail.is_abandoned() {
            continue;
        }
        let outcome = call(resident, instance, host, &mail).await;
        if mail.kind == CallKind::Filter {
            *strikes = match &outcome {
                Err(_) => *strikes + 1,
                Ok(_) => 0,
            };
            resident.0.counters.strikes(*strikes);
        }
        let failure: Option<Arc<str>> = outcome
            .as_ref()
            .err()
            .map(|error| format!("{}: {error}", mail.kind.name()).into());
        if let Some(error) = &failure {
            resident.0.counters.failed(error);
            host.failed(error);
            tracing::warn!(plugin = %resident.slug(), "{error}");
        }
        mail.answer(outcome);
        if let Some(error) = failure {
            if *strikes >= FILTER_STRIKES {
                return Ended::Struck(error);
            }
            if instance.is_dead() {
                return Ended::Instance(error);
            }
        }
    }
}

async fn call(
    resident: &Resident,
    instance: &mut Instance,
    host: &dyn HostCalls,
    mail: &Mail,
) -> Result<Answered, AskError> {
    let started = Instant::now();
    host.enter(mail.occasion());
    let answer = instance
        .call(mail.kind, &mail.input, mail.kind.budget())
        .await;
    let session = host.leave();
    let counters = &resident.0.counters;
    counters.called(
        mail.kind,
        started.elapsed(),
        answer.as_ref().err(),
        instance,
    );
    let text = answer?;
    if mail.kind == CallKind::Filter {
        check_verdict(resident.slug(), &text).map_err(AskError::Unreadable)?;
    }
    Ok(Answered { text, session })
}

/// Nobody is at home: who waits is told, what was only to be heard is lost and counted.
fn refuse_mail(resident: &Resident) {
    let waiting = resident.0.mailbox.close();
    resident.0.counters.dropped(waiting.len());
    for mail in waiting {
        mail.answer(Err(AskError::NotRunning));
    }
}
