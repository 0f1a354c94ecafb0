//! Takes a request in: makes every check that needs no other server, stores the request and answers 202.

use std::net::IpAddr;
use std::time::Duration;

use model::settings::table::federation::ENABLED;
use outbound::http::{HeaderMap, Method, StatusCode, header};
use store::StoreError;
use store::federation::{EnqueueResult, FollowerState, NewInboxEntry};

use super::envelope;
use crate::blocks::blocks;
use crate::handle::{Federation, FederationShared};
use crate::names::Names;
use crate::signature::{CheckedSignature, SignatureProblem, SignedRequest, verify};
use crate::wire::{ActivityKind, ReceivedActivity, Unreadable, id_of};

/// Bytes a request may have; larger ones are answered with 413.
pub const MAX_BODY_BYTES: usize = crate::wire::MAX_DOCUMENT_BYTES;
/// When somebody may come back who found the queue full.
const FULL_PAUSE: Duration = Duration::from_secs(60);

/// A request before its body is read.
#[derive(Clone, Copy, Debug)]
pub struct InboxRequest<'a> {
    /// As on the wire.
    pub method: &'a Method,
    /// Path and query exactly as on the wire.
    pub target: &'a str,
    pub username: &'a str,
    /// All headers.
    pub headers: &'a HeaderMap,
    /// The sender's address, as far as we trust it.
    pub address: IpAddr,
}

/// A request whose headers passed; it may send its body.
#[derive(Clone, Copy, Debug)]
pub struct HeadersAccepted<'a>(InboxRequest<'a>);

/// Why a request is refused; the texts are for the sender.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// Federation is switched off.
    #[error("federation is switched off")]
    Off,
    /// Not a POST.
    #[error("an inbox accepts POST only")]
    Method,
    /// No account of that name.
    #[error("there is no account with that name")]
    Nobody,
    /// More than [`MAX_BODY_BYTES`].
    #[error("the activity is too large")]
    TooLarge,
    /// Not declared as JSON.
    #[error("an activity must be sent as application/activity+json")]
    ContentType,
    /// Too many requests in too short a time.
    #[error("too many requests")]
    TooMany(Duration),
    /// The signature is wrong; the sender can sign again.
    #[error(transparent)]
    Unproven(#[from] SignatureProblem),
    /// The operator blocks the sender.
    #[error("nothing is accepted from this server")]
    Blocked,
    /// Too many headers to store.
    #[error("the request has too many headers")]
    Headers,
    /// Not one JSON object.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The queue is full.
    #[error("too much is waiting, please try again later")]
    Full,
    /// The database cannot take it.
    #[error("the activity cannot be stored right now, please try again later")]
    Store(#[source] StoreError),
}

impl InboxError {
    /// The status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            InboxError::Off | InboxError::Method => StatusCode::METHOD_NOT_ALLOWED,
            InboxError::Nobody => StatusCode::NOT_FOUND,
            InboxError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            InboxError::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            InboxError::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            InboxError::Unproven(_) => StatusCode::UNAUTHORIZED,
            InboxError::Blocked => StatusCode::FORBIDDEN,
            InboxError::Headers | InboxError::Unreadable(_) => StatusCode::BAD_REQUEST,
            InboxError::Full | InboxError::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// When to retry, where that makes sense.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            InboxError::TooMany(wait) => Some(*wait),
            InboxError::Full | InboxError::Store(_) => Some(FULL_PAUSE),
            _ => None,
        }
    }
}

impl Federation {
    /// Checks 1 to 4 of `docs/federation-cases.md`, which need no body: who would have to be told no anyway sends none.
    ///
    /// # Errors
    /// See [`InboxError`].
    pub fn accept_headers<'a>(
        &self,
        request: InboxRequest<'a>,
    ) -> Result<HeadersAccepted<'a>, InboxError> {
        let shared = &self.0;
        let settings = shared.settings.now();
        if !*settings.get(&ENABLED) {
            return Err(InboxError::Off);
        }
        if request.method != Method::POST {
            return Err(InboxError::Method);
        }
        // Without TLS nobody can trust what is said here.
        let names = Names::of(&settings).filter(Names::is_secure);
        let names = names.ok_or(InboxError::Nobody)?;
        let is_present = names.username() == request.username;
        let is_former = || {
            let former = shared.account.all_former_usernames();
            former.iter().any(|name| name == request.username)
        };
        if !is_present && !is_former() {
            return Err(InboxError::Nobody);
        }
        let length = request.headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > MAX_BODY_BYTES as u64) {
            return Err(InboxError::TooLarge);
        }
        if !is_json(request.headers) {
            return Err(InboxError::ContentType);
        }
        let uptime = shared.clock.uptime();
        let counted = shared
            .limits
            .count_request(request.address, &settings, uptime);
        counted.map_err(InboxError::TooMany)?;
        Ok(HeadersAccepted(request))
    }

    /// Checks 5 to 10 of `docs/federation-cases.md`, which need the whole request; then it is stored (17 and 18).
    /// `Ok` is a 202.
    ///
    /// # Errors
    /// See [`InboxError`].
    pub async fn accept_body(
        &self,
        accepted: HeadersAccepted<'_>,
        body: Vec<u8>,
    ) -> Result<(), InboxError> {
        self.0.accept_body(&accepted.0, body).await
    }
}

