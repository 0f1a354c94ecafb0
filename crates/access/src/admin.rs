//! The one operator: first setup, signing in, sessions, changing the password.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::address::network;
use model::{Clock, Event, Secret, TokenId};
use store::{AdminSession, LogFollower, Store, StoreError};
use thiserror::Error;
use tokio::sync::{Semaphore, watch};

use crate::outside_password;
use crate::password::{PasswordError, hash_password, verify_password};
use crate::secrets::{random_token, same, sha256};
use crate::setup_link;
use crate::throttle::{Guesser, Throttle};

/// Limit (operators): time signed in to the admin pages; then you have to sign in again.
pub const SESSION_LENGTH: Duration = Duration::from_secs(8 * 3600);
/// The user name of HTTP Basic.
const USER_NAME: &str = "admin";
/// How long a password that argon2 has accepted is recognised by its digest, so that scripts do not pay for argon2
/// with every request.
const REMEMBERED_FOR: Duration = Duration::from_secs(60);
/// What is kept of a browser's name, which its sender chooses.
const MAX_USER_AGENT_CHARS: usize = 200;

/// The client that tries to sign in.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// According to the trusted-proxy rule.
    pub address: IpAddr,
    /// As sent; kept for the list of sessions.
    pub user_agent: String,
    /// The cookie of a browser that has signed in before, as sent.
    pub device: Option<Secret>,
}

/// The cookies for a browser that has signed in.
#[derive(Debug)]
pub struct SessionCookies {
    /// The value of the session's cookie.
    pub session: Secret,
    /// The cookie that recognises the browser later; `None` if it already has a valid one.
    pub device: Option<Secret>,
}

/// Why a sign-in failed.
#[derive(Debug, Error)]
pub enum SignInError {
    #[error("wrong password")]
    Wrong,
    #[error("too many failed attempts, try again in {} seconds", .0.as_secs().max(1))]
    TooMany(Duration),
    /// The link was used, is too old, or never was one.
    #[error(
        "this link has expired or was already used: make a new one with `rillcast admin session`"
    )]
    WrongLink,
    #[error("this server is not set up yet: open the setup link printed on its console")]
    NotSetUp,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the first setup failed.
#[derive(Debug, Error)]
pub enum SetupError {
    /// Wrong, used, or no longer needed.
    #[error(
        "this setup link is no longer valid: use the one printed at the last start, or sign in"
    )]
    WrongToken,
    #[error("too many failed attempts, try again in {} seconds", .0.as_secs().max(1))]
    TooMany(Duration),
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the password was not changed.
#[derive(Debug, Error)]
pub enum ChangeError {
    #[error(
        "the admin password is set by a flag, the environment or the configuration file; change it there and restart"
    )]
    Locked,
    #[error(transparent)]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A cloneable handle to the operator's identity.
#[derive(Clone, Debug)]
pub struct AdminIdentity {
    inner: Arc<AdminShared>,
}

#[derive(Debug)]
struct AdminShared {
    store: Store,
    clock: Arc<dyn Clock>,
    throttle: Throttle,
    /// For setup tokens, which are independent of the password: wrong ones must not delay a sign-in.
    setup_throttle: Throttle,
    /// SHA-256 of a password given outside the database; it overrides the stored one.
    outside: Option<[u8; 32]>,
    /// Present until the first password is set.
    setup_token: Mutex<Option<Secret>>,
    /// Whether there is a password, or the server does without; never false again once it was true.
    is_set_up: watch::Sender<bool>,
    remembered: Mutex<Option<CachedPassword>>,
    /// One check at a time: later callers find the password cached, and parallel requests with the right one
    /// do not count as guesses.
    turn: Semaphore,
}

/// A password that argon2 has accepted.
struct CachedPassword {
    digest: [u8; 32],
    /// The stored hash that accepted it; another process may have replaced it since.
    stored: String,
    until: Duration,
}

