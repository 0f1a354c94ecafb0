//! The other servers on the same database: what each of them is told of the people here, and what is done about what they
//! tell. `server` carries the notes.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::settings::table::chat::JOIN_MESSAGES_MAX_PEOPLE;
use model::{Event, UserId};
use store::{StoreError, User};

use super::task::PART_DELAY;
use super::{Room, RoomCommand, RoomShared};
use crate::everywhere::{Everywhere, PeopleNote, PeopleNoteKind};

/// Bits of a connection's number that count the connections of one server; those above them are the server's number.
const CLIENT_BITS: u32 = 40;

/// People whose leave is logged at once when their server is gone. One by one, thousands of them would hold up the lines of
/// all servers.
const MOST_PARTED: usize = 100;

/// What a room knows of the other servers, and what they have to be told. A server that is alone uses none of it.
#[derive(Debug, Default)]
pub(super) struct OtherServers {
    everywhere: Mutex<Everywhere>,
    /// How many people are at other servers and not here.
    people: AtomicUsize,
    /// Who was too fast here, which others have not been told yet.
    punished: Mutex<Vec<UserId>>,
    /// What is to be said to connections there.
    told: Mutex<Vec<ToldElsewhere>>,
    /// The numbers of connections here are above this one, so that no other server has the same.
    pub(super) client_base: AtomicU64,
}

/// Something to be said to a connection at another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldElsewhere {
    /// The number of that server.
    pub server: i64,
    pub client_id: u64,
    /// Markdown.
    pub text: String,
}

impl RoomShared {
    /// Somebody is here now. True if they are at another server as well, or were a moment ago.
    pub(super) fn came(&self, user: &UserId) -> bool {
        self.is_following
            && self
                .everywhere()
                .came(user, self.clock.uptime(), PART_DELAY)
    }

    /// Somebody is no longer here.
    pub(super) fn left(&self, user: &UserId) {
        if self.is_following {
            let at = self.clock.now().as_millisecond();
            self.everywhere().left(user, at, self.clock.uptime());
        }
    }

    /// Whether it is for this server to say that somebody who left it has left.
    pub(super) fn is_last_to_see(&self, user: &UserId) -> bool {
        !self.is_following || self.everywhere().is_last_to_see(user)
    }

    /// Somebody was too fast, which other servers have to know.
    pub(crate) fn punished(&self, user: &UserId) {
        if self.is_following {
            let punished = self.others.punished.lock();
            let mut punished = punished.unwrap_or_else(PoisonError::into_inner);
            if punished.len() < super::INBOX {
                punished.push(user.clone());
            }
        }
    }

