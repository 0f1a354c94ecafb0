//! Who is in the chat at the other servers on the same database, and what those have to be told of who is here.
//!
//! A server tells of its comings and goings in numbered notes, several times a second, and once a second how far it has
//! counted. Who missed a note asks for everybody; so notes may be lost. A server that falls silent takes its people with
//! it. Nothing here is the truth about rights; it decides what is said about who joined and who left:
//!
//! - Whoever is at another server, or was a moment ago, does not join again. Two joins within the time that a note takes
//!   are both told.
//! - Of several servers that somebody has left, the one that they left last tells it. All of them compare the same pairs
//!   of a time and a server's id, so clocks that differ make no second telling.
//! - For a server that is gone, the one with the smallest id tells it.
//!
//! No clock and no network: `others.rs` of the room has both.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use model::UserId;

/// A server that was silent for this long is gone, and so is everybody who was there.
const SILENCE: Duration = Duration::from_secs(10);
/// Who left is remembered for this long: longer than anybody waits for them to come back.
const LEAVES_KEPT: Duration = Duration::from_secs(30);
/// People in one note.
const MOST_IN_A_NOTE: usize = 500;
/// Pieces of a list of everybody; a longer one is not taken.
const MOST_PIECES: u32 = 1024;
/// Servers that are listened to.
const MOST_SERVERS: usize = 256;

/// Somebody who came to a server or left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonMove {
    pub user: UserId,
    /// When they left, in milliseconds of the wall clock; `None` if they came.
    pub left_at: Option<i64>,
}

/// What a server tells the others about the people there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeopleNote {
    /// The server's id, another one after each start.
    pub server: String,
    /// Which of its notes about changes this is, or the last one before it.
    pub number: u64,
    pub kind: PeopleNoteKind,
    /// In their order.
    pub moves: Vec<PersonMove>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeopleNoteKind {
    /// What has changed since the note before. Without a move, that nothing has.
    Changes,
    /// A piece of a list of everybody who is there or left it lately.
    Everybody { piece: u32, of: u32 },
    /// The server stops.
    Farewell,
}

/// What this server knows of all.
#[derive(Debug, Default)]
pub(crate) struct Everywhere {
    /// `None` as long as nobody is told anything.
    own: Option<String>,
    /// The last note about changes.
    number: u64,
    here: HashSet<UserId>,
    left_here: HashMap<UserId, Leave>,
    untold: Vec<PersonMove>,
    others: BTreeMap<String, OtherServer>,
    /// At how many of the others somebody is.
    places: HashMap<UserId, u32>,
    /// Who was at a server that is gone and is nowhere now, and when that is final.
    lost: HashMap<UserId, Duration>,
}

#[derive(Clone, Copy, Debug)]
struct Leave {
    /// Milliseconds of the wall clock of the server they left.
    at: i64,
    /// This server's uptime.
    heard: Duration,
}

#[derive(Debug, Default)]
struct OtherServer {
    /// Uptime of the last note.
    heard: Duration,
    /// The note up to which `people` are right; `None` while one is missing.
    known: Option<u64>,
    people: HashSet<UserId>,
    left: HashMap<UserId, Leave>,
    list: PartialList,
}

/// A list of everybody that is arriving.
#[derive(Debug, Default)]
struct PartialList {
    number: u64,
    of: u32,
    pieces: BTreeMap<u32, Vec<PersonMove>>,
}

impl Everywhere {
    /// From now on others are told, in the name of this server.
    pub(crate) fn begin(&mut self, own: String) {
        self.own = Some(own);
    }

    /// Somebody is here now. True if they are at another server, or left it less than `patience` ago, so that they do not
    /// join.
    pub(crate) fn came(&mut self, user: &UserId, now: Duration, patience: Duration) -> bool {
        self.here.insert(user.clone());
        self.left_here.remove(user);
        let was_lost = self.lost.remove(user).is_some();
        self.tell(user, None);
        let left_lately = |other: &OtherServer| {
            let left = other.left.get(user);
            left.is_some_and(|leave| now < leave.heard + patience)
        };
        was_lost || self.is_elsewhere(user) || self.others.values().any(left_lately)
    }

    /// Somebody is no longer here; the time is that of the wall clock in milliseconds.
    pub(crate) fn left(&mut self, user: &UserId, at: i64, now: Duration) {
        if self.here.remove(user) {
            let leave = Leave { at, heard: now };
            self.left_here.insert(user.clone(), leave);
            self.tell(user, Some(at));
        }
    }