impl std::fmt::Debug for CachedPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CachedPassword(…)")
    }
}

impl AdminIdentity {
    /// Finds out whether setup is due; if so, there is a [`AdminIdentity::setup_token`].
    pub async fn load(
        store: Store,
        clock: Arc<dyn Clock>,
        outside: Option<&Secret>,
    ) -> Result<Self, StoreError> {
        // Before the state is read: a setup in between comes by the log.
        let log = store.follow_log().await?;
        let is_set_up = outside.is_some() || store.admin_password().await?.is_some();
        let setup_token = match is_set_up {
            true => None,
            false => Some(setup_link::new_token(&store, clock.as_ref()).await?),
        };
        let outside = outside.map(|password| sha256(password.expose()));
        outside_password::end_sessions_of_another(&store, outside.as_ref(), clock.as_ref()).await?;
        let throttle = Throttle::default();
        // A flood after a restart must not lock out networks that have signed in before.
        let known = store.operator_networks().await?.into_iter();
        for address in known.chain(store.session_addresses(clock.now()).await?) {
            if let Ok(address) = address.parse() {
                throttle.welcome(address);
            }
        }
        let inner = AdminShared {
            store,
            clock,
            throttle,
            setup_throttle: Throttle::default(),
            outside,
            setup_token: Mutex::new(setup_token),
            is_set_up: watch::Sender::new(is_set_up),
            remembered: Mutex::new(None),
            turn: Semaphore::new(1),
        };
        let identity = Self {
            inner: Arc::new(inner),
        };
        if let Some(log) = log.filter(|_| !is_set_up) {
            tokio::spawn(identity.clone().follow_setup(log));
        }
        Ok(identity)
    }

    /// Ends the setup here when it is done at another server on the same database.
    async fn follow_setup(self, mut log: LogFollower) {
        while let Some(events) = log.next().await {
            let is_end = |event: &Event| {
                matches!(event, Event::SetupCompleted | Event::AdminPasswordChanged)
            };
            if events.iter().any(|logged| is_end(&logged.event)) {
                self.end_setup();
                return;
            }
        }
    }

    /// The secret of the setup link, while setup is due.
    pub fn setup_token(&self) -> Option<Secret> {
        lock(&self.inner.setup_token).clone()
    }

    /// Whether the server is set up; the receiver learns of it when somebody does it.
    pub fn is_set_up(&self) -> watch::Receiver<bool> {
        self.inner.is_set_up.subscribe()
    }

    /// For a server that is only looked at: nothing waits for the setup, and its link stays valid.
    pub fn count_as_set_up(&self) {
        self.inner.is_set_up.send_replace(true);
    }

    fn end_setup(&self) {
        *lock(&self.inner.setup_token) = None;
        self.inner.is_set_up.send_replace(true);
    }

    /// Whether a setup link is the valid one; it stays valid.
    pub fn check_setup_token(&self, token: &Secret, visitor: &Visitor) -> Result<(), SetupError> {
        let inner = &*self.inner;
        let is_right = lock(&inner.setup_token)
            .as_ref()
            .is_some_and(|expected| same(&sha256(expected.expose()), &sha256(token.expose())));
        if is_right {
            return Ok(());
        }
        // Only wrong tokens count: 256 bits cannot be guessed, and nobody may keep the operator from setup.
        inner
            .setup_throttle
            .admit(Guesser::Address(visitor.address), inner.clock.uptime())
            .map_err(SetupError::TooMany)?;
        Err(SetupError::WrongToken)
    }

    /// Sets the first password; if two requests race, one wins.
    pub async fn complete_setup(
        &self,
        token: &Secret,
        password: Secret,
        visitor: &Visitor,
    ) -> Result<(), SetupError> {
        self.check_setup_token(token, visitor)?;
        let inner = &*self.inner;
        let hash = hash_password(password).await?;
        let created = inner
            .store
            .create_admin_password(hash, inner.clock.now())
            .await?;
        self.end_setup();
        if created {
            Ok(())
        } else {
            Err(SetupError::WrongToken)
        }
    }

