//! Codes where several servers share the database: whoever asked one of them for a code may type it in at another.
//!
//! The same limits hold for all of them together; only codes that are being looked up are counted by each server for
//! itself.

use jiff::Timestamp;
use model::{Secret, UserId};
use serde::{Deserialize, Serialize};
use store::{Afterwards, ShortLived, ShortLivedLimits, Store, StoreError};

use super::pending::{MAX_REMEMBERED, is_right};
use super::{
    ACCOUNT_WINDOW, Addressee, CODE_LENGTH, CodeProblem, MAX_GUESSES, MAX_PENDING, MAX_PER_ACCOUNT,
};

/// The code a user was sent, by the user.
const CODE: &str = "fediverse code";
/// That a code was sent to an account, by the user who asked and the time.
const SENT: &str = "fediverse code sent";

#[derive(Debug, Serialize, Deserialize)]
struct StoredCode {
    code: String,
    actor: String,
    handle: String,
    guesses: u32,
}

/// A code that was stored before it is sent, with what takes it back.
#[derive(Debug)]
pub(super) struct SharedCode {
    user: UserId,
    sent: String,
}

/// Stores a code in the place of the user's earlier one, unless there are too many.
pub(super) async fn keep(
    store: &Store,
    user: &UserId,
    code: &Secret,
    addressee: &Addressee,
    now: Timestamp,
) -> Result<SharedCode, CodeProblem> {
    let shared = SharedCode {
        user: user.clone(),
        sent: format!("{user} {}", now.as_millisecond()),
    };
    let sent = ShortLived {
        kind: SENT,
        key: shared.sent.clone(),
        owner: addressee.actor.clone(),
        value: vec![],
        expires_at: now + ACCOUNT_WINDOW,
    };
    let limits = ShortLivedLimits {
        most: MAX_REMEMBERED,
        most_of_owner: MAX_PER_ACCOUNT,
        gives_way: false,
    };
    if !store.keep_short_lived(sent, limits, now).await? {
        return Err(CodeProblem::Enough);
    }
    let stored = StoredCode {
        code: code.expose().to_owned(),
        actor: addressee.actor.clone(),
        handle: addressee.handle.clone(),
        guesses: 0,
    };
    let item = ShortLived {
        kind: CODE,
        key: user.to_string(),
        owner: user.to_string(),
        value: serde_json::to_vec(&stored).map_err(|error| unreadable(&error))?,
        expires_at: now + CODE_LENGTH,
    };
    let limits = ShortLivedLimits {
        most: MAX_PENDING,
        most_of_owner: 1,
        gives_way: true,
    };
    if !store.keep_short_lived(item, limits, now).await? {
        store.take_short_lived(SENT, &shared.sent, now).await?;
        return Err(CodeProblem::Busy);
    }
    Ok(shared)
}

/// Forgets a code that was not sent after all.
pub(super) async fn take_back(
    store: &Store,
    shared: SharedCode,
    now: Timestamp,
) -> Result<(), StoreError> {
    let SharedCode { user, sent } = shared;
    store.take_short_lived(CODE, user.as_str(), now).await?;
    store.take_short_lived(SENT, &sent, now).await?;
    Ok(())
}

/// Returns whom the code was sent to. A correct code works once; the last wrong guess uses it up too.
pub(super) async fn take(
    store: &Store,
    user: &UserId,
    typed: &str,
    now: Timestamp,
) -> Result<Addressee, CodeProblem> {
    let typed = typed.to_owned();
    let looked = store.look_at_short_lived(CODE, user.as_str(), now, move |value| {
        let stored = value.map(serde_json::from_slice::<StoredCode>);
        match stored {
            Some(Ok(stored)) => judge(stored, &typed),
            Some(Err(_)) | None => (Afterwards::Remove, Err(CodeProblem::Unknown)),
        }
    });
    looked.await?
}

fn judge(mut stored: StoredCode, typed: &str) -> (Afterwards, Result<Addressee, CodeProblem>) {
    stored.guesses += 1;
    if is_right(&stored.code, typed) {
        let addressee = Addressee {
            actor: stored.actor,
            handle: stored.handle,
        };
        return (Afterwards::Remove, Ok(addressee));
    }
    if stored.guesses >= MAX_GUESSES {
        return (Afterwards::Remove, Err(CodeProblem::Void));
    }
    match serde_json::to_vec(&stored) {
        Ok(value) => (Afterwards::Replace(value), Err(CodeProblem::Wrong)),
        // Guesses that are not counted are none.
        Err(_) => (Afterwards::Remove, Err(CodeProblem::Void)),
    }
}

fn unreadable(error: &serde_json::Error) -> StoreError {
    StoreError::Unreadable {
        what: CODE,
        why: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(guesses: u32) -> StoredCode {
        StoredCode {
            code: "111111".into(),
            actor: "https://remote.example/users/alice".into(),
            handle: "@alice@remote.example".into(),
            guesses,
        }
    }

    #[test]
    fn guesses_are_counted_with_the_code_and_the_last_wrong_one_voids_it() {
        let (afterwards, told) = judge(stored(0), "000000");
        assert!(matches!(told, Err(CodeProblem::Wrong)));
        let Afterwards::Replace(value) = afterwards else {
            panic!("{afterwards:?}");
        };
        let counted: StoredCode = serde_json::from_slice(&value).unwrap();
        assert_eq!(counted.guesses, 1);
        let (afterwards, told) = judge(stored(MAX_GUESSES - 1), "000000");
        assert!(matches!(told, Err(CodeProblem::Void)));
        assert_eq!(afterwards, Afterwards::Remove);
    }

    #[test]
    fn the_last_guess_may_still_be_right_and_uses_the_code_up() {
        let (afterwards, told) = judge(stored(MAX_GUESSES - 1), "111111");
        assert_eq!(told.unwrap().handle, "@alice@remote.example");
        assert_eq!(afterwards, Afterwards::Remove);
    }
}
