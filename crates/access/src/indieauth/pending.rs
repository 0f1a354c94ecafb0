//! The sign-ins that have begun and are not finished, bounded in number and time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{Secret, UserId};
use outbound::Url;

use super::{Asker, SIGN_IN_LENGTH, SignInProblem};
use crate::secrets::same;

/// Sign-ins under way at once; further ones are refused until some finish or expire.
pub const MAX_PENDING: usize = 100;
/// Sign-ins of one user under way at once; a further one takes the place of the oldest that waits for a browser.
pub const MAX_PENDING_PER_USER: usize = 3;

/// All that is needed to recognise a browser that comes back.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) state: Secret,
    pub(super) verifier: Secret,
    pub(super) me: Url,
    pub(super) endpoint: Url,
    pub(super) client_id: Url,
    pub(super) asker: Asker,
}

/// Where attempts wait, oldest first.
#[derive(Debug, Default)]
pub(super) struct Desk {
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    rows: Vec<Row>,
    next_number: u64,
}

#[derive(Debug)]
struct Row {
    number: u64,
    user: UserId,
    since: Duration,
    /// `None` while the page is being fetched: the place is taken before that, so that the limits also hold for
    /// fetches.
    attempt: Option<Attempt>,
}

/// A place on the desk; given back when dropped, which is what happens when a fetch fails or nobody waits for it.
#[derive(Debug)]
pub(super) struct Slot<'a> {
    desk: &'a Desk,
    number: u64,
}

impl Desk {
    pub(super) fn reserve(&self, user: &UserId, now: Duration) -> Result<Slot<'_>, SignInProblem> {
        let mut desk = self.lock();
        desk.rows.retain(|row| !row.is_over(now));
        let own = desk.rows.iter().filter(|row| row.user == *user).count();
        if own >= MAX_PENDING_PER_USER {
            let waits = |row: &Row| row.user == *user && row.attempt.is_some();
            let oldest = desk.rows.iter().position(waits);
            desk.rows.remove(oldest.ok_or(SignInProblem::Hasty)?);
        }
        if desk.rows.len() >= MAX_PENDING {
            return Err(SignInProblem::Busy);
        }
        let number = desk.next_number;
        desk.next_number += 1;
        desk.rows.push(Row {
            number,
            user: user.clone(),
            since: now,
            attempt: None,
        });
        Ok(Slot { desk: self, number })
    }

    /// The attempt with this state, which is then gone.
    pub(super) fn take(&self, state: &str, now: Duration) -> Option<Attempt> {
        let mut desk = self.lock();
        desk.rows.retain(|row| !row.is_over(now));
        let is_it = |row: &Row| {
            let attempt = row.attempt.as_ref();
            attempt.is_some_and(|attempt| same(attempt.state.expose().as_bytes(), state.as_bytes()))
        };
        let place = desk.rows.iter().position(is_it)?;
        desk.rows.remove(place).attempt
    }

    fn lock(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Row {
    fn is_over(&self, now: Duration) -> bool {
        now >= self.since + SIGN_IN_LENGTH
    }
}

impl Slot<'_> {
    /// From now on the attempt waits for its browser, for the full time.
    pub(super) fn fill(self, attempt: Attempt, now: Duration) {
        let mut desk = self.desk.lock();
        let mut rows = desk.rows.iter_mut();
        if let Some(row) = rows.find(|row| row.number == self.number) {
            row.since = now;
            row.attempt = Some(attempt);
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let number = self.number;
        let mut desk = self.desk.lock();
        desk.rows
            .retain(|row| row.number != number || row.attempt.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: usize) -> UserId {
        UserId::parse(format!("user{number}")).unwrap()
    }

    fn attempt(number: usize, state: &str) -> Attempt {
        let url = Url::parse("https://me.example").unwrap();
        Attempt {
            state: Secret::new(state),
            verifier: Secret::new("verifier"),
            me: url.clone(),
            endpoint: url.clone(),
            client_id: url,
            asker: Asker {
                user: user(number),
                token_hash: [0; 32],
            },
        }
    }

    fn begin(desk: &Desk, number: usize, state: &str) -> Result<(), SignInProblem> {
        let slot = desk.reserve(&user(number), Duration::ZERO)?;
        slot.fill(attempt(number, state), Duration::ZERO);
        Ok(())
    }

    #[test]
    fn a_state_works_once_and_for_whoever_asked() {
        let desk = Desk::default();
        begin(&desk, 1, "one").unwrap();
        begin(&desk, 2, "two").unwrap();
        let taken = desk.take("two", Duration::ZERO).unwrap();
        assert_eq!(taken.asker.user, user(2));
        assert!(desk.take("two", Duration::ZERO).is_none());
        assert!(desk.take("", Duration::ZERO).is_none());
        assert!(desk.take("on", Duration::ZERO).is_none());
        assert!(desk.take("one", Duration::ZERO).is_some());
    }

    #[test]
    fn attempts_expire() {
        let desk = Desk::default();
        begin(&desk, 1, "one").unwrap();
        begin(&desk, 1, "two").unwrap();
        let second = Duration::from_secs(1);
        assert!(desk.take("one", SIGN_IN_LENGTH - second).is_some());
        assert!(desk.take("two", SIGN_IN_LENGTH).is_none());
        assert!(desk.lock().rows.is_empty());
    }

    #[test]
    fn no_more_than_a_hundred_wait_and_expired_ones_make_room() {
        let desk = Desk::default();
        for number in 0..MAX_PENDING {
            begin(&desk, number, "state").unwrap();
        }
        let refused = desk.reserve(&user(MAX_PENDING), Duration::ZERO);
        assert!(matches!(refused, Err(SignInProblem::Busy)));
        assert!(desk.reserve(&user(MAX_PENDING), SIGN_IN_LENGTH).is_ok());
    }

    #[test]
    fn a_fourth_attempt_of_one_user_replaces_their_oldest() {
        let desk = Desk::default();
        begin(&desk, 2, "other").unwrap();
        for state in ["one", "two", "three", "four"] {
            begin(&desk, 1, state).unwrap();
        }
        assert!(desk.take("one", Duration::ZERO).is_none());
        for state in ["two", "three", "four", "other"] {
            assert!(desk.take(state, Duration::ZERO).is_some(), "{state}");
        }
    }

    #[test]
    fn fetches_under_way_count_and_give_their_place_back() {
        let desk = Desk::default();
        let slots: Vec<_> = (0..MAX_PENDING_PER_USER)
            .map(|_| desk.reserve(&user(1), Duration::ZERO).unwrap())
            .collect();
        let refused = desk.reserve(&user(1), Duration::ZERO);
        assert!(matches!(refused, Err(SignInProblem::Hasty)));
        drop(slots);
        assert!(desk.lock().rows.is_empty());
        assert!(desk.reserve(&user(1), Duration::ZERO).is_ok());
    }
}