    /// Whether it is for this server to say that somebody who left it has left.
    pub(crate) fn is_last_to_see(&self, user: &UserId) -> bool {
        let is_anywhere = self.here.contains(user) || self.is_elsewhere(user);
        if is_anywhere || self.lost.contains_key(user) {
            return false;
        }
        let (Some(own), Some(mine)) = (&self.own, self.left_here.get(user)) else {
            return true;
        };
        let is_later = |(id, other): (&String, &OtherServer)| {
            let theirs = other.left.get(user);
            theirs.is_some_and(|theirs| (theirs.at, id) > (mine.at, own))
        };
        !self.others.iter().any(is_later)
    }

    pub(crate) fn is_elsewhere(&self, user: &UserId) -> bool {
        self.places.contains_key(user)
    }

    /// How many people are at other servers and not here.
    pub(crate) fn only_elsewhere(&self) -> usize {
        let is_away = |user: &&UserId| !self.here.contains(*user);
        self.places.keys().filter(is_away).count()
    }

    /// What others have not been told yet.
    pub(crate) fn news(&mut self) -> Vec<PeopleNote> {
        let Some(own) = self.own.clone() else {
            return vec![];
        };
        let untold = std::mem::take(&mut self.untold);
        let notes = untold.chunks(MOST_IN_A_NOTE).map(|moves| {
            self.number += 1;
            PeopleNote {
                server: own.clone(),
                number: self.number,
                kind: PeopleNoteKind::Changes,
                moves: moves.to_vec(),
            }
        });
        notes.collect()
    }

    /// A note that tells of no change.
    pub(crate) fn sign(&self, kind: PeopleNoteKind) -> Option<PeopleNote> {
        Some(PeopleNote {
            server: self.own.clone()?,
            number: self.number,
            kind,
            moves: vec![],
        })
    }

    /// Everybody who is here or left lately, for a server that missed something.
    pub(crate) fn everybody(&self) -> Vec<PeopleNote> {
        let Some(own) = &self.own else {
            return vec![];
        };
        let here = self.here.iter().map(|user| PersonMove {
            user: user.clone(),
            left_at: None,
        });
        let left = self.left_here.iter().map(|(user, leave)| PersonMove {
            user: user.clone(),
            left_at: Some(leave.at),
        });
        let all: Vec<PersonMove> = here.chain(left).collect();
        let mut pieces: Vec<&[PersonMove]> = all.chunks(MOST_IN_A_NOTE).collect();
        if pieces.is_empty() {
            // Nobody is an answer too.
            pieces.push(&[]);
        }
        let of = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        let notes = (0..of).zip(pieces).map(|(piece, moves)| PeopleNote {
            server: own.clone(),
            number: self.number,
            kind: PeopleNoteKind::Everybody { piece, of },
            moves: moves.to_vec(),
        });
        notes.collect()
    }

    /// Takes a note of another server, with what is final after `patience`. True if something is missing and everybody has
    /// to be asked for.
    pub(crate) fn hear(&mut self, note: PeopleNote, now: Duration, patience: Duration) -> bool {
        let is_own = self.own.as_ref() == Some(&note.server);
        let is_known = self.others.contains_key(&note.server);
        if is_own || !is_known && self.others.len() >= MOST_SERVERS {
            return false;
        }
        if note.kind == PeopleNoteKind::Farewell {
            self.forget(&note.server, now, patience);
            return false;
        }
        let Self {
            others,
            places,
            lost,
            ..
        } = self;
        let other = others.entry(note.server).or_default();
        other.heard = now;
        match note.kind {
            PeopleNoteKind::Changes => other.change(note.number, note.moves, now, (places, lost)),
            PeopleNoteKind::Everybody { piece, of } => {
                let whole = other.collect(note.number, (piece, of), note.moves);
                if let Some(moves) = whole {
                    other.replace(note.number, moves, now, (places, lost));
                }
                false
            }
            PeopleNoteKind::Farewell => false,
        }
    }

