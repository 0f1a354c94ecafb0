//! Carries what machines tell each other about the people in the chat: who came and went, who was too fast.
//!
//! What it means is decided in `chat`. Any of it may be lost: whoever missed something asks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bus::{Bus, BusError, BusState, Subject};
use chat::{PeopleNote, PeopleNoteKind, PersonMove, Room};
use model::{Clock, UserId};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{LISTEN_PAUSE, forwarding, stops_within, ticks};

/// Between two looks at who came and went.
const NEWS: Duration = Duration::from_millis(250);
/// Looks without news before a sign of life: one a second.
const SIGN_EVERY: u32 = 4;
/// One machine is asked for everybody at most this often, and answers as often.
const ASK_EVERY: Duration = Duration::from_millis(900);

/// This machine, as others know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnName<'a> {
    pub(super) id: &'a str,
}

/// A note as it travels.
#[derive(Debug, Serialize, Deserialize)]
struct WireNote {
    server: String,
    number: u64,
    kind: WireKind,
    /// With the time they left.
    moves: Vec<(UserId, Option<i64>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireKind {
    Changes,
    Everybody {
        piece: u32,
        of: u32,
    },
    Farewell,
    /// The server named in the note is asked for everybody.
    Ask,
}

/// Who was too fast at a server.
#[derive(Debug, Serialize, Deserialize)]
struct WirePenalties {
    server: String,
    users: Vec<UserId>,
}

impl From<PeopleNote> for WireNote {
    fn from(note: PeopleNote) -> Self {
        let moves = note.moves.into_iter();
        Self {
            server: note.server,
            number: note.number,
            kind: match note.kind {
                PeopleNoteKind::Changes => WireKind::Changes,
                PeopleNoteKind::Everybody { piece, of } => WireKind::Everybody { piece, of },
                PeopleNoteKind::Farewell => WireKind::Farewell,
            },
            moves: moves.map(|one| (one.user, one.left_at)).collect(),
        }
    }
}

impl WireNote {
    fn asking(server: &str) -> Self {
        Self {
            server: server.to_owned(),
            number: 0,
            kind: WireKind::Ask,
            moves: vec![],
        }
    }

    /// `None` if it is a question.
    fn note(self) -> Option<PeopleNote> {
        let kind = match self.kind {
            WireKind::Changes => PeopleNoteKind::Changes,
            WireKind::Everybody { piece, of } => PeopleNoteKind::Everybody { piece, of },
            WireKind::Farewell => PeopleNoteKind::Farewell,
            WireKind::Ask => return None,
        };
        let moves = self.moves.into_iter();
        Some(PeopleNote {
            server: self.server,
            number: self.number,
            kind,
            moves: moves
                .map(|(user, left_at)| PersonMove { user, left_at })
                .collect(),
        })
    }
}

/// Tells and hears until `stop`, and then takes leave.
pub(super) async fn take_part(
    bus: &Bus,
    chat: &Room,
    clock: &dyn Clock,
    own: OwnName<'_>,
    stop: &CancellationToken,
) {
    let is_listening = AtomicBool::new(false);
    tokio::join!(
        tell(bus, chat, clock, own, &is_listening, stop),
        hear(bus, chat, clock, own, &is_listening, stop),
        hear_penalties(bus, chat, own, stop),
    );
    if let Some(farewell) = chat.people_sign(PeopleNoteKind::Farewell) {
        say(bus, Subject::Presence, &WireNote::from(farewell)).await;
    }
}

async fn tell(
    bus: &Bus,
    chat: &Room,
    clock: &dyn Clock,
    own: OwnName<'_>,
    is_listening: &AtomicBool,
    stop: &CancellationToken,
) {
    let mut ticks = ticks(NEWS);
    let mut listening_since = None;
    let mut round: u32 = 0;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let is_connected = bus.state() == BusState::Connected;
        listening_since = match is_connected && is_listening.load(Ordering::Relaxed) {
            true => listening_since.or_else(|| Some(clock.uptime())),
            false => None,
        };
        let mut notes = chat.people_news();
        if notes.is_empty() && round.is_multiple_of(SIGN_EVERY) {
            notes.extend(chat.people_sign(PeopleNoteKind::Changes));
        }
        round = round.wrapping_add(1);
        for note in notes {
            say(bus, Subject::Presence, &WireNote::from(note)).await;
        }
        let users = chat.punished();
        if !users.is_empty() {
            let server = own.id.to_owned();
            say(bus, Subject::Penalty, &WirePenalties { server, users }).await;
        }
        for told in chat.told_elsewhere() {
            forwarding::tell(bus, told).await;
        }
        chat.watch_people(listening_since);
    }
}

async fn hear(
    bus: &Bus,
    chat: &Room,
    clock: &dyn Clock,
    own: OwnName<'_>,
    is_listening: &AtomicBool,
    stop: &CancellationToken,
) {
    // When each was asked for everybody, this machine included.
    let mut asked: BTreeMap<String, Duration> = BTreeMap::new();
    loop {
        let mut notes = match bus.subscribe(Subject::Presence).await {
            Ok(notes) => notes,
            Err(error) => {
                tracing::warn!(%error, "cannot hear who is in the chat at other machines");
                if stops_within(stop, LISTEN_PAUSE).await {
                    return;
                }
                continue;
            }
        };
        is_listening.store(true, Ordering::Relaxed);
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = notes.next() => message,
            };
            let Some(message) = message else {
                break;
            };
            let Ok(wire) = serde_json::from_slice::<WireNote>(&message.body) else {
                continue;
            };
            let server = wire.server.clone();
            let is_own = server == own.id;
            let is_needed = match wire.note() {
                Some(note) => chat.hear_people(note),
                None => is_own,
            };
            let now = clock.uptime();
            asked.retain(|_, at| now < *at + ASK_EVERY);
            if !is_needed || asked.contains_key(&server) {
                continue;
            }
            if is_own {
                for note in chat.everybody_here() {
                    say(bus, Subject::Presence, &WireNote::from(note)).await;
                }
            } else {
                say(bus, Subject::Presence, &WireNote::asking(&server)).await;
            }
            asked.insert(server, now);
        }
        is_listening.store(false, Ordering::Relaxed);
    }
}

