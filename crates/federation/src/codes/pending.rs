//! Codes that were sent but not yet proven, bounded in number, time and guesses.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_lc_rs::{constant_time, rand};
use model::{Secret, UserId};

use super::{Addressee, CodeProblem};

/// Limit (viewers): time a sign-in code sent to a Fediverse account is valid; then a new one has to be requested.
pub const CODE_LENGTH: Duration = Duration::from_secs(10 * 60);
/// Codes waiting at once, those being sent included; further ones are refused until some are used or expire.
pub const MAX_PENDING: usize = 1000;
/// Tries for one code; with the last wrong one the code is void.
pub const MAX_GUESSES: u32 = 5;
/// Limit (viewers): sign-in codes sent to one Fediverse account within [`ACCOUNT_WINDOW`]; further ones are refused. It
/// spares people messages that strangers have sent to them, and makes guessing hopeless.
pub const MAX_PER_ACCOUNT: usize = 3;
/// How long a code counts for [`MAX_PER_ACCOUNT`].
pub const ACCOUNT_WINDOW: Duration = Duration::from_secs(3600);
/// Sent codes remembered for [`MAX_PER_ACCOUNT`]; when it is full nothing is sent until some are an hour old.
pub(super) const MAX_REMEMBERED: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct PendingCodes {
    state: Mutex<PendingCodesState>,
}

#[derive(Debug, Default)]
struct PendingCodesState {
    rows: Vec<PendingCode>,
    /// Actors that were sent a code and when, oldest first.
    sent: VecDeque<(String, Duration)>,
    next_number: u64,
}

#[derive(Debug)]
struct PendingCode {
    number: u64,
    user: UserId,
    since: Duration,
    guesses: u32,
    /// `None` while the account is being looked up: the place is reserved before that, so the limit also covers
    /// lookups.
    code: Option<(Secret, Addressee)>,
}

impl PendingCode {
    fn is_over(&self, now: Duration) -> bool {
        now >= self.since + CODE_LENGTH
    }
}

/// A place for a code that is being sent; dropping it frees the place, as happens when the account is not found.
#[derive(Debug)]
pub(super) struct CodeReservation<'a> {
    codes: &'a PendingCodes,
    number: u64,
}

impl PendingCodes {
    /// Reserves a place and voids the same user's earlier code.
    pub(super) fn reserve(
        &self,
        user: &UserId,
        now: Duration,
    ) -> Result<CodeReservation<'_>, CodeProblem> {
        let mut state = self.lock();
        state.rows.retain(|row| !row.is_over(now));
        let is_asking = |row: &PendingCode| row.user == *user && row.code.is_none();
        if state.rows.iter().any(is_asking) {
            return Err(CodeProblem::Hasty);
        }
        state.rows.retain(|row| row.user != *user);
        if state.rows.len() >= MAX_PENDING {
            return Err(CodeProblem::Busy);
        }
        let number = state.next_number;
        state.next_number += 1;
        state.rows.push(PendingCode {
            number,
            user: user.clone(),
            since: now,
            guesses: 0,
            code: None,
        });
        Ok(CodeReservation {
            codes: self,
            number,
        })
    }

    /// Returns whom the code was sent to. A correct code works once; the last wrong guess uses it up too.
    pub(super) fn take(
        &self,
        user: &UserId,
        code: &str,
        now: Duration,
    ) -> Result<Addressee, CodeProblem> {
        let mut state = self.lock();
        state.rows.retain(|row| !row.is_over(now));
        let is_theirs = |row: &PendingCode| row.user == *user && row.code.is_some();
        let place = state.rows.iter().position(is_theirs);
        let place = place.ok_or(CodeProblem::Unknown)?;
        let row = &mut state.rows[place];
        row.guesses += 1;
        let is_right = row
            .code
            .as_ref()
            .is_some_and(|(known, _)| is_right(known.expose(), code));
        let is_last = row.guesses >= MAX_GUESSES;
        if !is_right && !is_last {
            return Err(CodeProblem::Wrong);
        }
        let row = state.rows.swap_remove(place);
        match row.code {
            Some((_, addressee)) if is_right => Ok(addressee),
            _ => Err(CodeProblem::Void),
        }
    }

    fn lock(&self) -> MutexGuard<'_, PendingCodesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CodeReservation<'_> {
    /// Counts a code for this account, unless the account has reached its limit.
    pub(super) fn address(&self, actor: &str, now: Duration) -> Result<(), CodeProblem> {
        let mut state = self.codes.lock();
        let old = |(_, at): &(String, Duration)| *at + ACCOUNT_WINDOW <= now;
        while state.sent.front().is_some_and(old) {
            state.sent.pop_front();
        }
        if state.sent.len() >= MAX_REMEMBERED {
            return Err(CodeProblem::Busy);
        }
        let lately = state.sent.iter().filter(|(known, _)| known == actor);
        if lately.count() >= MAX_PER_ACCOUNT {
            return Err(CodeProblem::Enough);
        }
        state.sent.push_back((actor.to_owned(), now));
        Ok(())
    }

    /// Uncounts a code that was not sent after all.
    pub(super) fn take_back(&self, actor: &str) {
        let mut state = self.codes.lock();
        let newest = state.sent.iter().rposition(|(known, _)| known == actor);
        if let Some(place) = newest {
            state.sent.remove(place);
        }
    }

    /// Stores the code; its full lifetime starts now.
    pub(super) fn fill(self, code: Secret, addressee: Addressee, now: Duration) {
        let mut state = self.codes.lock();
        let mut rows = state.rows.iter_mut();
        if let Some(row) = rows.find(|row| row.number == self.number) {
            row.since = now;
            row.code = Some((code, addressee));
        }
    }
}

