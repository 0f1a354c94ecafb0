//! What follows from a change, committed together with it.

use jiff::Timestamp;
use model::Event;
use model::fediverse::MAX_LOGGED_ACTIVITY_BYTES;

use super::engagement::{self, Engagement, RecordResult};
use super::followers;
use super::object::{self, NewObject};
use super::outgoing::{self, OutgoingActivity};
use super::seen::{self, SeenActivity};
use crate::error::StoreError;
use crate::events::advance;
use crate::writer::Tx;

/// Activities kept in the log as they came; beyond that the oldest are forgotten. They can be long, and are read at once
/// or not at all.
pub const MAX_RAW_ACTIVITIES: i64 = 1_000;

/// The effects of a change. All of them are committed with the change, or none.
///
/// `seen`, `settles`, `raw` and `cursor` take effect even if there turns out to be nothing to change; the others do
/// not.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// The activity that causes the change. If it was handled before, nothing happens and the call returns
    /// [`StoreError::Conflict`].
    pub seen: Option<SeenActivity>,
    /// The inbox queue entry that this completes.
    pub settles: Option<i64>,
    /// The activity as received, for the log; one above [`MAX_LOGGED_ACTIVITY_BYTES`] is left out.
    pub raw: Option<String>,
    /// The event log cursor of this reader, and how far it has come.
    pub cursor: Option<(&'static str, i64)>,
    /// What somebody did with an object of ours. If it is already known, `events` are not logged again.
    pub engagement: Option<Engagement>,
    pub objects: Vec<NewObject>,
    /// Activities to send. Servers that are unavailable or gone get nothing.
    pub outgoing: Vec<OutgoingActivity>,
    pub events: Vec<Event>,
}

impl Effects {
    /// Carries out the unconditional part; returns the events to log.
    pub(super) async fn note(&self, tx: &mut Tx, at: Timestamp) -> Result<Vec<Event>, StoreError> {
        if let Some(seen) = &self.seen {
            seen::note(&mut *tx, seen, at).await?;
            followers::note_heard(&mut *tx, &seen.actor).await?;
        }
        if let Some(entry) = self.settles {
            sqlx::query("DELETE FROM ap_inbox WHERE id = $1")
                .bind(entry)
                .execute(&mut *tx)
                .await?;
        }
        if let Some((name, seq)) = self.cursor {
            advance(&mut *tx, name, seq, at).await?;
        }
        let raw = self
            .raw
            .as_ref()
            .filter(|raw| raw.len() <= MAX_LOGGED_ACTIVITY_BYTES);
        let Some(raw) = raw else {
            return Ok(Vec::new());
        };
        make_room_for_raw(tx).await?;
        Ok(vec![Event::FediverseActivityReceived { json: raw.clone() }])
    }

    /// Carries out the part that applies when something changed; returns the events to log.
    pub(super) async fn carry_out(
        self,
        tx: &mut Tx,
        at: Timestamp,
    ) -> Result<Vec<Event>, StoreError> {
        for new in &self.objects {
            object::insert(&mut *tx, new).await?;
        }
        for outgoing in &self.outgoing {
            outgoing::enqueue(&mut *tx, outgoing, at).await?;
        }
        let Some(new) = &self.engagement else {
            return Ok(self.events);
        };
        Ok(match engagement::record(tx, new).await? {
            RecordResult::New => self.events,
            RecordResult::Known => Vec::new(),
        })
    }
}

/// Keeps the newest raw activities. The pruning mark stays where it is: nobody is promised to get them all.
async fn make_room_for_raw(tx: &mut Tx) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM events WHERE kind = 'FediverseActivityReceived' AND seq <= \
         (SELECT seq FROM events WHERE kind = 'FediverseActivityReceived' ORDER BY seq DESC LIMIT 1 OFFSET $1)",
    )
    .bind(MAX_RAW_ACTIVITIES - 1)
    .execute(tx)
    .await?;
    Ok(())
}
