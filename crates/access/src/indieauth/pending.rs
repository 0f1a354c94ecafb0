//! The sign-ins under way, bounded in number and time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{Secret, UserId};
use outbound::Url;

use super::{SIGN_IN_LENGTH, SignInProblem, SignInRequester};
use crate::secrets::same;

/// Sign-ins under way at once; further ones are refused until some finish or expire.
pub const MAX_PENDING: usize = 100;
/// Sign-ins of one user under way at once; a further one takes the place of the oldest that waits for a browser.
pub const MAX_PENDING_PER_USER: usize = 3;

/// What is needed to recognise a returning browser.
#[derive(Debug)]
pub(super) struct SignInAttempt {
    pub(super) state: Secret,
    pub(super) verifier: Secret,
    pub(super) me: Url,
    pub(super) endpoint: Url,
    pub(super) client_id: Url,
    pub(super) requester: SignInRequester,
}

/// Pending attempts, oldest first.
#[derive(Debug, Default)]
pub(super) struct PendingSignIns {
    rows: Mutex<PendingList>,
}

#[derive(Debug, Default)]
struct PendingList {
    rows: Vec<PendingSignIn>,
    next_number: u64,
}

#[derive(Debug)]
struct PendingSignIn {
    number: u64,
    user: UserId,
    since: Duration,
    /// `None` while the page is being fetched: the slot is reserved before that, so that the limits also cover
    /// fetches.
    attempt: Option<SignInAttempt>,
}

/// A reserved slot; released when dropped, that is, when a fetch fails or its caller goes away.
#[derive(Debug)]
pub(super) struct SignInSlot<'a> {
    pending: &'a PendingSignIns,
    number: u64,
}

impl PendingSignIns {
    pub(super) fn reserve(
        &self,
        user: &UserId,
        now: Duration,
    ) -> Result<SignInSlot<'_>, SignInProblem> {
        let mut pending = self.lock();
        pending.rows.retain(|row| !row.is_over(now));
        let own = pending.rows.iter().filter(|row| row.user == *user).count();
        if own >= MAX_PENDING_PER_USER {
            let waits = |row: &PendingSignIn| row.user == *user && row.attempt.is_some();
            let oldest = pending.rows.iter().position(waits);
            pending.rows.remove(oldest.ok_or(SignInProblem::Hasty)?);
        }
        if pending.rows.len() >= MAX_PENDING {
            return Err(SignInProblem::Busy);
        }
        let number = pending.next_number;
        pending.next_number += 1;
        pending.rows.push(PendingSignIn {
            number,
            user: user.clone(),
            since: now,
            attempt: None,
        });
        Ok(SignInSlot {
            pending: self,
            number,
        })
    }

    /// Removes and returns the attempt with this state.
    pub(super) fn take(&self, state: &str, now: Duration) -> Option<SignInAttempt> {
        let mut pending = self.lock();
        pending.rows.retain(|row| !row.is_over(now));
        let is_it = |row: &PendingSignIn| {
            let attempt = row.attempt.as_ref();
            attempt.is_some_and(|attempt| same(attempt.state.expose().as_bytes(), state.as_bytes()))
        };
        let place = pending.rows.iter().position(is_it)?;
        pending.rows.remove(place).attempt
    }

    fn lock(&self) -> MutexGuard<'_, PendingList> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingSignIn {
    fn is_over(&self, now: Duration) -> bool {
        now >= self.since + SIGN_IN_LENGTH
    }
}

impl SignInSlot<'_> {
    /// Stores the attempt, which from now on waits for its browser for the full time.
    pub(super) fn fill(self, attempt: SignInAttempt, now: Duration) {
        let mut pending = self.pending.lock();
        let mut rows = pending.rows.iter_mut();
        if let Some(row) = rows.find(|row| row.number == self.number) {
            row.since = now;
            row.attempt = Some(attempt);
        }
    }
}

impl Drop for SignInSlot<'_> {
    fn drop(&mut self) {
        let number = self.number;
        let mut pending = self.pending.lock();
        pending
            .rows
            .retain(|row| row.number != number || row.attempt.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: usize) -> UserId {
        UserId::parse(format!("user{number}")).unwrap()
    }

    fn attempt(number: usize, state: &str) -> SignInAttempt {
        let url = Url::parse("https://me.example").unwrap();
        SignInAttempt {
            state: Secret::new(state),
            verifier: Secret::new("verifier"),
            me: url.clone(),
            endpoint: url.clone(),
            client_id: url,
            requester: SignInRequester {
                user: user(number),
                token_hash: [0; 32],
            },
        }
    }

    fn begin(pending: &PendingSignIns, number: usize, state: &str) -> Result<(), SignInProblem> {
        let slot = pending.reserve(&user(number), Duration::ZERO)?;
        slot.fill(attempt(number, state), Duration::ZERO);
        Ok(())
    }

    #[test]
    fn a_state_works_once_and_for_whoever_asked() {
        let pending = PendingSignIns::default();
        begin(&pending, 1, "one").unwrap();
        begin(&pending, 2, "two").unwrap();
        let taken = pending.take("two", Duration::ZERO).unwrap();
        assert_eq!(taken.requester.user, user(2));
        assert!(pending.take("two", Duration::ZERO).is_none());
        assert!(pending.take("", Duration::ZERO).is_none());
        assert!(pending.take("on", Duration::ZERO).is_none());
        assert!(pending.take("one", Duration::ZERO).is_some());
    }

    #[test]
    fn attempts_expire() {
        let pending = PendingSignIns::default();
        begin(&pending, 1, "one").unwrap();
        begin(&pending, 1, "two").unwrap();
        let second = Duration::from_secs(1);
        assert!(pending.take("one", SIGN_IN_LENGTH - second).is_some());
        assert!(pending.take("two", SIGN_IN_LENGTH).is_none());
        assert!(pending.lock().rows.is_empty());
    }

    #[test]
    fn no_more_than_a_hundred_wait_and_expired_ones_make_room() {
        let pending = PendingSignIns::default();
        for number in 0..MAX_PENDING {
            begin(&pending, number, "state").unwrap();
        }
        let refused = pending.reserve(&user(MAX_PENDING), Duration::ZERO);
        assert!(matches!(refused, Err(SignInProblem::Busy)));
        assert!(pending.reserve(&user(MAX_PENDING), SIGN_IN_LENGTH).is_ok());
    }

    #[test]
    fn a_fourth_attempt_of_one_user_replaces_their_oldest() {
        let pending = PendingSignIns::default();
        begin(&pending, 2, "other").unwrap();
        for state in ["one", "two", "three", "four"] {
            begin(&pending, 1, state).unwrap();
        }
        assert!(pending.take("one", Duration::ZERO).is_none());
        for state in ["two", "three", "four", "other"] {
            assert!(pending.take(state, Duration::ZERO).is_some(), "{state}");
        }
    }

    #[test]
    fn fetches_under_way_count_and_give_their_place_back() {
        let pending = PendingSignIns::default();
        let slots: Vec<_> = (0..MAX_PENDING_PER_USER)
            .map(|_| pending.reserve(&user(1), Duration::ZERO).unwrap())
            .collect();
        let refused = pending.reserve(&user(1), Duration::ZERO);
        assert!(matches!(refused, Err(SignInProblem::Hasty)));
        drop(slots);
        assert!(pending.lock().rows.is_empty());
        assert!(pending.reserve(&user(1), Duration::ZERO).is_ok());
    }
}