async fn hear_penalties(bus: &Bus, chat: &Room, own: OwnName<'_>, stop: &CancellationToken) {
    loop {
        let mut penalties = match bus.subscribe(Subject::Penalty).await {
            Ok(penalties) => penalties,
            Err(error) => {
                tracing::debug!(%error, "cannot hear who was too fast at other machines");
                if stops_within(stop, LISTEN_PAUSE).await {
                    return;
                }
                continue;
            }
        };
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = penalties.next() => message,
            };
            let Some(message) = message else {
                break;
            };
            let Ok(wire) = serde_json::from_slice::<WirePenalties>(&message.body) else {
                continue;
            };
            if wire.server == own.id {
                continue;
            }
            for user in wire.users {
                chat.punish(user).await;
            }
        }
    }
}

/// What cannot be said is missed, and asked for.
async fn say(bus: &Bus, subject: Subject, what: &impl Serialize) {
    let body = serde_json::to_vec(what).unwrap_or_default();
    match bus.publish(subject, &body).await {
        // The connection says by itself that it is lost.
        Ok(()) | Err(BusError::Away) => {}
        Err(error) => tracing::debug!(%error, "cannot tell other machines of the people here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_comes_back_as_it_was() {
        let user = |name: &str| UserId::parse(name).unwrap();
        let came = PersonMove {
            user: user("ada"),
            left_at: None,
        };
        let left = PersonMove {
            user: user("bo"),
            left_at: Some(1_700_000_000_000),
        };
        for kind in [
            PeopleNoteKind::Changes,
            PeopleNoteKind::Everybody { piece: 1, of: 3 },
            PeopleNoteKind::Farewell,
        ] {
            let note = PeopleNote {
                server: "one".into(),
                number: 7,
                kind,
                moves: vec![came.clone(), left.clone()],
            };
            let bytes = serde_json::to_vec(&WireNote::from(note.clone())).unwrap();
            let read: WireNote = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(read.note(), Some(note));
        }
        let bytes = serde_json::to_vec(&WireNote::asking("one")).unwrap();
        let read: WireNote = serde_json::from_slice(&bytes).unwrap();
        assert_eq!((read.kind, read.note()), (WireKind::Ask, None));
    }

    #[test]
    fn the_largest_note_is_within_the_bound_of_its_subject() {
        let moves = (0..500).map(|number: u32| {
            let user = UserId::parse(format!("{number:064}")).unwrap();
            (user, Some(1_700_000_000_000))
        });
        let note = WireNote {
            server: "0123456789abcdef".into(),
            number: u64::MAX,
            kind: WireKind::Everybody { piece: 1, of: 3 },
            moves: moves.collect(),
        };
        assert!(serde_json::to_vec(&note).unwrap().len() < 60 * 1024);
    }
}
