//! What the other machines said of themselves lately.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::Clock;
use serde::{Deserialize, Serialize};
use web::NodeLoad;

/// What was heard this long ago says nothing any more; the database does.
const FORGET_AFTER: Duration = Duration::from_secs(60);
/// More machines than this are not remembered; the database knows them all.
const MOST_NODES: usize = 256;

/// What a machine says each second.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Beat {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) load: NodeLoad,
}

impl Beat {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Judged by this machine's own clocks only.
#[derive(Debug)]
pub(super) struct HeardNodes {
    clock: Arc<dyn Clock>,
    beats: Mutex<BTreeMap<String, HeardBeat>>,
    /// Connections to the chat of the other machines.
    chat_clients_elsewhere: AtomicU32,
}

#[derive(Clone, Copy, Debug)]
struct HeardBeat {
    /// [`Clock::uptime`].
    at: Duration,
    load: NodeLoad,
}

impl HeardNodes {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            beats: Mutex::default(),
            chat_clients_elsewhere: AtomicU32::new(0),
        }
    }

    /// Takes what another machine said; what cannot be read is left out.
    pub(super) fn hear(&self, body: &[u8]) {
        let Ok(beat) = serde_json::from_slice::<Beat>(body) else {
            return;
        };
        let at = self.clock.uptime();
        let mut beats = self.beats();
        beats.retain(|_, heard| at.saturating_sub(heard.at) < FORGET_AFTER);
        if beats.len() < MOST_NODES || beats.contains_key(&beat.id) {
            let load = beat.load;
            beats.insert(beat.id, HeardBeat { at, load });
        }
    }

    pub(super) fn set_chat_clients_elsewhere(&self, clients: u32) {
        self.chat_clients_elsewhere
            .store(clients, Ordering::Relaxed);
    }

    /// How long ago a machine was last heard; `None` if it never was, or not for a long time.
    pub(super) fn silent_for(&self, id: &str) -> Option<Duration> {
        let heard = self.beats().get(id).copied()?;
        Some(self.clock.uptime().saturating_sub(heard.at))
    }

    /// When a machine was last heard of, and how busy it was.
    pub(super) fn heard_of(&self, id: &str) -> Option<(Timestamp, NodeLoad)> {
        let heard = self.beats().get(id).copied()?;
        let ago = self.clock.uptime().saturating_sub(heard.at);
        (ago < FORGET_AFTER).then(|| (self.clock.now() - ago, heard.load))
    }

    /// Connections to the chat of the other machines.
    pub(super) fn chat_clients_elsewhere(&self) -> u32 {
        self.chat_clients_elsewhere.load(Ordering::Relaxed)
    }

    fn beats(&self) -> MutexGuard<'_, BTreeMap<String, HeardBeat>> {
        self.beats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use testkit::ManualClock;

    use super::*;

    fn beat(id: &str, viewers: u32) -> Vec<u8> {
        let beat = Beat {
            id: id.into(),
            name: "left".into(),
            load: NodeLoad {
                viewers,
                chat_clients: 0,
            },
        };
        beat.to_bytes()
    }

    #[test]
    fn what_a_machine_said_last_counts_until_it_was_silent_for_a_minute() {
        let clock = Arc::new(ManualClock::default());
        let heard = HeardNodes::new(Arc::<ManualClock>::clone(&clock));
        assert!(heard.heard_of("a").is_none());
        heard.hear(&beat("a", 1));
        heard.hear(&beat("a", 2));
        heard.hear(b"no beat at all");
        let began = clock.now();
        clock.advance(FORGET_AFTER / 2);
        let (at, load) = heard.heard_of("a").unwrap();
        assert_eq!((at, load.viewers), (began, 2));
        clock.advance(FORGET_AFTER / 2);
        assert!(heard.heard_of("a").is_none());
    }

    #[test]
    fn there_is_an_end_to_the_machines_that_are_remembered() {
        let heard = HeardNodes::new(Arc::new(ManualClock::default()));
        for number in 0..=MOST_NODES {
            heard.hear(&beat(&number.to_string(), 0));
        }
        assert_eq!(heard.beats().len(), MOST_NODES);
        assert!(heard.heard_of(&MOST_NODES.to_string()).is_none());
    }
}