    /// Forgets what is over. Servers that fell silent are gone with their people, unless this one hears nobody:
    /// `listening_since` is since when it can. Returns whom this server has to say good-bye to for one that is gone.
    pub(crate) fn tick(
        &mut self,
        now: Duration,
        listening_since: Option<Duration>,
        patience: Duration,
    ) -> Vec<UserId> {
        let is_kept = |_: &UserId, leave: &mut Leave| now < leave.heard + LEAVES_KEPT;
        self.left_here.retain(is_kept);
        for other in self.others.values_mut() {
            other.left.retain(is_kept);
        }
        let Some(since) = listening_since else {
            return vec![];
        };
        let silent = self
            .others
            .iter()
            .filter(|(_, other)| other.heard.max(since) + SILENCE <= now);
        let silent: Vec<String> = silent.map(|(id, _)| id.clone()).collect();
        for server in silent {
            self.forget(&server, now, patience);
        }
        let due = self.lost.iter().filter(|(_, due)| **due <= now);
        let due: Vec<UserId> = due.map(|(user, _)| user.clone()).collect();
        for user in &due {
            self.lost.remove(user);
        }
        let first = self.others.keys().next();
        let is_heir = match (&self.own, first) {
            (Some(own), Some(first)) => own < first,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if is_heir { due } else { vec![] }
    }

    fn tell(&mut self, user: &UserId, left_at: Option<i64>) {
        if self.own.is_some() {
            let user = user.clone();
            self.untold.push(PersonMove { user, left_at });
        }
    }

    /// A server is gone.
    fn forget(&mut self, server: &str, now: Duration, patience: Duration) {
        let Some(other) = self.others.remove(server) else {
            return;
        };
        for user in &other.people {
            take_from(&mut self.places, user);
        }
        // It has not said of these that they left.
        let untold = other
            .left
            .iter()
            .filter(|(_, leave)| other.heard < leave.heard + patience);
        let untold = untold.map(|(user, _)| user);
        for user in other.people.iter().chain(untold) {
            if !self.here.contains(user) && !self.places.contains_key(user) {
                self.lost.insert(user.clone(), now + patience);
            }
        }
    }
}

/// At how many servers people are, and who is nowhere.
type Whereabouts<'a> = (
    &'a mut HashMap<UserId, u32>,
    &'a mut HashMap<UserId, Duration>,
);

impl OtherServer {
    /// True if notes before this one are missing.
    fn change(
        &mut self,
        number: u64,
        moves: Vec<PersonMove>,
        now: Duration,
        (places, lost): Whereabouts<'_>,
    ) -> bool {
        let Some(known) = self.known else {
            return true;
        };
        // It came over the network, and the last number of all has none after it.
        let expected = known.saturating_add(u64::from(!moves.is_empty()));
        if number != expected {
            // A list has told of it already, or something was lost.
            let is_missing = number > known;
            if is_missing {
                self.known = None;
            }
            return is_missing;
        }
        self.known = Some(number);
        for PersonMove { user, left_at } in moves {
            match left_at {
                None => {
                    self.left.remove(&user);
                    lost.remove(&user);
                    if self.people.insert(user.clone()) {
                        *places.entry(user).or_default() += 1;
                    }
                }
                Some(at) => {
                    if self.people.remove(&user) {
                        take_from(places, &user);
                    }
                    self.left.insert(user, Leave { at, heard: now });
                }
            }
        }
        false
    }

    /// Takes a piece of a list, and returns the list once it is whole.
    fn collect(
        &mut self,
        number: u64,
        (piece, of): (u32, u32),
        moves: Vec<PersonMove>,
    ) -> Option<Vec<PersonMove>> {
        if self.known == Some(number) || piece >= of || of > MOST_PIECES {
            return None;
        }
        if self.list.number != number || self.list.of != of {
            self.list = PartialList {
                number,
                of,
                pieces: BTreeMap::new(),
            };
        }
        self.list.pieces.insert(piece, moves);
        if self.list.pieces.len() < of as usize {
            return None;
        }
        let list = std::mem::take(&mut self.list);
        Some(list.pieces.into_values().flatten().collect())
    }

    /// Takes a whole list.
    fn replace(
        &mut self,
        number: u64,
        moves: Vec<PersonMove>,
        now: Duration,
        (places, lost): Whereabouts<'_>,
    ) {
        for user in &self.people {
            take_from(places, user);
        }
        self.people.clear();
        self.left.clear();
        for PersonMove { user, left_at } in moves {
            match left_at {
                None => {
                    lost.remove(&user);
                    if self.people.insert(user.clone()) {
                        *places.entry(user).or_default() += 1;
                    }
                }
                Some(at) => {
                    self.left.insert(user, Leave { at, heard: now });
                }
            }
        }
        self.known = Some(number);
    }
}

