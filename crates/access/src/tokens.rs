//! Access tokens of bots and overlays: issued, looked up on every call, rate limited, and revoked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::rate_limit::{Rate, RateLimiter};
use model::{Clock, Event, Scope, Secret, TokenId, UserId};
use store::{MAX_ACCESS_TOKENS, NewUser, Store, StoreError, Token, TokenKey, User, UserKind};
use thiserror::Error;
use tokio::sync::watch;

use crate::secrets::{random_access_token, random_letters, sha256};

/// Limit (clients): calls with one access token; further ones get 429 with `Retry-After`.
const CALL_RATE: Rate = Rate::new(50, Duration::from_secs(5));
/// Longest secret that is looked at; ours are 44 characters.
const MAX_SECRET_CHARS: usize = 128;
/// Characters of the secret that lists show.
const PREFIX_CHARS: usize = 6;
/// Letters of an id.
const ID_LETTERS: usize = 12;
/// The use of a token is written down at most this often.
const NOTED_EVERY: Duration = Duration::from_secs(1);

const LETTERS_FIT: &str = "an id may be made of letters";
/// Tokens whose last use is remembered; beyond that those that have not been used lately are forgotten.
const MAX_REMEMBERED: usize = 1000;

/// A token that was just made; the secret is known to nobody but its reader.
#[derive(Debug)]
pub struct IssuedToken {
    /// What its holder shows.
    pub secret: Secret,
    pub token: Token,
    /// The user it speaks as.
    pub user: User,
}

/// The holder of a valid secret.
#[derive(Clone, Debug)]
pub struct Bearer {
    pub token: Token,
    pub user: User,
}

/// Why no token was issued.
#[derive(Debug, Error)]
pub enum IssueError {
    #[error("a token needs a name: it is what people see when the bot writes in the chat")]
    NoName,
    #[error("a token needs at least one scope")]
    NoScopes,
    #[error(
        "there are already {MAX_ACCESS_TOKENS} access tokens; revoke one that is no longer used"
    )]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// All access tokens; cheap to clone.
#[derive(Clone, Debug)]
pub struct AccessTokens {
    store: Store,
    clock: Arc<dyn Clock>,
    calls: Arc<RateLimiter<TokenId>>,
    /// When the use of each was last stored (uptime).
    noted: Arc<Mutex<HashMap<TokenId, Duration>>>,
    doubts: watch::Sender<u64>,
}

