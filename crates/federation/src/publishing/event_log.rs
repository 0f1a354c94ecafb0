//! Reads the event log for profile changes and for broadcasts that begin and end.

use jiff::Timestamp;
use model::settings::table::federation::PRIVATE;
use model::settings::table::{NAME, SOCIAL_HANDLES, SUMMARY, TAGS};
use model::{Event, LoggedEvent};
use store::{LOGO, StoreError};

use super::Outbox;

/// The name of our cursor.
pub(super) const CURSOR: &str = "federation";
/// How far the stored cursor may lag behind while there is nothing to say; what is read again after a crash is of no
/// consequence.
const MAX_LAG: i64 = 1_000;

/// What was found in the event log.
#[derive(Clone, Debug, Default)]
pub(super) struct EventLogState {
    /// The last entry that was read.
    pub(super) seq: i64,
    /// The last entry that was read according to the database.
    stored: i64,
    /// The current broadcast.
    pub(super) broadcast: Option<Broadcast>,
    /// Since when the profile differs from what others know.
    pub(super) changed_at: Option<Timestamp>,
}

/// The current broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broadcast {
    pub(super) id: String,
    pub(super) since: Timestamp,
}

impl EventLogState {
    /// Starts where the last process left off; the first time, at the end of the log.
    pub(super) async fn load(outbox: &Outbox) -> Result<Self, StoreError> {
        let store = &outbox.0.store;
        let seq = match store.cursor(CURSOR).await? {
            Some(seq) => seq,
            None => {
                let (_, newest) = store.event_bounds().await?;
                let now = outbox.0.clock.now();
                store.advance_cursor(CURSOR, newest, now).await?;
                newest
            }
        };
        let on = store.unfinished_streams().await?.into_iter().next();
        Ok(Self {
            seq,
            stored: seq,
            broadcast: on.map(|record| Broadcast {
                id: record.id,
                since: record.started_at,
            }),
            changed_at: None,
        })
    }

    /// Reads on to the end of the log.
    pub(super) async fn read_on(&mut self, outbox: &Outbox) -> Result<(), StoreError> {
        loop {
            let events = outbox.0.store.events_after(self.seq).await?;
            if events.is_empty() {
                return Ok(());
            }
            for event in events {
                self.seq = event.seq;
                self.hear(event);
            }
        }
    }

    fn hear(&mut self, logged: LoggedEvent) {
        match logged.event {
            Event::StreamStarted { id, .. } => {
                let since = logged.at;
                self.broadcast = Some(Broadcast { id, since });
            }
            Event::StreamStopped { id } => {
                self.broadcast.take_if(|on| on.id == id);
            }
            Event::SettingChanged { key } if is_of_the_profile(&key) => {
                self.changed_at.get_or_insert(logged.at);
            }
            _ => {}
        }
    }

    /// Marks the present profile as published; the cursor was stored with it.
    pub(super) fn mark_published(&mut self) {
        self.changed_at = None;
        self.stored = self.seq;
    }

    /// Stores the cursor now and then, while nothing is pending that it has to wait for.
    pub(super) async fn save(&mut self, outbox: &Outbox) -> Result<(), StoreError> {
        if self.changed_at.is_none() && self.seq >= self.stored + MAX_LAG {
            let now = outbox.0.clock.now();
            outbox.0.store.advance_cursor(CURSOR, self.seq, now).await?;
            self.stored = self.seq;
        }
        Ok(())
    }
}

/// Settings that others see in the actor document, and the logo, whose change is logged like that of a setting.
fn is_of_the_profile(key: &str) -> bool {
    let keys = [
        NAME.meta.key,
        SUMMARY.meta.key,
        TAGS.meta.key,
        SOCIAL_HANDLES.meta.key,
        PRIVATE.meta.key,
        LOGO,
    ];
    keys.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + seconds).unwrap()
    }

    fn hear(events: Vec<Event>) -> EventLogState {
        let mut log = EventLogState::default();
        for (place, event) in (1..).zip(events) {
            let seq = place;
            let at = at(place);
            log.hear(LoggedEvent { seq, at, event });
        }
        log
    }

    fn started(id: &str) -> Event {
        Event::StreamStarted {
            id: id.into(),
            title: String::new(),
        }
    }

    #[test]
    fn a_broadcast_is_on_from_its_start_to_its_own_end() {
        let stopped = |id: &str| Event::StreamStopped { id: id.into() };
        let on = |id: &str, since| {
            Some(Broadcast {
                id: id.into(),
                since: at(since),
            })
        };
        assert_eq!(hear(vec![started("a")]).broadcast, on("a", 1));
        assert_eq!(hear(vec![started("a"), stopped("a")]).broadcast, None);
        let late = hear(vec![started("a"), started("b"), stopped("a")]);
        assert_eq!(late.broadcast, on("b", 2));
    }

    #[test]
    fn the_profile_is_stale_since_the_first_change_that_others_can_see() {
        let changed = |key: &str| Event::SettingChanged { key: key.into() };
        let log = hear(vec![changed("latency_level"), changed("stream_keys")]);
        assert_eq!(log.changed_at, None);
        for key in [
            "name",
            "summary",
            "tags",
            "social_handles",
            "federation_private",
            "logo",
        ] {
            let log = hear(vec![changed("nsfw"), changed(key), changed("name")]);
            assert_eq!(log.changed_at, Some(at(2)), "{key}");
        }
    }
}