fn take_from(places: &mut HashMap<UserId, u32>, user: &UserId) {
    if let Entry::Occupied(mut count) = places.entry(user.clone()) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const PATIENCE: Duration = Duration::from_secs(10);

    fn user(name: &str) -> UserId {
        UserId::parse(name).unwrap()
    }

    fn server(id: &str) -> Everywhere {
        let mut server = Everywhere::default();
        server.begin(id.into());
        server
    }

    /// Brings everything that one server has to tell to the other, with what that asks for.
    fn tell(from: &mut Everywhere, to: &mut Everywhere, now: Duration) {
        let mut notes = from.news();
        notes.extend(from.sign(PeopleNoteKind::Changes));
        let asks = notes
            .into_iter()
            .map(|note| to.hear(note, now, PATIENCE))
            .fold(false, |asks, one| asks | one);
        if asks {
            for note in from.everybody() {
                assert!(!to.hear(note, now, PATIENCE));
            }
        }
    }

    #[test]
    fn whoever_is_at_two_servers_joins_once_and_leaves_once() {
        let (mut one, mut two) = (server("one"), server("two"));
        let ada = user("ada");
        assert!(!one.came(&ada, SECOND, PATIENCE));
        tell(&mut one, &mut two, SECOND);
        assert!(two.came(&ada, SECOND * 2, PATIENCE), "at the other one");
        tell(&mut two, &mut one, SECOND * 2);
        assert_eq!(one.only_elsewhere(), 0);

        one.left(&ada, 3_000, SECOND * 3);
        tell(&mut one, &mut two, SECOND * 3);
        assert!(!one.is_last_to_see(&ada), "still at the other one");
        two.left(&ada, 4_000, SECOND * 4);
        tell(&mut two, &mut one, SECOND * 4);
        assert!(!one.is_last_to_see(&ada));
        assert!(two.is_last_to_see(&ada));
    }

    #[test]
    fn whoever_changes_servers_neither_leaves_nor_joins() {
        let (mut one, mut two) = (server("one"), server("two"));
        let ada = user("ada");
        one.came(&ada, SECOND, PATIENCE);
        tell(&mut one, &mut two, SECOND);
        one.left(&ada, 2_000, SECOND * 2);
        tell(&mut one, &mut two, SECOND * 2);
        assert!(two.came(&ada, SECOND * 11, PATIENCE), "back in time");
        tell(&mut two, &mut one, SECOND * 11);
        assert!(!one.is_last_to_see(&ada));
        two.left(&ada, 12_000, SECOND * 12);
        tell(&mut two, &mut one, SECOND * 12);
        assert!(!one.came(&ada, SECOND * 22, PATIENCE), "too late: joins");
    }

    #[test]
    fn a_silent_server_takes_its_people_with_it_and_one_of_the_others_says_so() {
        let (mut one, mut two, mut three) = (server("one"), server("two"), server("three"));
        let (ada, bo, cy) = (user("ada"), user("bo"), user("cy"));
        for who in [&ada, &bo, &cy] {
            two.came(who, SECOND, PATIENCE);
        }
        three.came(&bo, SECOND, PATIENCE);
        let (mut for_one, mut for_three) = (two.news(), two.everybody());
        for_one.extend(two.everybody());
        for note in for_one.drain(..) {
            one.hear(note, SECOND, PATIENCE);
        }
        for note in for_three.drain(..) {
            three.hear(note, SECOND, PATIENCE);
        }
        tell(&mut three, &mut one, SECOND);
        tell(&mut one, &mut three, SECOND);
        assert_eq!(one.only_elsewhere(), 3);

        // Nobody is gone as long as this server hears nobody.
        let late = SECOND * 60;
        assert!(one.tick(late, None, PATIENCE).is_empty());
        assert!(one.tick(late, Some(late - SECOND), PATIENCE).is_empty());
        assert!(one.is_elsewhere(&ada));

        let since = Some(Duration::ZERO);
        let silent = SECOND * 11;
        one.others.get_mut("three").unwrap().heard = silent;
        three.others.get_mut("one").unwrap().heard = silent;
        for server in [&mut one, &mut three] {
            assert!(server.tick(silent, since, PATIENCE).is_empty());
            assert!(!server.is_elsewhere(&ada));
        }
        // One of them comes to another server in time.
        assert!(three.came(&cy, SECOND * 15, PATIENCE), "does not join");
        tell(&mut three, &mut one, SECOND * 15);
        tell(&mut one, &mut three, SECOND * 15);
        let told = one.tick(SECOND * 21, since, PATIENCE);
        assert_eq!(told, [ada], "bo and cy are at the third");
        assert!(three.tick(SECOND * 21, since, PATIENCE).is_empty());
        assert!(one.tick(SECOND * 22, since, PATIENCE).is_empty(), "once");
    }

    #[test]
    fn a_server_that_stops_takes_leave_of_those_it_would_still_have_waited_for() {
        let (mut one, mut two) = (server("one"), server("two"));
        let (ada, bo) = (user("ada"), user("bo"));
        two.came(&ada, SECOND, PATIENCE);
        two.came(&bo, SECOND, PATIENCE);
        tell(&mut two, &mut one, SECOND);
        two.left(&bo, 2_000, SECOND * 2);
        tell(&mut two, &mut one, SECOND * 2);
        let farewell = two.sign(PeopleNoteKind::Farewell).unwrap();
        assert!(!one.hear(farewell, SECOND * 3, PATIENCE));
        let since = Some(Duration::ZERO);
        assert!(one.tick(SECOND * 4, since, PATIENCE).is_empty());
        let mut told = one.tick(SECOND * 13, since, PATIENCE);
        told.sort();
        assert_eq!(told, [ada, bo]);
    }

    #[test]
    fn a_list_in_pieces_counts_once_it_is_whole() {
        let (mut one, mut two) = (server("one"), server("two"));
        for number in 0..=MOST_IN_A_NOTE {
            one.came(&user(&number.to_string()), SECOND, PATIENCE);
        }
        one.news();
        let mut pieces = one.everybody();
        assert_eq!(pieces.len(), 2);
        let last = pieces.pop().unwrap();
        assert!(!two.hear(last.clone(), SECOND, PATIENCE));
        assert_eq!(two.only_elsewhere(), 0);
        assert!(!two.hear(pieces.pop().unwrap(), SECOND, PATIENCE));
        assert_eq!(two.only_elsewhere(), MOST_IN_A_NOTE + 1);
        assert!(!two.hear(last, SECOND, PATIENCE), "told again");
        assert_eq!(two.only_elsewhere(), MOST_IN_A_NOTE + 1);
    }

    #[test]
    fn a_number_that_nobody_counts_to_does_no_harm() {
        let mut one = server("one");
        let note = |kind, moves| PeopleNote {
            server: "two".into(),
            number: u64::MAX,
            kind,
            moves,
        };
        let everybody = PeopleNoteKind::Everybody { piece: 0, of: 1 };
        assert!(!one.hear(note(everybody, vec![]), SECOND, PATIENCE));
        let came = PersonMove {
            user: user("ada"),
            left_at: None,
        };
        one.hear(note(PeopleNoteKind::Changes, vec![came]), SECOND, PATIENCE);
        assert_eq!(one.only_elsewhere(), 1);
    }

    proptest! {
        #[test]
        fn whatever_notes_are_lost_the_next_sign_of_life_brings_everybody(
            moves in prop::collection::vec((0..8u8, any::<bool>(), any::<bool>()), 0..60),
        ) {
            let (mut one, mut two) = (server("one"), server("two"));
            for (time, (number, comes, is_lost)) in (1u32..).zip(moves) {
                let (who, now) = (user(&number.to_string()), SECOND * time);
                if comes {
                    one.came(&who, now, PATIENCE);
                } else {
                    one.left(&who, i64::from(time), now);
                }
                let mut notes = one.news();
                if is_lost {
                    notes.clear();
                }
                for note in notes {
                    two.hear(note, now, PATIENCE);
                }
            }
            let end = SECOND * 100;
            tell(&mut one, &mut two, end);
            prop_assert_eq!(two.only_elsewhere(), one.here.len());
            for who in &one.here {
                prop_assert!(two.is_elsewhere(who));
            }
        }

        #[test]
        fn of_several_servers_exactly_one_says_that_somebody_has_left(
            times in prop::collection::vec(0..3i64, 1..5),
        ) {
            let ada = user("ada");
            let ids = (0..times.len()).map(|number| number.to_string());
            let mut servers: Vec<Everywhere> = ids.map(|id| server(&id)).collect();
            for (server, at) in servers.iter_mut().zip(&times) {
                server.came(&ada, SECOND, PATIENCE);
                server.left(&ada, *at, SECOND * 2);
            }
            let told: Vec<Vec<PeopleNote>> = servers.iter().map(Everywhere::everybody).collect();
            for server in &mut servers {
                for note in told.iter().flatten() {
                    server.hear(note.clone(), SECOND * 3, PATIENCE);
                }
            }
            let tellers = servers.iter().filter(|server| server.is_last_to_see(&ada));
            prop_assert_eq!(tellers.count(), 1);
        }
    }
}