impl AccessTokens {
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        let doubts = watch::Sender::new(0);
        if store.is_shared() {
            tokio::spawn(doubt_with_others(store.clone(), doubts.clone()));
        }
        Self {
            store,
            clock,
            calls: Arc::default(),
            noted: Arc::default(),
            doubts,
        }
    }

    /// Issues a token.
    pub async fn issue(
        &self,
        name: String,
        display_color: i64,
        scopes: Vec<Scope>,
    ) -> Result<IssuedToken, IssueError> {
        if name.is_empty() {
            return Err(IssueError::NoName);
        }
        if scopes.is_empty() {
            return Err(IssueError::NoScopes);
        }
        let (secret, now) = (random_access_token(), self.clock.now());
        let user = NewUser {
            id: UserId::parse(random_letters(ID_LETTERS).expose()).expect(LETTERS_FIT),
            kind: UserKind::Api,
            display_name: name,
            display_color,
        };
        let token = Token {
            id: TokenId::parse(random_letters(ID_LETTERS).expose()).expect(LETTERS_FIT),
            user_id: user.id.clone(),
            prefix: secret.expose().chars().take(PREFIX_CHARS).collect(),
            scopes,
            created_at: now,
            last_used_at: None,
        };
        let hash = sha256(secret.expose()).to_vec();
        let stored = self
            .store
            .add_access_token(user, token.clone(), hash, now)
            .await?;
        let user = stored.ok_or(IssueError::TooMany)?;
        Ok(IssuedToken {
            secret,
            token,
            user,
        })
    }

    /// All tokens, newest first.
    pub async fn list(&self) -> Result<Vec<(Token, User)>, StoreError> {
        self.store.access_tokens().await
    }

    /// Revokes a token, named by its id or by its secret; `None` if there is no such token.
    pub async fn revoke(&self, id_or_secret: &str) -> Result<Option<TokenId>, StoreError> {
        let hash = TokenKey::Hash(sha256(id_or_secret).to_vec());
        let at = self.clock.now();
        let mut revoked = self.store.revoke_access_token(hash, at).await?;
        if revoked.is_none()
            && let Ok(id) = TokenId::parse(id_or_secret)
        {
            revoked = self.store.revoke_access_token(TokenKey::Id(id), at).await?;
        }
        if let Some(id) = &revoked {
            self.calls.forget(id);
            self.noted().remove(id);
            self.doubt();
        }
        Ok(revoked)
    }

    /// The holder of this secret; `None` if its user is banned.
    pub async fn bearer(&self, secret: &str) -> Result<Option<Bearer>, StoreError> {
        if secret.is_empty() || secret.len() > MAX_SECRET_CHARS {
            return Ok(None);
        }
        let found = self.store.user_by_token(&sha256(secret)).await?;
        Ok(found.and_then(valid))
    }

    /// Checks again whether a token that was accepted before is still valid.
    pub async fn is_still_valid(&self, id: &TokenId) -> Result<bool, StoreError> {
        let found = self.store.access_token(id).await?;
        Ok(found.and_then(valid).is_some())
    }

    /// Counts a call; the error is how long to wait.
    pub fn admit(&self, id: &TokenId) -> Result<(), Duration> {
        self.calls.take(id, 1, CALL_RATE, self.clock.uptime())
    }

    /// Records that a token was used, at intervals and without making its holder wait.
    pub fn note_use(&self, id: &TokenId) {
        let now = self.clock.uptime();
        {
            let mut noted = self.noted();
            if noted.get(id).is_some_and(|at| now < *at + NOTED_EVERY) {
                return;
            }
            if noted.len() >= MAX_REMEMBERED {
                noted.retain(|_, at| now < *at + NOTED_EVERY);
            }
            noted.insert(id.clone(), now);
        }
        let (store, id, at) = (self.store.clone(), id.clone(), self.clock.now());
        tokio::spawn(async move {
            if let Err(error) = store.touch_token(&id, at).await {
                tracing::debug!(%error, "cannot record the use of an access token");
            }
        });
    }

    /// Changes whenever a token may have lost its rights: tasks that hold connections open have to check again.
    pub fn doubts(&self) -> watch::Receiver<u64> {
        self.doubts.subscribe()
    }

    /// Reports that a token may have lost its rights.
    pub fn doubt(&self) {
        raise_doubt(&self.doubts);
    }

    fn noted(&self) -> std::sync::MutexGuard<'_, HashMap<TokenId, Duration>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn raise_doubt(doubts: &watch::Sender<u64>) {
    doubts.send_modify(|count| *count = count.wrapping_add(1));
}

/// Doubts what another server on the same database may have revoked; ends with the store.
async fn doubt_with_others(store: Store, doubts: watch::Sender<u64>) {
    let mut log = match store.follow_log().await {
        Ok(Some(log)) => log,
        Ok(None) => return,
        Err(error) => {
            tracing::warn!(%error, "tokens that another server revokes keep the connections they have here");
            return;
        }
    };
    // What was open before this is doubted once.
    raise_doubt(&doubts);
    while let Some(events) = log.next().await {
        let is_meant = |event: &Event| {
            matches!(
                event,
                Event::ChatTokenRevoked { .. } | Event::ChatUserRemoved { .. }
            )
        };
        if events.iter().any(|logged| is_meant(&logged.event)) {
            raise_doubt(&doubts);
        }
    }
}

/// Users' own tokens are for the chat alone, and tokens of banned users are not valid.
fn valid((token, user): (Token, User)) -> Option<Bearer> {
    let is_bot = user.kind == UserKind::Api && !token.scopes.is_empty();
    (is_bot && user.disabled_at.is_none()).then_some(Bearer { token, user })
}