    fn everywhere(&self) -> MutexGuard<'_, Everywhere> {
        let everywhere = self.others.everywhere.lock();
        everywhere.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Room {
    /// Whether more people are connected, at all servers, than pages should announce the joins of.
    pub fn is_crowded(&self) -> bool {
        let most = *self.shared.settings.now().get(&JOIN_MESSAGES_MAX_PEOPLE);
        let here = self.shared.people.load(Ordering::Relaxed);
        let elsewhere = self.shared.others.people.load(Ordering::Relaxed);
        here + elsewhere > most as usize || most == 0
    }

    /// From now on there is something to tell others, in the name of this server: its id, which no other process has, and
    /// its number.
    pub fn begin_telling(&self, id: &str, number: i64) {
        self.shared.everywhere().begin(id.to_owned());
        let number = u64::try_from(number).unwrap_or_default();
        let base = number << CLIENT_BITS;
        self.shared
            .others
            .client_base
            .store(base, Ordering::Relaxed);
    }

    /// Whether a connection is at another server.
    pub(crate) fn is_elsewhere(&self, client_id: u64) -> bool {
        let base = self.shared.others.client_base.load(Ordering::Relaxed);
        self.shared.is_following && base != 0 && client_id >> CLIENT_BITS != base >> CLIENT_BITS
    }

    pub(crate) fn tell_elsewhere(&self, client_id: u64, text: String) {
        let told = self.shared.others.told.lock();
        let mut told = told.unwrap_or_else(PoisonError::into_inner);
        if told.len() < super::INBOX {
            told.push(ToldElsewhere {
                server: i64::try_from(client_id >> CLIENT_BITS).unwrap_or_default(),
                client_id,
                text,
            });
        }
    }

    /// What is to be said to connections at other servers since this was asked last.
    pub fn told_elsewhere(&self) -> Vec<ToldElsewhere> {
        let told = self.shared.others.told.lock();
        std::mem::take(&mut *told.unwrap_or_else(PoisonError::into_inner))
    }

    /// Who came and went since this was asked last.
    pub fn people_news(&self) -> Vec<PeopleNote> {
        self.shared.everywhere().news()
    }

    /// A note without news: a sign of life, or a farewell.
    pub fn people_sign(&self, kind: PeopleNoteKind) -> Option<PeopleNote> {
        self.shared.everywhere().sign(kind)
    }

    /// Everybody who is here, for a server that missed something.
    pub fn everybody_here(&self) -> Vec<PeopleNote> {
        self.shared.everywhere().everybody()
    }

    /// Takes a note of another server. True if everybody has to be asked for.
    pub fn hear_people(&self, note: PeopleNote) -> bool {
        let now = self.shared.clock.uptime();
        self.shared.everywhere().hear(note, now, PART_DELAY)
    }

    /// Forgets servers that fell silent, and says good-bye to those who were there. `listening_since` is the uptime since
    /// which notes can be heard.
    pub fn watch_people(&self, listening_since: Option<Duration>) {
        let now = self.shared.clock.uptime();
        let (gone, elsewhere) = {
            let mut everywhere = self.shared.everywhere();
            let gone = everywhere.tick(now, listening_since, PART_DELAY);
            (gone, everywhere.only_elsewhere())
        };
        let people = &self.shared.others.people;
        people.store(elsewhere, Ordering::Relaxed);
        if !gone.is_empty() {
            // They may be thousands, and the next sign of life does not wait for them.
            let room = self.clone();
            tokio::spawn(async move {
                for some in gone.chunks(MOST_PARTED) {
                    if let Err(error) = room.part_for(some).await {
                        tracing::debug!(%error, "cannot log who left with another server");
                    }
                }
            });
        }
    }

    /// Logs that some have left whose server is gone.
    async fn part_for(&self, users: &[UserId]) -> Result<(), StoreError> {
        let (store, now) = (&self.shared.store, self.shared.clock.now());
        let mut parted = Vec::with_capacity(users.len());
        for user in users {
            let stored = store.user(user).await?;
            if let Some(user) = stored.filter(|user| !user.is_banned(now)) {
                parted.push(Event::ChatUserParted {
                    user: user.public(),
                    client_id: 0,
                });
            }
        }
        if parted.is_empty() {
            return Ok(());
        }
        store
            .write_with_events(now, move |_| Box::pin(async move { Ok(((), parted)) }))
            .await
    }

    /// Who was too fast here since this was asked last.
    pub fn punished(&self) -> Vec<UserId> {
        let punished = self.shared.others.punished.lock();
        std::mem::take(&mut *punished.unwrap_or_else(PoisonError::into_inner))
    }

    /// Silences somebody for a while who was too fast at another server.
    pub async fn punish(&self, user: UserId) {
        self.send(RoomCommand::Punish(user)).await;
    }

    /// Bans the addresses that somebody is connected from here: a moderator at another server has banned them, and knew
    /// only those they had there.
    pub(super) async fn ban_addresses_here(&self, user: &User) -> Result<(), StoreError> {
        let now = self.shared.clock.now();
        if !user.is_banned(now) {
            return Ok(());
        }
        let mut bans = self.addresses_of(&user.id, now, user.disabled_until).await;
        bans.retain(|ban| {
            let address = ban.address.parse::<IpAddr>();
            address.is_ok_and(|address| !self.is_banned(address))
        });
        if bans.is_empty() {
            return Ok(());
        }
        self.shared
            .store
            .ban_addresses_of(&user.id, bans, now)
            .await?;
        self.load_bans().await
    }
}
