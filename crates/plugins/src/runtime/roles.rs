//! What others see in a runtime: somebody to tell, somebody to ask, and the way back.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Inner, Runtime};
use crate::dispatch::{Delivery, Filtering, Listener, Listeners, Unfiltered, relay};
use crate::engine::CallKind;
use crate::host::{Deliveries, Emitted, summary};
use crate::house::{AskError, Status};

impl Listeners for Inner {
    fn loaded(&self) -> Arc<[Listener]> {
        Arc::clone(&self.listening())
    }

    fn deliver(&self, slug: &str, delivery: Delivery) {
        let guest = self.guests().get(slug).cloned();
        if let Some(guest) = guest {
            guest.deliver(&delivery);
        }
    }
}

impl Listeners for Runtime {
    fn loaded(&self) -> Arc<[Listener]> {
        self.0.loaded()
    }

    fn deliver(&self, slug: &str, delivery: Delivery) {
        self.0.deliver(slug, delivery);
    }
}

impl Filtering for Runtime {
    fn filter<'a>(
        &'a self,
        slug: &'a str,
        envelope: &'a str,
        budget: Duration,
    ) -> BoxFuture<'a, Result<String, Unfiltered>> {
        Box::pin(async move {
            let guest = self.0.guests().get(slug).cloned();
            let guest = guest.ok_or(Unfiltered::Gone)?;
            match guest.resident.status() {
                Status::Running(_) => {}
                // Its filter would have had a say.
                Status::Starting | Status::Restarting(_) => return Err(Unfiltered::Busy),
                _ => return Err(Unfiltered::Gone),
            }
            let asked = guest
                .resident
                .ask_within(CallKind::Filter, envelope.to_owned(), budget);
            match asked.await {
                Ok(answer) => Ok(answer.text),
                Err(AskError::NotRunning) => Err(Unfiltered::Gone),
                Err(AskError::Late | AskError::Busy) => Err(Unfiltered::Busy),
                // The log has the traceback already.
                Err(error) => Err(Unfiltered::Failed(summary(&error.to_string()).to_owned())),
            }
        })
    }

    fn left_out(&self, slug: &str) {
        let guest = self.0.guests().get(slug).cloned();
        if let Some(guest) = guest {
            guest.resident.count_unfiltered();
        }
    }
}

/// The way back from a plugin's host to everybody else. Weak, because plugins' hosts are inside.
#[derive(Debug)]
pub(super) struct Back(pub(super) Weak<Inner>);

impl Deliveries for Back {
    fn emitted(&self, event: Emitted) {
        if let Some(inner) = self.0.upgrade() {
            relay(&*inner, &event);
        }
    }

    fn timer_due<'a>(&'a self, slug: &'a str, id: i64) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let inner = self.0.upgrade();
            let guest = inner.and_then(|inner| inner.guests().get(slug).cloned());
            let due = Delivery::new("timer.fire", &format!(r#"{{"id":{id}}}"#));
            if let (Some(guest), Some(due)) = (guest, due) {
                let asked = guest
                    .resident
                    .ask(CallKind::Event, due.envelope.to_string());
                // What went wrong is in the plugin's numbers and in the log.
                drop(asked.await);
            }
        })
    }
}
