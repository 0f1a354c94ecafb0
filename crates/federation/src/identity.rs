//! The key the stream signs with, and the names it has had.
//!
//! The key is made when federation is first switched on, off the runtime, and is stored sealed together with the
//! account's last public name. When the operator chooses another name, the old one is kept and followers are told to
//! move, in one transaction: a crash in between repeats the same Move and no other.

mod handover;
mod rotation;
mod stored_identity;

pub use handover::Signers;
pub use rotation::RotationOutcome;

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use jiff::{SignedDuration, Timestamp};
use model::Clock;
use model::settings::table::federation::{ENABLED, USERNAME};
use store::federation::{DeliveryAudience, DeliveryKind, Effects, OutgoingActivity};
use store::settings::Settings;
use store::{LOGO, Store, StoreError};
use thiserror::Error;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::document::activity;
use crate::names::Names;
use crate::profile::{AccountFacts, ActorProfile, Logo};
use crate::signature::{BadKey, SigningKey};

use handover::{Contacts, Handover};
use stored_identity::StoredIdentity;

/// The name of the sealed identity in the store.
const SECRET: &str = "federation-identity";
/// How long followers are told of another name; afterwards the rest find out when they look.
const MOVE_IS_NEWS_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Pause before it is tried again to bring the account in line with the settings: until then followers know of no new
/// name.
const SETTLE_PAUSE: SignedDuration = SignedDuration::from_secs(2);

/// Why there is no identity.
#[derive(Debug, Error)]
pub enum IdentityError {
    /// The database failed to read or write it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The key could not be made or read.
    #[error("the key of the account: {0}")]
    Key(#[from] BadKey),
}

/// The account's key, age and name.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The key it signs with.
    pub key: SigningKey,
    /// When the account was created.
    pub published: Timestamp,
    /// Its public name, which the settings may have moved on from.
    username: String,
    previous: Option<PreviousKey>,
}

#[derive(Clone, Debug)]
struct PreviousKey {
    key: SigningKey,
    until: Timestamp,
    /// The account already had its present name.
    is_of_present_name: bool,
    is_taken_back: bool,
}

impl Identity {
    fn previous(&self, now: Timestamp) -> Option<&PreviousKey> {
        self.previous
            .as_ref()
            .filter(|previous| now < previous.until)
    }
}

/// The account: its key and its names. A cloneable handle.
#[derive(Clone, Debug)]
pub struct Account(Arc<AccountShared>);

#[derive(Debug)]
struct AccountShared {
    store: Store,
    settings: Settings,
    clock: Arc<dyn Clock>,
    identity: ArcSwapOption<Identity>,
    former_usernames: ArcSwap<Vec<String>>,
    /// Locked while the stored identity changes, so that two callers who find none make one key.
    stored: Mutex<Option<StoredIdentity>>,
    /// Decides which servers get requests signed with the previous key.
    handover: Handover,
    contacts: Contacts,
}

impl Account {
    /// Reads what is stored; creates nothing.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn open(
        store: Store,
        settings: Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, IdentityError> {
        let sealed = store.secret(SECRET).await?;
        let stored = sealed.as_deref().map(StoredIdentity::read).transpose()?;
        let identity = stored.as_ref().map(StoredIdentity::identity).transpose()?;
        let former = former_usernames(&store).await?;
        let handover = Handover::default();
        handover.begin(store.federation().key_handovers().await?);
        Ok(Self(Arc::new(AccountShared {
            store,
            settings,
            clock,
            identity: ArcSwapOption::from_pointee(identity),
            former_usernames: ArcSwap::from_pointee(former),
            stored: Mutex::new(stored),
            handover,
            contacts: Contacts::default(),
        })))
    }

