//! The operator's rules: who may say what.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::chat::ChatUser;
use model::schedule::Agenda;
use model::sentence::Sentence;
use model::settings::Layers;
use model::settings::table::chat::{
    ESTABLISHED_ONLY, FORBIDDEN_WORDS, HOLD_COPIED, HOLD_FIRST, KNOWN_ONLY, LINKS, PAUSED,
    REQUIRE_AUTHENTICATION, SPAM_PROTECTION, WHEN_OFFLINE, WORD_FILTER,
};
use model::settings::table::schedule;
use model::{StreamState, StreamStatus, UserId};
use store::{StoreError, User, UserKind};

use crate::room::RoomShared;
use crate::sentences;
use crate::word_filter::WordFilter;

/// Limit (viewers): age of an account that may write where new accounts may not; a younger one is told to wait.
const ESTABLISHED: Duration = Duration::from_secs(15 * 60);
/// Somebody who first wrote this long ago is known; those who came with an attack are not.
const KNOWN: Duration = Duration::from_secs(10 * 60);
/// Limit (viewers): time the chat stays open after a stream; then messages are refused until the next stream.
pub const AFTER_STREAM: Duration = Duration::from_secs(5 * 60);
/// Limit (viewers): time before the same message may be repeated where repeats are blocked; an earlier one is refused.
const DUPLICATES: Duration = Duration::from_secs(60);
/// Somebody who first wrote this long ago is known even if the switch was turned on before they did.
const KNOWN_FOR_LONG: Duration = Duration::from_secs(7 * 24 * 3600);
/// Limit (viewers): time within which the same message by different people counts as copied; copies are held.
const COPIES: Duration = Duration::from_secs(60);
/// From how many people on a message is a copy.
const COPIED_BY: usize = 3;
/// Shorter ones are what people say by themselves, such as a greeting.
const COPY_CHARS: usize = 12;
/// Lines remembered for it; beyond that the memory starts anew.
const MAX_REMEMBERED: usize = 2_000;

/// Stateful rules.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    words: Mutex<Option<(Arc<Layers>, Arc<WordFilter>)>>,
    said: Mutex<HashMap<u64, Duration>>,
    copies: Mutex<HashMap<u64, Copies>>,
    /// Since when newcomers are kept silent, by these settings.
    brake: Mutex<Option<(Arc<Layers>, Timestamp)>>,
    hasher: RandomState,
}

/// Who wrote the same.
#[derive(Debug, Default)]
struct Copies {
    /// When it was written last.
    at: Duration,
    /// With the last time of each, oldest first; no more of them than it takes.
    authors: Vec<(UserId, Duration)>,
}

impl Rules {
    /// Whether a text contains unwanted words.
    pub(crate) fn is_foul(&self, settings: &Arc<Layers>, text: &str) -> bool {
        self.words(settings).matches(text)
    }

    /// The first unwanted word found in a text, as it is in the list.
    pub(crate) fn blocked_word(&self, settings: &Arc<Layers>, text: &str) -> Option<String> {
        let words = self.words(settings);
        words.find(text).map(str::to_owned)
    }

    /// The word filter for these settings, built once per change.
    fn words(&self, settings: &Arc<Layers>) -> Arc<WordFilter> {
        let mut known = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((layers, filter)) = &*known
            && Arc::ptr_eq(layers, settings)
        {
            return Arc::clone(filter);
        }
        let own = settings.get(&FORBIDDEN_WORDS);
        let filter = Arc::new(if *settings.get(&WORD_FILTER) {
            WordFilter::with_profanity(own)
        } else {
            WordFilter::new(own)
        });
        *known = Some((Arc::clone(settings), Arc::clone(&filter)));
        filter
    }

    /// Whether the same line was sent a moment ago.
    pub(crate) fn is_repeated(&self, text: &str, now: Duration) -> bool {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let at = said.get(&self.key(text));
        at.is_some_and(|at| now < *at + DUPLICATES)
    }

    /// Remembers a line.
    pub(crate) fn remember(&self, text: &str, now: Duration) {
        let key = self.key(text);
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() >= MAX_REMEMBERED {
            said.retain(|_, at| now < *at + DUPLICATES);
        }
        if said.len() >= MAX_REMEMBERED {
            said.clear();
        }
        said.insert(key, now);
    }

    /// Notes who wrote a line, and says whether several people wrote the same within a short time.
    pub(crate) fn is_copied(&self, author: &UserId, text: &str, now: Duration) -> bool {
        // A plugin's command and an emoji are what many write at once, by their nature.
        let is_word = !text.contains(char::is_whitespace);
        let chars = text.chars().filter(|sign| !sign.is_whitespace());
        if is_word && text.starts_with(['!', ':']) || chars.take(COPY_CHARS).count() < COPY_CHARS {
            return false;
        }
        let key = self.key(text);
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        if copies.len() >= MAX_REMEMBERED {
            copies.retain(|_, same| now < same.at + COPIES);
        }
        if copies.len() >= MAX_REMEMBERED {
            copies.clear();
        }
        let same = copies.entry(key).or_default();
        same.at = now;
        same.authors
            .retain(|(other, at)| other != author && now < *at + COPIES);
        if same.authors.len() >= COPIED_BY {
            same.authors.remove(0);
        }
        same.authors.push((author.clone(), now));
        same.authors.len() >= COPIED_BY
    }

    fn brake(&self, settings: &Arc<Layers>) -> Option<Timestamp> {
        let brake = self.brake.lock().unwrap_or_else(PoisonError::into_inner);
        let known = brake.as_ref();
        let known = known.filter(|(layers, _)| Arc::ptr_eq(layers, settings));
        known.map(|(_, since)| *since)
    }

