//! The door: every check that needs nobody else, then the request is on disk and the answer is 202.

use std::net::IpAddr;
use std::time::Duration;

use model::settings::table::federation::ENABLED;
use outbound::http::{HeaderMap, Method, StatusCode, header};
use store::StoreError;
use store::federation::{FollowerState, NewInboxEntry, Queued};

use super::envelope;
use crate::blocks::blocks;
use crate::handle::{Federation, Shared};
use crate::names::Names;
use crate::signature::verify::{self, Checked, Request, SignatureProblem};
use crate::wire::{Kind, Received, Unreadable, id_of};

/// Bytes a request may have; larger ones are answered with 413.
pub const MAX_BODY_BYTES: usize = crate::wire::MAX_DOCUMENT_BYTES;
/// When somebody may come back who found the queue full.
const FULL_PAUSE: Duration = Duration::from_secs(60);

/// A request, as far as it is known before its body.
#[derive(Clone, Copy, Debug)]
pub struct Knock<'a> {
    /// As on the wire.
    pub method: &'a Method,
    /// Path and query exactly as on the wire.
    pub target: &'a str,
    /// Whose inbox.
    pub username: &'a str,
    /// All headers.
    pub headers: &'a HeaderMap,
    /// Who sends, as far as we believe it.
    pub address: IpAddr,
}

/// A request that may send its body.
#[derive(Clone, Copy, Debug)]
pub struct Greeted<'a>(Knock<'a>);

/// Why a request is not taken; the texts are for the sender.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Federation is switched off.
    #[error("federation is switched off")]
    Off,
    /// Not a POST.
    #[error("an inbox takes POST only")]
    Method,
    /// Nobody has that name.
    #[error("there is nobody of that name")]
    Nobody,
    /// More than [`MAX_BODY_BYTES`].
    #[error("the activity is too large")]
    TooLarge,
    /// Not declared as JSON.
    #[error("an activity is sent as application/activity+json")]
    ContentType,
    /// Too much in too short a time.
    #[error("too many requests")]
    TooMany(Duration),
    /// The signature can be mended, by signing again.
    #[error(transparent)]
    Unproven(#[from] SignatureProblem),
    /// The operator wants nothing from there.
    #[error("nothing is taken from this server")]
    Blocked,
    /// More headers than are kept.
    #[error("the request has too many headers")]
    Headers,
    /// Not one JSON object.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The queue has no room.
    #[error("too much is waiting, please come back later")]
    Full,
    /// The database cannot take it.
    #[error("the activity cannot be stored right now, please come back later")]
    Store(#[source] StoreError),
}

impl Refused {
    /// The answer's status.
    pub fn status(&self) -> StatusCode {
        match self {
            Refused::Off | Refused::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refused::Nobody => StatusCode::NOT_FOUND,
            Refused::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Refused::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refused::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Refused::Unproven(_) => StatusCode::UNAUTHORIZED,
            Refused::Blocked => StatusCode::FORBIDDEN,
            Refused::Headers | Refused::Unreadable(_) => StatusCode::BAD_REQUEST,
            Refused::Full | Refused::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// When to come back, where that makes sense.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Refused::TooMany(wait) => Some(*wait),
            Refused::Full | Refused::Store(_) => Some(FULL_PAUSE),
            _ => None,
        }
    }
}

impl Federation {
    /// The checks that need no body (1 to 4 of the list): who would have to be told no anyway sends none.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn greet<'a>(&self, knock: Knock<'a>) -> Result<Greeted<'a>, Refused> {
        let shared = &self.0;
        let settings = shared.settings.now();
        if !*settings.get(&ENABLED) {
            return Err(Refused::Off);
        }
        if knock.method != Method::POST {
            return Err(Refused::Method);
        }
        // Without TLS nobody can believe what is said here.
        let names = Names::of(&settings).filter(Names::is_secure);
        let names = names.ok_or(Refused::Nobody)?;
        let is_present = names.username() == knock.username;
        let is_former = || {
            let former = shared.account.all_former_usernames();
            former.iter().any(|name| name == knock.username)
        };
        if !is_present && !is_former() {
            return Err(Refused::Nobody);
        }
        let length = knock.headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > MAX_BODY_BYTES as u64) {
            return Err(Refused::TooLarge);
        }
        if !is_json(knock.headers) {
            return Err(Refused::ContentType);
        }
        let uptime = shared.clock.uptime();
        let knocked = shared.limits.knock(knock.address, &settings, uptime);
        knocked.map_err(Refused::TooMany)?;
        Ok(Greeted(knock))
    }

    /// The checks of the whole request (5 to 10), then it is stored (17 and 18). `Ok` is a 202.
    ///
    /// # Errors
    /// See [`Refused`].
    pub async fn take_in(&self, greeted: Greeted<'_>, body: Vec<u8>) -> Result<(), Refused> {
        self.0.take_in(&greeted.0, body).await
    }
}

