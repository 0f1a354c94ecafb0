//! The next announced streams in memory, and the maintenance of series.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::schedule::{Agenda, Recurrence, Series};
use tokio::sync::{Mutex, MutexGuard, watch};

use super::LAID_OUT;
use crate::database::Store;
use crate::error::StoreError;
use crate::lease::Lease;

/// Streams held in memory: those of several days at least, between two looks at the database a minute apart.
const AGENDA_EVENTS: u32 = 100;
/// A series is laid out further once it is this much behind.
const LAYOUT_STEP: Duration = Duration::from_secs(24 * 3600);
/// Streams that ended this long ago are forgotten.
const KEPT: Duration = Duration::from_secs(400 * 24 * 3600);

/// A cloneable handle; the agenda is available to every request without a database query.
#[derive(Clone, Debug)]
pub struct Schedule {
    store: Store,
    agenda: watch::Sender<Arc<Agenda>>,
    turn: Arc<Mutex<()>>,
}

impl Schedule {
    /// Loads the agenda.
    pub async fn load(store: Store, now: Timestamp) -> Result<Self, StoreError> {
        let schedule = Self {
            store,
            agenda: watch::Sender::default(),
            turn: Arc::default(),
        };
        schedule.refresh(now).await?;
        Ok(schedule)
    }

    /// The same schedule, whose changes are made under a lease.
    pub fn under(&self, lease: &Lease) -> Self {
        Self {
            store: self.store.under(lease),
            ..self.clone()
        }
    }

    /// The agenda, now and whenever it changes.
    pub fn agenda(&self) -> watch::Receiver<Arc<Agenda>> {
        self.agenda.subscribe()
    }

    /// The current agenda.
    pub fn now(&self) -> Arc<Agenda> {
        Arc::clone(&self.agenda.borrow())
    }

    /// Locks the schedule for a change: what the holder reads stays true until it has written.
    pub async fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Reloads the agenda, after a change and under the same lock, so that nothing older is published after it.
    pub async fn refresh(&self, now: Timestamp) -> Result<(), StoreError> {
        let events = self.store.coming_events(now, AGENDA_EVENTS).await?;
        let agenda = Arc::new(Agenda::new(events));
        self.agenda.send_if_modified(|current| {
            let is_other = *current != agenda;
            *current = agenda;
            is_other
        });
        Ok(())
    }

    /// Creates upcoming dates, deletes long past ones, and reloads the agenda.
    pub async fn keep(&self, now: Timestamp) -> Result<(), StoreError> {
        let _turn = self.turn.lock().await;
        let until = now + LAID_OUT;
        for (series, laid_until) in self.store.series_to_lay_out(until - LAYOUT_STEP).await? {
            self.extend(series, laid_until, now).await?;
        }
        self.store.prune_schedule(now - KEPT).await?;
        self.refresh(now).await
    }

    async fn extend(
        &self,
        series: Series,
        laid_until: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let recurrence = match Recurrence::parse(&series.recurrence, None) {
            Ok(recurrence) => recurrence,
            Err(error) => {
                // The rule was valid once; the other series continue.
                tracing::warn!(series = %series.id, %error, "a series cannot be read any more");
                return Ok(());
            }
        };
        if !recurrence.comes_after(now) {
            return self.store.retire_series(&series.id).await;
        }
        let occurrences = recurrence.expand(laid_until.max(now), now + LAID_OUT);
        self.store.extend_series(series, occurrences).await
    }
}