    /// The identity; the first call creates it.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub async fn identity(&self) -> Result<Arc<Identity>, IdentityError> {
        if let Some(known) = self.0.identity.load_full() {
            return Ok(known);
        }
        let mut stored = self.0.stored.lock().await;
        if let Some(known) = self.0.identity.load_full() {
            return Ok(known);
        }
        let now = self.0.clock.now();
        let username = self.0.settings.now().get(&USERNAME).clone();
        let made = StoredIdentity::new(&new_key().await?, now, username)?;
        let identity = self.keep(&mut stored, made, now).await?;
        tracing::info!("created the key of the Fediverse account");
        Ok(identity)
    }

    /// What documents currently say about the account; `None` while the server has no public address.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub async fn profile(&self) -> Result<Option<ActorProfile>, IdentityError> {
        if Names::of(&self.0.settings.now()).is_none() {
            return Ok(None);
        }
        let identity = self.identity().await?;
        self.profile_of(&identity).await
    }

    async fn profile_of(&self, identity: &Identity) -> Result<Option<ActorProfile>, IdentityError> {
        let logo = self.0.store.file_facts(LOGO).await?;
        let particulars = AccountFacts {
            former_usernames: self.all_former_usernames(),
            logo: Logo::of(logo.as_ref()),
            published: identity.published,
            public_key_pem: identity.key.public_pem().to_owned(),
        };
        Ok(ActorProfile::new(&self.0.settings.now(), particulars))
    }

    /// Stored former names, most recent first.
    pub fn former_usernames(&self) -> Vec<String> {
        self.0.former_usernames.load().as_ref().clone()
    }

    /// Former names, including one the settings have just replaced, whether stored yet or not: at no moment does that
    /// name belong to nobody.
    pub fn all_former_usernames(&self) -> Vec<String> {
        let settings = self.0.settings.now();
        let mut former = self.former_usernames();
        let public = self.0.identity.load();
        let left = public
            .as_ref()
            .map(|identity| identity.username.clone())
            .filter(|name| *settings.get(&ENABLED) && name != settings.get(&USERNAME));
        if let Some(left) = left.filter(|left| !former.contains(left)) {
            former.insert(0, left);
        }
        former
    }

    /// Forgets a former name: it belongs to nobody from now on. False if it was not one.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub async fn forget_former_username(&self, name: &str) -> Result<bool, IdentityError> {
        // Nobody may be storing one at the same time.
        let _stored = self.0.stored.lock().await;
        let tables = self.0.store.federation();
        let is_forgotten = tables.forget_former_username(name.to_owned()).await?;
        let former = former_usernames(&self.0.store).await?;
        self.0.former_usernames.store(Arc::new(former));
        Ok(is_forgotten)
    }

    /// Brings key and names in line with the settings: while federation is on there is a key, and a name the account no
    /// longer has is remembered as a former one.
    ///
    /// # Errors
    /// See [`IdentityError`].
    pub async fn settle(&self) -> Result<(), IdentityError> {
        let wanted = || {
            let settings = self.0.settings.now();
            Names::of(&settings).filter(|_| *settings.get(&ENABLED))
        };
        if wanted().is_none() {
            return Ok(());
        }
        self.identity().await?;
        let mut stored = self.0.stored.lock().await;
        // Checked again: while the key was made, or another call settled, the account may have got a name it must not
        // lose again.
        let Some(new) = wanted() else {
            return Ok(());
        };
        let Some(current) = stored.as_ref() else {
            return Ok(());
        };
        if current.username == new.username() {
            return Ok(());
        }
        let old = new.under(&current.username);
        let renamed = current.renamed(new.username());
        let now = self.0.clock.now();
        let said = activity::move_account(&old, &new, renamed.moves);
        let effects = Effects {
            outgoing: vec![OutgoingActivity {
                id: said.id,
                json: said.json.to_string(),
                kind: DeliveryKind::Move,
                audience: DeliveryAudience::Followers,
                signer: Some(old.username().to_owned()),
                expires_at: now + MOVE_IS_NEWS_FOR,
            }],
            ..Effects::default()
        };
        let (from, to) = (old.username().to_owned(), new.username().to_owned());
        let tables = self.0.store.federation();
        tables.rename(from, to, effects, now).await?;
        let former = former_usernames(&self.0.store).await?;
        self.0.former_usernames.store(Arc::new(former));
        self.keep(&mut stored, renamed, now).await?;
        tracing::info!(
            from = old.username(),
            to = new.username(),
            "the account has a new name, and followers are being told"
        );
        Ok(())
    }

    /// Settles at once and whenever a setting changes, until `stop`; retries what fails.
    pub async fn follow_settings(self, stop: CancellationToken) {
        let mut changes = self.0.settings.changes();
        loop {
            changes.mark_unchanged();
            let settled = self.settle().await;
            let again = async {
                match settled {
                    Ok(()) => std::future::pending().await,
                    Err(error) => {
                        tracing::warn!(%error, "cannot update the account to match the settings, trying again");
                        let clock = &self.0.clock;
                        clock.sleep_until(clock.now() + SETTLE_PAUSE).await;
                    }
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = again => {}
                changed = changes.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Seals and stores the identity, then uses it.
    async fn keep(
        &self,
        stored: &mut Option<StoredIdentity>,
        next: StoredIdentity,
        now: Timestamp,
    ) -> Result<Arc<Identity>, IdentityError> {
        let identity = Arc::new(next.identity()?);
        self.0.store.put_secret(SECRET, &next.write(), now).await?;
        self.0.identity.store(Some(Arc::clone(&identity)));
        *stored = Some(next);
        Ok(identity)
    }
}

/// Takes a good part of a second.
async fn new_key() -> Result<SigningKey, BadKey> {
    let made = tokio::task::spawn_blocking(SigningKey::generate).await;
    made.unwrap_or(Err(BadKey::Failed))
}

/// Most recent first.
async fn former_usernames(store: &Store) -> Result<Vec<String>, StoreError> {
    let former = store.federation().former_usernames().await?;
    Ok(former.into_iter().map(|one| one.name).collect())
}