impl Shared {
    async fn take_in(&self, knock: &Knock<'_>, body: Vec<u8>) -> Result<(), Refused> {
        let (settings, now) = (self.settings.now(), self.clock.now());
        let names = Names::of(&settings).ok_or(Refused::Nobody)?;
        if body.len() > MAX_BODY_BYTES {
            return Err(Refused::TooLarge);
        }
        let request = Request {
            method: knock.method.as_str(),
            target: knock.target,
            headers: knock.headers,
            host: names.host(),
            base: names.base(),
        };
        let parsed = verify::parse(&request)?;
        let host = parsed.key_id().host().to_owned();
        if blocks(&settings, &host) {
            return Err(Refused::Blocked);
        }
        let uptime = self.clock.uptime();
        let room = self.limits.check_host(&host, &settings, uptime);
        room.map_err(Refused::TooMany)?;
        let activity = Received::parse(&body)?;
        // Before anybody is looked for, so that the answer does not tell whom we know.
        let checked = parsed.check_without_key(now, &body)?;
        let headers = envelope::seal(knock.headers).ok_or(Refused::Headers)?;
        let Some(farewell) = farewell(&activity) else {
            return self.keep(knock, &checked, headers, body).await;
        };
        if !self.is_known(farewell).await? {
            return Ok(());
        }
        match self.keep(knock, &checked, headers, body).await {
            // Strangers are not told so either. Whoever is really gone is missed at the next look at followers.
            Err(Refused::TooMany(_) | Refused::Full) => Ok(()),
            answer => answer,
        }
    }

    /// Finds out what can be found out about the signature without asking anybody, and stores the request.
    async fn keep(
        &self,
        knock: &Knock<'_>,
        checked: &Checked,
        headers: String,
        body: Vec<u8>,
    ) -> Result<(), Refused> {
        let (settings, now) = (self.settings.now(), self.clock.now());
        let (host, uptime) = (checked.key_id().host().to_owned(), self.clock.uptime());
        let verified_owner = match self.already_known(checked).await? {
            Known::Good(owner) => {
                self.limits.count_host(&host, &settings, uptime);
                if self.is_blocked_actor(&owner).await? {
                    return Ok(());
                }
                Some(owner)
            }
            Known::Doubtful | Known::Nothing => {
                let asked = self
                    .limits
                    .ask_for_key(knock.address, &host, body.len(), uptime);
                asked.map_err(Refused::TooMany)?;
                None
            }
        };
        let entry = NewInboxEntry {
            key_id: checked.key_id().as_str().to_owned(),
            key_host: host,
            verified_owner,
            target: knock.target.to_owned(),
            headers,
            body,
        };
        match self.tables.enqueue_inbox(entry, now).await {
            Ok(Queued::Stored) => Ok(()),
            Ok(Queued::Full) => Err(Refused::Full),
            Err(error) => Err(Refused::Store(error)),
        }
    }

    async fn is_known(&self, actor: &str) -> Result<bool, Refused> {
        let is_known = self.tables.is_known_actor(actor).await;
        is_known.map_err(Refused::Store)
    }

    async fn already_known(&self, checked: &Checked) -> Result<Known, Refused> {
        let known = self.keys.cached(checked.key_id()).await;
        Ok(match known.map_err(Refused::Store)? {
            None => Known::Nothing,
            Some(known) if checked.verify(&known.key).is_ok() => Known::Good(known.owner),
            Some(_) => Known::Doubtful,
        })
    }

    /// Whether the operator wants nothing from this actor.
    pub(super) async fn is_blocked_actor(&self, actor: &str) -> Result<bool, Refused> {
        let known = self.tables.follower(actor).await.map_err(Refused::Store)?;
        Ok(known.is_some_and(|known| known.state == FollowerState::Blocked))
    }
}

/// Who says that they are gone or have another name: large servers tell everybody, and of those we never heard of it
/// changes nothing.
fn farewell(activity: &Received) -> Option<&str> {
    let is_farewell = matches!(activity.kind, Some(Kind::Delete | Kind::Update));
    let actor = activity.actor.as_deref().filter(|_| is_farewell)?;
    (id_of(activity.object()) == Some(actor)).then_some(actor)
}

/// What is known about a signature without asking anybody.
enum Known {
    /// It is of this actor.
    Good(String),
    /// It does not match the key we have, which may be old.
    Doubtful,
    /// We do not have the key.
    Nothing,
}

/// Whether the body is declared as one of the types activities are sent as, with whatever parameters.
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