impl Drop for CodeReservation<'_> {
    fn drop(&mut self) {
        let number = self.number;
        let mut state = self.codes.lock();
        state
            .rows
            .retain(|row| row.number != number || row.code.is_some());
    }
}

/// Compares in constant time.
pub(super) fn is_right(known: &str, typed: &str) -> bool {
    constant_time::verify_slices_are_equal(known.as_bytes(), typed.as_bytes()).is_ok()
}

/// Six digits, all codes equally likely.
pub(super) fn random_code() -> Secret {
    const CODES: u32 = 1_000_000;
    /// The largest multiple of a million that four bytes can count to; higher ones would favour the first codes.
    const FAIR: u32 = 4_294_000_000;
    loop {
        let mut bytes = [0; 4];
        rand::fill(&mut bytes)
            .expect("the system's random generator does not fail once the process runs");
        let number = u32::from_be_bytes(bytes);
        if number < FAIR {
            return Secret::new(format!("{:06}", number % CODES));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn user(number: usize) -> UserId {
        UserId::parse(format!("user{number}")).unwrap()
    }

    fn addressee(name: &str) -> Addressee {
        Addressee {
            actor: format!("https://remote.example/users/{name}"),
            handle: format!("@{name}@remote.example"),
        }
    }

    fn begin(codes: &PendingCodes, number: usize, code: &str) -> Result<(), CodeProblem> {
        let slot = codes.reserve(&user(number), NOW)?;
        slot.fill(Secret::new(code), addressee("alice"), NOW);
        Ok(())
    }

    #[test]
    fn a_code_works_once_and_for_whoever_asked() {
        let codes = PendingCodes::default();
        begin(&codes, 1, "111111").unwrap();
        begin(&codes, 2, "222222").unwrap();
        let of_another = codes.take(&user(1), "222222", NOW);
        assert!(matches!(of_another, Err(CodeProblem::Wrong)));
        let proven = codes.take(&user(2), "222222", NOW).unwrap();
        assert_eq!(proven, addressee("alice"));
        let again = codes.take(&user(2), "222222", NOW);
        assert!(matches!(again, Err(CodeProblem::Unknown)));
        assert!(codes.take(&user(1), "111111", NOW).is_ok());
    }

    #[test]
    fn a_code_expires() {
        let codes = PendingCodes::default();
        begin(&codes, 1, "111111").unwrap();
        begin(&codes, 2, "222222").unwrap();
        let second = Duration::from_secs(1);
        assert!(
            codes
                .take(&user(1), "111111", NOW + CODE_LENGTH - second)
                .is_ok()
        );
        let late = codes.take(&user(2), "222222", NOW + CODE_LENGTH);
        assert!(matches!(late, Err(CodeProblem::Unknown)));
        assert!(codes.lock().rows.is_empty());
    }

    #[test]
    fn the_fifth_wrong_guess_voids_the_code() {
        let codes = PendingCodes::default();
        begin(&codes, 1, "111111").unwrap();
        for guess in ["", "1", "000000", "1111111"] {
            let outcome = codes.take(&user(1), guess, NOW);
            assert!(matches!(outcome, Err(CodeProblem::Wrong)), "{guess}");
        }
        let last = codes.take(&user(1), "000001", NOW);
        assert!(matches!(last, Err(CodeProblem::Void)));
        let right = codes.take(&user(1), "111111", NOW);
        assert!(matches!(right, Err(CodeProblem::Unknown)));
    }

    #[test]
    fn the_fifth_guess_may_still_be_right() {
        let codes = PendingCodes::default();
        begin(&codes, 1, "111111").unwrap();
        for _ in 1..MAX_GUESSES {
            assert!(codes.take(&user(1), "000000", NOW).is_err());
        }
        assert!(codes.take(&user(1), "111111", NOW).is_ok());
    }

    #[test]
    fn a_flood_is_refused_and_expired_codes_make_room() {
        let codes = PendingCodes::default();
        for number in 0..MAX_PENDING {
            begin(&codes, number, "111111").unwrap();
        }
        let refused = codes.reserve(&user(MAX_PENDING), NOW);
        assert!(matches!(refused, Err(CodeProblem::Busy)));
        begin(&codes, 7, "222222").unwrap();
        assert!(codes.reserve(&user(MAX_PENDING), NOW + CODE_LENGTH).is_ok());
    }

    #[test]
    fn a_second_code_makes_the_first_one_void() {
        let codes = PendingCodes::default();
        begin(&codes, 1, "111111").unwrap();
        begin(&codes, 1, "222222").unwrap();
        assert!(codes.take(&user(1), "111111", NOW).is_err());
        assert!(codes.take(&user(1), "222222", NOW).is_ok());
    }

    #[test]
    fn lookups_under_way_count_and_give_their_place_back() {
        let codes = PendingCodes::default();
        let slot = codes.reserve(&user(1), NOW).unwrap();
        let hasty = codes.reserve(&user(1), NOW);
        assert!(matches!(hasty, Err(CodeProblem::Hasty)));
        let early = codes.take(&user(1), "111111", NOW);
        assert!(matches!(early, Err(CodeProblem::Unknown)));
        drop(slot);
        assert!(codes.lock().rows.is_empty());
        assert!(codes.reserve(&user(1), NOW).is_ok());
    }

    #[test]
    fn nobody_is_sent_more_than_three_codes_an_hour_whoever_asks() {
        let codes = PendingCodes::default();
        let ask = |number: usize, actor: &str, now| {
            let slot = codes.reserve(&user(number), now)?;
            slot.address(actor, now)
        };
        for number in 0..MAX_PER_ACCOUNT {
            ask(number, "https://remote.example/users/alice", NOW).unwrap();
        }
        let fourth = ask(9, "https://remote.example/users/alice", NOW);
        assert!(matches!(fourth, Err(CodeProblem::Enough)));
        ask(9, "https://remote.example/users/bob", NOW).unwrap();
        let later = NOW + ACCOUNT_WINDOW;
        ask(9, "https://remote.example/users/alice", later).unwrap();
    }

    #[test]
    fn what_is_remembered_of_sent_codes_is_bounded() {
        let codes = PendingCodes::default();
        let mut refused = 0;
        for number in 0..MAX_REMEMBERED + 10 {
            let slot = codes.reserve(&user(1), NOW).unwrap();
            refused += usize::from(slot.address(&number.to_string(), NOW).is_err());
        }
        assert_eq!(refused, 10);
        assert_eq!(codes.lock().sent.len(), MAX_REMEMBERED);
    }

    #[test]
    fn codes_are_six_digits_and_differ() {
        let codes: std::collections::HashSet<_> = (0..200)
            .map(|_| random_code().expose().to_owned())
            .collect();
        assert!(codes.len() > 190);
        let is_code = |code: &String| code.len() == 6 && code.bytes().all(|b| b.is_ascii_digit());
        assert!(codes.iter().all(is_code));
    }
}