    /// Checks the password and opens a session.
    pub async fn sign_in(
        &self,
        password: Secret,
        visitor: &Visitor,
    ) -> Result<SessionCookies, SignInError> {
        let checked_against = self.check(password, visitor).await?;
        let token = random_token();
        let is_open = self
            .inner
            .store
            .add_session(self.session(&token, visitor), checked_against)
            .await?;
        match is_open {
            true => Ok(self.remember_device(token, visitor).await?),
            false => Err(SignInError::Wrong),
        }
    }

    /// Opens a session with a link made on the console; each link works once.
    pub async fn sign_in_by_link(
        &self,
        link: &Secret,
        visitor: &Visitor,
    ) -> Result<SessionCookies, SignInError> {
        let inner = &*self.inner;
        // 256 bits cannot be guessed, so there is nothing to throttle, and nobody can lock the operator out.
        let hash = sha256(link.expose());
        let (address, now) = (visitor.address.to_string(), inner.clock.now());
        let used = inner.store.use_operator_link(&hash, address, now);
        if !used.await? {
            return Err(SignInError::WrongLink);
        }
        tracing::warn!(address = %visitor.address, "signed in with a link made on the console");
        Ok(self.enter(visitor).await?)
    }

    /// Opens a session for a browser that has just proved to be the operator's.
    pub async fn enter(&self, visitor: &Visitor) -> Result<SessionCookies, StoreError> {
        let session = self.open_session(visitor).await?;
        self.remember_device(session, visitor).await
    }

    /// Remembers the browser as one that has signed in.
    async fn remember_device(
        &self,
        session: Secret,
        visitor: &Visitor,
    ) -> Result<SessionCookies, StoreError> {
        let inner = &*self.inner;
        let device = match self.device(visitor).await? {
            Some(_) => None,
            None => Some(random_token()),
        };
        let sent = visitor.device.as_ref().filter(|_| device.is_none());
        let hash = device.as_ref().or(sent);
        let hash = hash.map(|device| sha256(device.expose()).to_vec());
        let network = network(visitor.address).to_string();
        inner
            .store
            .remember_operator(network, hash, inner.clock.now())
            .await?;
        inner.throttle.welcome(visitor.address);
        Ok(SessionCookies { session, device })
    }

    /// The browser, if it has signed in before.
    async fn device(&self, visitor: &Visitor) -> Result<Option<[u8; 32]>, StoreError> {
        let Some(device) = &visitor.device else {
            return Ok(None);
        };
        let hash = sha256(device.expose());
        let is_known = self.inner.store.has_operator_device(&hash).await?;
        Ok(is_known.then_some(hash))
    }

    /// Opens a session for a client that has just proved to be the operator.
    pub async fn open_session(&self, visitor: &Visitor) -> Result<Secret, StoreError> {
        let token = random_token();
        self.inner
            .store
            .add_session(self.session(&token, visitor), None)
            .await?;
        Ok(token)
    }

    fn session(&self, token: &Secret, visitor: &Visitor) -> AdminSession {
        let now = self.inner.clock.now();
        AdminSession {
            token_hash: sha256(token.expose()).to_vec(),
            created_at: now,
            expires_at: now + SESSION_LENGTH,
            address: visitor.address.to_string(),
            user_agent: visitor
                .user_agent
                .chars()
                .take(MAX_USER_AGENT_CHARS)
                .collect(),
        }
    }

    /// Whether the cookie belongs to an open session.
    pub async fn has_session(&self, cookie: &Secret) -> Result<bool, StoreError> {
        let hash = sha256(cookie.expose());
        self.inner
            .store
            .has_session(&hash, self.inner.clock.now())
            .await
    }