    fn set_brake(&self, settings: &Arc<Layers>, since: Timestamp) {
        let mut brake = self.brake.lock().unwrap_or_else(PoisonError::into_inner);
        *brake = Some((Arc::clone(settings), since));
    }

    fn key(&self, text: &str) -> u64 {
        let words: Vec<&str> = text.split_whitespace().collect();
        self.hasher.hash_one(words.join(" ").to_lowercase())
    }
}

/// Since when newcomers are kept silent; until they are, this is `now`. A switch outside the database is on since the
/// start.
pub(crate) async fn brake_since(
    room: &RoomShared,
    settings: &Arc<Layers>,
) -> Result<Timestamp, StoreError> {
    if !*settings.get(&KNOWN_ONLY) {
        return Ok(room.clock.now());
    }
    if let Some(since) = room.rules.brake(settings) {
        return Ok(since);
    }
    // What is stored under a switch from outside is not what is in force.
    let stored = match settings.current(&KNOWN_ONLY).source.is_outside() {
        true => None,
        false => room.store.setting_changed_at(KNOWN_ONLY.meta.key).await?,
    };
    let since = stored.unwrap_or(room.opened_at);
    room.rules.set_brake(settings, since);
    Ok(since)
}

/// Why a user may not take part at all, as a text for them. `brake` is since when newcomers are kept silent.
pub(crate) fn barrier(
    settings: &Layers,
    user: &User,
    brake: Timestamp,
    now: Timestamp,
) -> Option<Sentence> {
    if user.is_moderator || user.kind == UserKind::Api {
        return None;
    }
    if *settings.get(&PAUSED) {
        return Some(sentences::CHAT_PAUSED.plain());
    }
    if *settings.get(&ESTABLISHED_ONLY) && user.created_at + ESTABLISHED > now {
        return Some(sentences::TOO_NEW.plain());
    }
    if *settings.get(&REQUIRE_AUTHENTICATION) && user.authenticated_at.is_none() {
        return Some(sentences::SIGN_IN_TO_WRITE.plain());
    }
    if *settings.get(&KNOWN_ONLY) && !was_known(user, brake, now) {
        return Some(sentences::RETURNING_ONLY.plain());
    }
    None
}

/// Whether a user has signed in or is trusted.
fn is_trusted(user: &User) -> bool {
    user.is_moderator || user.kind == UserKind::Api || user.authenticated_at.is_some()
}

/// Whether a user is trusted or has been here for a while.
fn is_known(user: &User, now: Timestamp) -> bool {
    is_trusted(user) || user.spoke_at.is_some_and(|at| at + KNOWN <= now)
}

/// Whether a user was known when newcomers were silenced: who came with the attack does not become known by waiting.
fn was_known(user: &User, brake: Timestamp, now: Timestamp) -> bool {
    is_known(user, brake) || user.spoke_at.is_some_and(|at| at + KNOWN_FOR_LONG <= now)
}

/// Whether a user may post links.
pub(crate) fn may_link(settings: &Layers, user: &User, now: Timestamp) -> bool {
    match settings.get(&LINKS).as_str() {
        "nobody" => user.is_moderator,
        "known" => is_known(user, now),
        _ => true,
    }
}

/// Whether a line waits for a moderator.
pub(crate) fn is_held(settings: &Layers, user: &User) -> bool {
    *settings.get(&HOLD_FIRST)
        && user.spoke_at.is_none()
        && user.authenticated_at.is_none()
        && !user.is_moderator
        && user.kind == UserKind::Standard
}

/// Whether a line waits for a moderator because several people wrote the same: a raid, most likely.
pub(crate) fn is_held_as_copy(
    rules: &Rules,
    settings: &Layers,
    user: &User,
    text: &str,
    (now, uptime): (Timestamp, Duration),
) -> bool {
    let holds = *settings.get(&HOLD_COPIED) && *settings.get(&SPAM_PROTECTION);
    holds && !is_known(user, now) && rules.is_copied(&user.id, text, uptime)
}

/// Notes a line that was said at any server of several, so that copies are counted over all of them. What is known of an
/// author there is little: only those whose account is too young to be known are counted.
pub(crate) fn note_copy(
    rules: &Rules,
    author: &ChatUser,
    text: &str,
    (at, uptime): (Timestamp, Duration),
) {
    let is_trusted = author.is_bot || author.is_moderator || author.is_authenticated;
    if !is_trusted && author.created_at + KNOWN > at {
        rules.is_copied(&author.id, text, uptime);
    }
}

/// Whether people can write in this room. Never before the setup: until then nobody can moderate.
pub(crate) fn is_open_now(room: &RoomShared, settings: &Layers, now: Timestamp) -> bool {
    *room.is_set_up.borrow() && is_open(settings, &room.stream.borrow(), &room.agenda.borrow(), now)
}

/// Whether people can write now: during a stream and for a while after, before the first one ever, and shortly before
/// an announced one.
pub fn is_open(settings: &Layers, stream: &StreamStatus, agenda: &Agenda, now: Timestamp) -> bool {
    if stream.state != StreamState::Offline || settings.get(&WHEN_OFFLINE) == "always" {
        return true;
    }
    let is_fresh = stream
        .last_disconnect
        .is_none_or(|at| now < at + AFTER_STREAM);
    let minutes_before = *settings.get(&schedule::CHAT_OPEN_MINUTES);
    is_fresh || (*settings.get(&schedule::ENABLED) && agenda.opens_chat(minutes_before, now))
}
