//! The key that others know the account by: which of two signs for which server, and how one replaces the other.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use store::federation::{Contact, DeliveryAudience, DeliveryKind, Effects, KeyChange};

use super::handover::Signers;
use super::stored_identity::StoredIdentity;
use super::{Account, Identity, IdentityError, SECRET, new_key};
use crate::delivery::outgoing;
use crate::document::activity;
use crate::names::Names;
use crate::signature::{Signer, SigningKey};

/// How long a key that was replaced is used for servers that have not answered, and can be taken back.
const PREVIOUS_KEY_IS_KEPT_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The result of a key rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationOutcome {
    /// The account has a new key.
    Done,
    /// This many servers are still being told about the last one.
    UnderWay(i64),
}

impl Account {
    /// The signers for requests to `host`: the present name, or a former one that still has something to send. `None`
    /// while the server has no public address.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub async fn signers(
        &self,
        host: &str,
        former: Option<&str>,
    ) -> Result<Option<Signers>, IdentityError> {
        let Some(names) = Names::of(&self.0.settings.now()) else {
            return Ok(None);
        };
        let identity = self.identity().await?;
        Ok(Some(self.signers_of(&identity, &names, host, former)))
    }

    /// As [`Account::signers`] for the present name, if a key exists; creates none.
    pub fn known_signers(&self, host: &str) -> Option<Signers> {
        let names = Names::of(&self.0.settings.now())?;
        let identity = self.0.identity.load_full()?;
        Some(self.signers_of(&identity, &names, host, None))
    }

    fn signers_of(
        &self,
        identity: &Identity,
        names: &Names,
        host: &str,
        former: Option<&str>,
    ) -> Signers {
        let key_id = former.map_or_else(|| names.key_id(), |name| names.under(name).key_id());
        let signer = |key: &SigningKey| Signer {
            key: key.clone(),
            key_id: key_id.clone(),
        };
        let present = signer(&identity.key);
        let Some(previous) = identity.previous(self.0.clock.now()) else {
            return Signers {
                first: present,
                other: None,
            };
        };
        // Servers are not told about the keys of former names.
        let is_behind = match former {
            Some(_) => true,
            None => previous.is_of_present_name && self.0.handover.since(host).is_some(),
        };
        let other = signer(&previous.key);
        match is_behind {
            true => Signers {
                first: other,
                other: Some(present),
            },
            // The message about a key that was taken back may have arrived although its answer did not.
            false => Signers {
                first: present,
                other: previous.is_taken_back.then_some(other),
            },
        }
    }

    /// Since when `host` is being told about the new key; `None` if it knows it, or knows none of ours.
    pub(crate) fn handing_over_since(&self, host: &str) -> Option<Timestamp> {
        self.0.handover.since(host)
    }

    /// Records that `host` knows the new key; true if it did not before. The caller stores it.
    pub(crate) fn handed_over(&self, host: &str) -> bool {
        self.0.handover.end(host)
    }

    /// The contact to store for a signed request to `host`, unless it is stored already.
    pub(crate) fn new_contact(&self, host: &str, inbox: Option<&str>) -> Option<Contact> {
        let now = self.0.clock.now();
        self.0.contacts.note(host, inbox, now)
    }

    /// Stores that a server was sent something, without waiting: failing the request over this would be worse.
    pub(crate) fn store_contact(&self, contact: Contact) {
        let account = self.clone();
        tokio::spawn(async move {
            let now = account.0.clock.now();
            let tables = account.0.store.federation();
            if let Err(error) = tables.note_contact(contact, now).await {
                tracing::warn!(%error, "cannot record which server was contacted");
            }
        });
    }

    /// Stores that `host` knows the new key, as its answer to a request shows.
    pub(crate) fn store_handover_end(&self, host: &str) {
        if !self.handed_over(host) {
            return;
        }
        let (account, host) = (self.clone(), host.to_owned());
        tokio::spawn(async move {
            let now = account.0.clock.now();
            let tables = account.0.store.federation();
            if let Err(error) = tables.end_handover(host, now).await {
                tracing::warn!(%error, "cannot record which server knows the new key");
            }
        });
    }

    /// Replaces the key. Servers that may know the present key are told about the new one with it, unless `is_at_once`:
    /// then the present key is forgotten. Does nothing while servers are still being told about the last new key.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub async fn rotate_key(&self, is_at_once: bool) -> Result<RotationOutcome, IdentityError> {
        self.identity().await?;
        let key = new_key().await?;
        let mut stored = self.0.stored.lock().await;
        let now = self.0.clock.now();
        let Some(current) = stored.as_ref() else {
            return Ok(RotationOutcome::Done);
        };
        let tables = self.0.store.federation();
        let under_way = tables.handover_progress(0, now).await?.under_way;
        if under_way > 0 && !is_at_once {
            return Ok(RotationOutcome::UnderWay(under_way));
        }
        let (change, kept_until) = match is_at_once {
            true => (KeyChange::AtOnce, None),
            false => (KeyChange::HandOver, Some(now + PREVIOUS_KEY_IS_KEPT_FOR)),
        };
        let next = current.with_key(&key, kept_until)?;
        self.change_key(&mut stored, next, change, now).await?;
        tracing::info!(is_at_once, "replaced the key of the Fediverse account");
        Ok(RotationOutcome::Done)
    }

    /// Undoes the last [`Account::rotate_key`], within a week; `false` if there is nothing to undo.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub async fn take_back_key(&self) -> Result<bool, IdentityError> {
        let mut stored = self.0.stored.lock().await;
        let now = self.0.clock.now();
        let until = now + PREVIOUS_KEY_IS_KEPT_FOR;
        let previous = stored
            .as_ref()
            .and_then(|stored| stored.with_previous(now, until));
        let Some(previous) = previous else {
            return Ok(false);
        };
        self.change_key(&mut stored, previous, KeyChange::TakeBack, now)
            .await?;
        tracing::info!("the Fediverse account has its previous key again");
        Ok(true)
    }

    /// Until when the previous key is used for servers that have not answered.
    pub fn previous_key_until(&self) -> Option<Timestamp> {
        let identity = self.0.identity.load_full()?;
        let previous = identity.previous(self.0.clock.now())?;
        Some(previous.until)
    }

    /// Whether the last [`Account::rotate_key`] can be undone.
    pub fn can_take_back_key(&self) -> bool {
        let identity = self.0.identity.load_full();
        let now = self.0.clock.now();
        let previous = identity
            .as_ref()
            .and_then(|identity| identity.previous(now));
        previous.is_some_and(|previous| !previous.is_taken_back)
    }

    /// Forgets the previous key once it is no longer needed.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub(crate) async fn forget_outdated_key(&self) -> Result<(), IdentityError> {
        let mut stored = self.0.stored.lock().await;
        let now = self.0.clock.now();
        let outdated = stored
            .as_ref()
            .filter(|stored| stored.has_outdated_key(now));
        let Some(current) = outdated else {
            return Ok(());
        };
        let next = current.without_previous();
        self.put_key(
            &mut stored,
            next,
            KeyChange::AtOnce,
            Effects::default(),
            now,
        )
        .await
    }

    /// Seals and stores the identity together with what other servers are told about its key, then uses both.
    async fn change_key(
        &self,
        stored: &mut Option<StoredIdentity>,
        next: StoredIdentity,
        change: KeyChange,
        now: Timestamp,
    ) -> Result<(), IdentityError> {
        let mut effects = Effects::default();
        if let Some(profile) = self.profile_of(&next.identity()?).await? {
            let said = activity::new_key(&profile, now);
            let to = |audience| outgoing(&said, DeliveryKind::Update, audience, now);
            effects.outgoing = vec![
                to(DeliveryAudience::Followers),
                to(DeliveryAudience::Directories),
                to(DeliveryAudience::Contacts),
            ];
        }
        self.put_key(stored, next, change, effects, now).await
    }

    async fn put_key(
        &self,
        stored: &mut Option<StoredIdentity>,
        next: StoredIdentity,
        change: KeyChange,
        effects: Effects,
        now: Timestamp,
    ) -> Result<(), IdentityError> {
        let identity = next.identity()?;
        let tables = self.0.store.federation();
        let sealed = next.write();
        let changed = tables.change_key(change, SECRET, &sealed, effects, now);
        self.0.handover.begin(changed.await?);
        self.0.identity.store(Some(Arc::new(identity)));
        *stored = Some(next);
        Ok(())
    }
}
