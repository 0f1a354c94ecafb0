//! One-time codes that prove who somebody is in the Fediverse, for signing in to the chat.
//!
//! A visitor types an account, the stream's account sends six digits to it as a direct message, and whoever types them
//! in owns that account. What is proven is the actor, however the account was written.
//!
//! Any stranger can have a message sent to anybody this way, so codes are limited: per visitor address (which `web`
//! counts), per account and in total. They live in memory only, because they are worthless after ten minutes; servers that
//! share a database keep them there, sealed (`codes/shared.rs`).

mod pending;
mod shared;

use model::UserId;
use store::StoreError;
use store::federation::DeliveryKind;

use crate::document::note::{self, PostIds, Recipient};
use crate::lookup::{Account, LookupError};
use crate::{Federation, Unready};
use pending::PendingCodes;

pub use pending::{ACCOUNT_WINDOW, CODE_LENGTH, MAX_GUESSES, MAX_PENDING, MAX_PER_ACCOUNT};

/// Whom a code was sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    /// The actor, which is what the code proves.
    pub actor: String,
    /// As people read it: `@alice@remote.example`.
    pub handle: String,
}

/// Why no code was sent, or why a code proves nothing; the texts are for the visitor.
#[derive(Debug, thiserror::Error)]
pub enum CodeProblem {
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The account's address leads to no actor we can write to.
    #[error("messages cannot be sent to this account")]
    NobodyThere,
    /// Nothing can be sent to that server now.
    #[error("the server of this account cannot be reached at the moment, please try again later")]
    Unreached,
    /// [`MAX_PENDING`] is reached.
    #[error("too many people are signing in right now, please try again in a few minutes")]
    Busy,
    /// A lookup for the same person is already running.
    #[error("a code is already on its way, please wait a moment")]
    Hasty,
    /// [`MAX_PER_ACCOUNT`] is reached.
    #[error("several codes were already sent to this account, please try again in an hour")]
    Enough,
    /// No code was sent, or it has expired or been used.
    #[error("you have no code, or it has expired; please request a new one")]
    Unknown,
    /// The code does not match.
    #[error("this is not the code that was sent")]
    Wrong,
    /// Too many wrong guesses.
    #[error("too many wrong codes; please request a new one")]
    Void,
    /// The stream has no name in the Fediverse.
    #[error(transparent)]
    Unready(#[from] Unready),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, Default)]
pub(crate) struct Codes(PendingCodes);

impl Federation {
    /// Sends a code to an account for a chat user; returns the account as we write it.
    pub async fn send_code(&self, typed: &str, user: &UserId) -> Result<String, CodeProblem> {
        let profile = self.ready().await?;
        let account = Account::parse(typed).ok_or(LookupError::Account)?;
        let uptime = self.0.clock.uptime();
        let slot = self.0.codes.0.reserve(user, uptime)?;
        let located = self.0.lookup.account(&account).await?;
        let person = self.person(located.actor.as_str()).await;
        let person = person.map_err(|error| {
            model::stranger_line!(info, "code_account", %error, "cannot send a code to an account");
            CodeProblem::NobodyThere
        })?;
        let code = pending::random_code();
        let addressee = Addressee {
            actor: person.id.clone(),
            handle: account.handle(),
        };
        let is_shared = self.0.store.is_shared();
        let shared = if is_shared {
            let now = self.0.clock.now();
            let kept = shared::keep(&self.0.store, user, &code, &addressee, now);
            Some(kept.await?)
        } else {
            slot.address(&person.id, self.0.clock.uptime())?;
            None
        };
        let recipient = Recipient {
            actor: person.id.clone(),
            handle: account.handle(),
        };
        let text = format!(
            "Your code for the chat of {} is {}. It is valid for ten minutes.\n\n\
             If you did not request it, somebody else entered your account, and you can ignore this message.",
            profile.name,
            code.expose()
        );
        let now = self.0.clock.now();
        let ids = PostIds::new(&profile.names);
        let message = note::direct_message(&profile, &ids, now, &recipient, &text);
        let outgoing =
            self.outgoing_activity(&message, DeliveryKind::Direct, &person.inbox, CODE_LENGTH);
        if !self.0.tables.send_one(outgoing, now).await? {
            match shared {
                Some(shared) => shared::take_back(&self.0.store, shared, now).await?,
                None => slot.take_back(&person.id),
            }
            return Err(CodeProblem::Unreached);
        }
        if !is_shared {
            slot.fill(code, addressee, self.0.clock.uptime());
        }
        Ok(recipient.handle)
    }

    /// Returns whose code this is. A correct code works once; the last wrong guess voids it.
    pub async fn prove_code(&self, user: &UserId, typed: &str) -> Result<Addressee, CodeProblem> {
        // People copy codes with a space in the middle.
        let digits: String = typed
            .chars()
            .filter(|sign| !sign.is_whitespace())
            .take(64)
            .collect();
        if self.0.store.is_shared() {
            return shared::take(&self.0.store, user, &digits, self.0.clock.now()).await;
        }
        let uptime = self.0.clock.uptime();
        self.0.codes.0.take(user, &digits, uptime)
    }
}