    /// Closes the cookie's session.
    pub async fn sign_out(&self, cookie: &Secret) -> Result<(), StoreError> {
        self.inner.store.end_session(&sha256(cookie.expose())).await
    }

    /// HTTP Basic, for scripts.
    pub async fn check_basic(
        &self,
        user: &str,
        password: Secret,
        visitor: &Visitor,
    ) -> Result<(), SignInError> {
        let right_name = same(user.as_bytes(), USER_NAME.as_bytes());
        // The password is checked either way, so that timing does not reveal user names.
        let right_password = self.check(password, visitor).await;
        if right_password.is_ok() && !right_name {
            return Err(SignInError::Wrong);
        }
        right_password.map(drop)
    }

    /// Replaces the password and ends every session. Returns the tokens of the operator's chat user, which have ended
    /// too: their connections are to be closed.
    pub async fn change_password(&self, password: Secret) -> Result<Vec<TokenId>, ChangeError> {
        let inner = &*self.inner;
        if inner.outside.is_some() {
            return Err(ChangeError::Locked);
        }
        let hash = hash_password(password).await?;
        let replaced = inner.store.replace_admin_password(hash, inner.clock.now());
        let tokens = replaced.await?;
        *lock(&inner.remembered) = None;
        self.end_setup();
        Ok(tokens)
    }

    /// The stored hash that the password matches; `None` if the password is set outside the database.
    async fn check(
        &self,
        password: Secret,
        visitor: &Visitor,
    ) -> Result<Option<String>, SignInError> {
        let inner = &*self.inner;
        let digest = sha256(password.expose());
        let _turn = inner.turn.acquire().await;
        let now = inner.clock.uptime();
        if !outside_password::is_of_all(&inner.store, inner.outside.as_ref()).await? {
            return Err(SignInError::Wrong);
        }
        let stored = match inner.outside {
            Some(_) => None,
            None => Some(
                inner
                    .store
                    .admin_password()
                    .await?
                    .ok_or(SignInError::NotSetUp)?
                    .hash,
            ),
        };
        if let Some(stored) = &stored
            && self.remembers(&digest, stored, now)
        {
            return Ok(Some(stored.clone()));
        }
        let guesser = match self.device(visitor).await? {
            Some(device) => Guesser::Device(device),
            None => Guesser::Address(visitor.address),
        };
        inner
            .throttle
            .admit(guesser, now)
            .map_err(SignInError::TooMany)?;
        let is_right = match (&inner.outside, &stored) {
            (Some(expected), _) => same(expected, &digest),
            (None, Some(hash)) => verify_password(password, hash.clone()).await,
            (None, None) => false,
        };
        if !is_right {
            metrics::counter!("rillcast_admin_sign_in_failures_total").increment(1);
            tracing::warn!(address = %visitor.address, "wrong admin password");
            return Err(SignInError::Wrong);
        }
        inner.throttle.succeeded(guesser);
        // A password set on the console while the server runs takes the place of the setup link.
        self.end_setup();
        let network = network(visitor.address).to_string();
        let remembered = inner
            .store
            .remember_operator(network, None, inner.clock.now());
        // It would be missed only after a restart; a full disk must not keep scripts out.
        if let Err(error) = remembered.await {
            tracing::debug!(%error, "cannot store where the operator signed in from");
        }
        if let Some(stored) = &stored {
            let remembered = CachedPassword {
                digest,
                stored: stored.clone(),
                until: now + REMEMBERED_FOR,
            };
            *lock(&inner.remembered) = Some(remembered);
        }
        Ok(stored)
    }

    fn remembers(&self, digest: &[u8; 32], stored: &str, now: Duration) -> bool {
        let remembered = lock(&self.inner.remembered);
        remembered.as_ref().is_some_and(|known| {
            known.until > now && known.stored == stored && same(&known.digest, digest)
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Plain values: a panic elsewhere leaves them whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
