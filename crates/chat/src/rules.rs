//! The operator's rules: who may say what.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::schedule::Agenda;
use model::sentence::Sentence;
use model::settings::Layers;
use model::settings::table::chat::{
    ESTABLISHED_ONLY, FORBIDDEN_WORDS, HOLD_FIRST, KNOWN_ONLY, LINKS, REQUIRE_AUTHENTICATION,
    WHEN_OFFLINE, WORD_FILTER,
};
use model::settings::table::schedule;
use model::{StreamState, StreamStatus};
use store::{User, UserKind};

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
/// Lines remembered for it; beyond that the memory starts anew.
const MAX_REMEMBERED: usize = 2_000;

/// Stateful rules.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    words: Mutex<Option<(Arc<Layers>, Arc<WordFilter>)>>,
    said: Mutex<HashMap<u64, Duration>>,
    hasher: RandomState,
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

    fn key(&self, text: &str) -> u64 {
        let words: Vec<&str> = text.split_whitespace().collect();
        self.hasher.hash_one(words.join(" ").to_lowercase())
    }
}

/// Why a user may not take part at all, as a text for them.
pub(crate) fn barrier(settings: &Layers, user: &User, now: Timestamp) -> Option<Sentence> {
    if user.is_moderator || user.kind == UserKind::Api {
        return None;
    }
    if *settings.get(&ESTABLISHED_ONLY) && user.created_at + ESTABLISHED > now {
        return Some(sentences::TOO_NEW.plain());
    }
    if *settings.get(&REQUIRE_AUTHENTICATION) && user.authenticated_at.is_none() {
        return Some(sentences::SIGN_IN_TO_WRITE.plain());
    }
    if *settings.get(&KNOWN_ONLY) && !is_known(user, now) {
        return Some(sentences::RETURNING_ONLY.plain());
    }
    None
}

/// Whether a user has signed in, is trusted, or was here before the current raid.
fn is_known(user: &User, now: Timestamp) -> bool {
    user.is_moderator
        || user.kind == UserKind::Api
        || user.authenticated_at.is_some()
        || user.spoke_at.is_some_and(|at| at + KNOWN <= now)
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
