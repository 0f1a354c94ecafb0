//! A change and its effects, in one transaction.

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use super::effects::Effects;
use super::outgoing::{self, OutgoingActivity};
use super::tables::FederationTables;
use crate::error::StoreError;
use crate::writer::Tx;

/// Whether a change happened, and so which effects follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeResult {
    /// Yes.
    Done,
    /// It had happened before: activities are sent again, events are not logged again.
    Known,
    /// No: the activity is marked as handled, nothing is sent or logged.
    Nothing,
}

impl ChangeResult {
    pub(super) fn when(is_done: bool) -> Self {
        match is_done {
            true => ChangeResult::Done,
            false => ChangeResult::Nothing,
        }
    }
}

impl FederationTables {
    /// Runs `work` and, in the same transaction, its effects.
    pub(super) async fn change<T, F>(
        &self,
        effects: Effects,
        at: Timestamp,
        work: F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Tx) -> BoxFuture<'c, Result<(T, ChangeResult), StoreError>>
            + Send
            + 'static,
    {
        let wakeups = self.store.outgoing.clone();
        let is_sending = !effects.outgoing.is_empty();
        self.store
            .write_events_and(
                at,
                move |tx| {
                    Box::pin(async move {
                        let mut events = effects.note(&mut *tx, at).await?;
                        let (value, change) = work(&mut *tx).await?;
                        match change {
                            ChangeResult::Done => events.extend(effects.carry_out(tx, at).await?),
                            ChangeResult::Known => drop(effects.carry_out(tx, at).await?),
                            ChangeResult::Nothing => {}
                        }
                        Ok((value, events))
                    })
                },
                move |_| {
                    if is_sending {
                        wakeups.send_replace(());
                    }
                },
            )
            .await
    }

    /// Commits effects that have no other cause: something to send, log or note.
    pub async fn send(&self, effects: Effects, at: Timestamp) -> Result<(), StoreError> {
        self.change(effects, at, |_| {
            Box::pin(async { Ok(((), ChangeResult::Done)) })
        })
        .await
    }

    /// Queues one activity that has no other cause. False if it was queued for no inbox: the server is unavailable or
    /// gone, or too much is waiting for it.
    pub async fn send_one(&self, one: OutgoingActivity, at: Timestamp) -> Result<bool, StoreError> {
        let wakeups = self.store.outgoing.clone();
        let queued = self
            .store
            .write(move |tx| Box::pin(async move { outgoing::enqueue(tx, &one, at).await }))
            .await?;
        if queued > 0 {
            wakeups.send_replace(());
        }
        Ok(queued > 0)
    }
}