impl FederationShared {
    async fn accept_body(
        &self,
        request: &InboxRequest<'_>,
        body: Vec<u8>,
    ) -> Result<(), InboxError> {
        let (settings, now) = (self.settings.now(), self.clock.now());
        let names = Names::of(&settings).ok_or(InboxError::Nobody)?;
        if body.len() > MAX_BODY_BYTES {
            return Err(InboxError::TooLarge);
        }
        let signed = SignedRequest {
            method: request.method.as_str(),
            target: request.target,
            headers: request.headers,
            host: names.host(),
            base: names.base(),
        };
        let parsed = verify::parse(&signed)?;
        let host = parsed.key_id().host().to_owned();
        if blocks(&settings, &host) {
            return Err(InboxError::Blocked);
        }
        let uptime = self.clock.uptime();
        let room = self.limits.check_host(&host, &settings, uptime);
        room.map_err(InboxError::TooMany)?;
        let activity = ReceivedActivity::parse(&body)?;
        // Before any look-up, so that the answer does not reveal whom we know.
        let checked = parsed.check_without_key(now, &body)?;
        let headers = envelope::seal(request.headers).ok_or(InboxError::Headers)?;
        let Some(farewell) = farewell(&activity) else {
            return self.keep(request, &checked, headers, body).await;
        };
        if !self.is_known(farewell).await? {
            return Ok(());
        }
        match self.keep(request, &checked, headers, body).await {
            // Strangers must not learn it here either. An actor who is really gone is noticed at the next follower
            // validation.
            Err(InboxError::TooMany(_) | InboxError::Full) => Ok(()),
            answer => answer,
        }
    }

    /// Checks the signature as far as possible without asking another server, and stores the request.
    async fn keep(
        &self,
        request: &InboxRequest<'_>,
        checked: &CheckedSignature,
        headers: String,
        body: Vec<u8>,
    ) -> Result<(), InboxError> {
        let (settings, now) = (self.settings.now(), self.clock.now());
        let (host, uptime) = (checked.key_id().host().to_owned(), self.clock.uptime());
        let verified_owner = match self.check_cached_key(checked).await? {
            CachedKeyCheck::Good(owner) => {
                self.limits.count_host(&host, &settings, uptime);
                if self.is_blocked_actor(&owner).await? {
                    return Ok(());
                }
                Some(owner)
            }
            CachedKeyCheck::Doubtful | CachedKeyCheck::Nothing => {
                let asked = self
                    .limits
                    .ask_for_key(request.address, &host, body.len(), uptime);
                asked.map_err(InboxError::TooMany)?;
                None
            }
        };
        let entry = NewInboxEntry {
            key_id: checked.key_id().as_str().to_owned(),
            key_host: host,
            verified_owner,
            target: request.target.to_owned(),
            headers,
            body,
        };
        match self.tables.enqueue_inbox(entry, now).await {
            Ok(EnqueueResult::Stored) => Ok(()),
            Ok(EnqueueResult::Full) => Err(InboxError::Full),
            Err(error) => Err(InboxError::Store(error)),
        }
    }

    async fn is_known(&self, actor: &str) -> Result<bool, InboxError> {
        let is_known = self.tables.is_known_actor(actor).await;
        is_known.map_err(InboxError::Store)
    }

    async fn check_cached_key(
        &self,
        checked: &CheckedSignature,
    ) -> Result<CachedKeyCheck, InboxError> {
        let known = self.keys.cached(checked.key_id()).await;
        Ok(match known.map_err(InboxError::Store)? {
            None => CachedKeyCheck::Nothing,
            Some(known) if checked.verify(&known.key).is_ok() => CachedKeyCheck::Good(known.owner),
            Some(_) => CachedKeyCheck::Doubtful,
        })
    }

    /// Whether the operator blocks this actor.
    pub(super) async fn is_blocked_actor(&self, actor: &str) -> Result<bool, InboxError> {
        let known = self
            .tables
            .follower(actor)
            .await
            .map_err(InboxError::Store)?;
        Ok(known.is_some_and(|known| known.state == FollowerState::Blocked))
    }
}

/// The actor who deletes or updates their own account: large servers announce these to everybody, and if we never heard
/// of the actor they change nothing.
fn farewell(activity: &ReceivedActivity) -> Option<&str> {
    let is_farewell = matches!(
        activity.kind,
        Some(ActivityKind::Delete | ActivityKind::Update)
    );
    let actor = activity.actor.as_deref().filter(|_| is_farewell)?;
    (id_of(activity.object()) == Some(actor)).then_some(actor)
}

/// What is known about a signature without asking another server.
enum CachedKeyCheck {
    /// It is this actor's.
    Good(String),
    /// It does not match the key we have, which may be old.
    Doubtful,
    /// We do not have the key.
    Nothing,
}

/// Whether the body's declared type is one that activities are sent as, with any parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let name = value.split(';').next().unwrap_or_default().trim();
    [
        "application/activity+json",
        "application/ld+json",
        "application/json",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}
