//! Webhooks: which receiver gets which events, and the handle that manages them.

mod dispatcher;
mod follower;
mod queue_worker;
mod request;
mod retry;
mod signature;
mod text;
mod wakeups;

use std::sync::Arc;
use std::time::Duration;

use model::settings::table::notices::WEBHOOKS_ALLOW_INTERNAL;
use model::{Clock, Secret};
use outbound::{Client, Url};
use store::settings::Settings;
use store::{
    Lease, LeaseName, Leases, MAX_WEBHOOKS, NewWebhook, ResendResult, Store, StoreError, Webhook,
    WebhookChange, WebhookDelivery, WebhookNotice, WebhookQueue,
};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::event_names::{EVENT_NAMES, known_event};
use crate::payload::PayloadBuilder;
use crate::random;
pub use retry::{WebhookState, WebhookStatus};
use wakeups::Wakeups;

/// Limit (clients): time a webhook receiver takes to respond; then the attempt has failed and is repeated.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// Longest secret an operator may bring along; a longer one is refused.
pub const MAX_SECRET_BYTES: usize = 256;

/// What webhooks need from other parts.
#[derive(Debug)]
pub struct WebhookDeps {
    /// Holds the queues.
    pub store: Store,
    /// Say whether all webhooks may reach the operator's own network.
    pub settings: Settings,
    pub client: Client,
    pub clock: Arc<dyn Clock>,
    pub payload_builder: Arc<dyn PayloadBuilder>,
    /// Say whether this server is the one that sends.
    pub leases: Leases,
    /// Replaces the ten-second timeout; for tests.
    pub timeout: Option<Duration>,
}

/// A webhook to be created.
#[derive(Clone, Debug)]
pub struct WebhookInput {
    pub url: String,
    /// The events to subscribe to.
    pub events: Vec<String>,
    /// The operator's own secret; generated if absent.
    pub secret: Option<Secret>,
    /// The address may be on the operator's own network.
    pub allows_internal: bool,
}

/// A new webhook, with its secret, which is shown only once.
#[derive(Clone, Debug)]
pub struct CreatedWebhook {
    pub webhook: Webhook,
    /// To be handed to the receiver.
    pub secret: Secret,
}

/// Why a request of the operator is refused.
#[derive(Debug, Error)]
pub enum WebhookError {
    /// The address is not a URL.
    #[error("the address is not a URL that begins with https:// or http://")]
    NoUrl,
    /// We must not contact the address.
    #[error("this address cannot be used: {0}")]
    Address(String),
    /// No events were given.
    #[error("choose at least one event")]
    NoEvents,
    /// An unknown event.
    #[error("there is no event {0:?}; there are {list}", list = EVENT_NAMES.join(", "))]
    UnknownEvent(String),
    /// The secret is too long.
    #[error("the secret is longer than {MAX_SECRET_BYTES} bytes")]
    Secret,
    /// The limit is reached.
    #[error("there are already {MAX_WEBHOOKS} webhooks, which is the limit")]
    TooMany,
    /// No webhook with this number.
    #[error("there is no such webhook")]
    Unknown,
    /// No delivery with this number.
    #[error("there is no such delivery")]
    UnknownDelivery,
    /// It was already delivered.
    #[error("this was already delivered")]
    Arrived,
    /// It was dropped together with its body.
    #[error("this was given up because too many were waiting, and its text was not kept")]
    Dropped,
    /// Its webhook is disabled.
    #[error("the webhook is switched off; switch it on first")]
    Disabled,
    /// No sample to test with.
    #[error("there is no example for the event {0:?}")]
    NoSample(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// All webhooks; cheap to clone.
#[derive(Clone, Debug)]
pub struct Webhooks(Arc<WebhooksShared>);

#[derive(Clone, Debug)]
struct WebhooksShared {
    store: Store,
    /// What the work is done under; the operator's requests need none.
    lease: Lease,
    settings: Settings,
    client: Client,
    clock: Arc<dyn Clock>,
    payload_builder: Arc<dyn PayloadBuilder>,
    timeout: Duration,
    wakeups: Arc<Wakeups>,
}

impl WebhooksShared {
    fn under(&self, lease: Lease) -> Arc<Self> {
        Arc::new(Self {
            store: self.store.under(&lease),
            lease,
            ..self.clone()
        })
    }

    /// Whether no other server may be sending.
    fn may_send(&self) -> bool {
        self.lease.is_valid(self.clock.uptime())
    }

    /// Whether the operator lets all webhooks reach the operator's own network.
    fn allow_internal(&self) -> bool {
        *self.settings.now().get(&WEBHOOKS_ALLOW_INTERNAL)
    }
}

impl Webhooks {
    /// Opens the webhooks; the caller must drive the future, which does the work until `stop`.
    pub async fn open(
        deps: WebhookDeps,
        stop: CancellationToken,
    ) -> Result<(Self, impl Future<Output = ()> + Send + 'static), StoreError> {
        let shared = Arc::new(WebhooksShared {
            store: deps.store,
            lease: Lease::always(),
            settings: deps.settings,
            client: deps.client,
            clock: deps.clock,
            payload_builder: deps.payload_builder,
            timeout: deps.timeout.unwrap_or(TIMEOUT),
            wakeups: Arc::default(),
        });
        // Whoever subscribes from now on gets what happens from now on, whoever sends it.
        shared.store.webhook_cursor(shared.clock.now()).await?;
        let (handle, leases) = (Self(Arc::clone(&shared)), deps.leases);
        let work = async move {
            let send = |lease, until| send(shared.under(lease), until);
            leases.while_held(LeaseName::Webhooks, stop, send).await;
        };
        Ok((handle, work))
    }

    /// All webhooks, oldest first.
    pub async fn list(&self) -> Result<Vec<Webhook>, WebhookError> {
        Ok(self.0.store.webhooks().await?)
    }

    /// Creates a webhook, which gets events from now on.
    pub async fn create(&self, input: WebhookInput) -> Result<CreatedWebhook, WebhookError> {
        self.check_address(&input.url, input.allows_internal)?;
        let events = checked_events(&input.events)?;
        let secret = match input.secret {
            Some(secret) if secret.expose().len() > MAX_SECRET_BYTES => {
                return Err(WebhookError::Secret);
            }
            Some(secret) if !secret.expose().is_empty() => secret,
            _ => random::secret(),
        };
        let new = NewWebhook {
            url: input.url,
            events,
            secret: secret.clone(),
            allows_internal: input.allows_internal,
        };
        let added = self.0.store.add_webhook(new, self.0.clock.now()).await?;
        let webhook = added.ok_or(WebhookError::TooMany)?;
        Ok(CreatedWebhook { webhook, secret })
    }

    /// Changes a webhook and resets its state.
    pub async fn update(
        &self,
        id: i64,
        mut change: WebhookChange,
    ) -> Result<Webhook, WebhookError> {
        let before = self.0.store.webhook(id).await?;
        let before = before.ok_or(WebhookError::Unknown)?;
        if change.url.is_some() || change.allows_internal.is_some() {
            let url = change.url.as_ref().unwrap_or(&before.url);
            let allows_internal = change.allows_internal.unwrap_or(before.allows_internal);
            self.check_address(url, allows_internal)?;
        }
        if let Some(events) = &change.events {
            change.events = Some(checked_events(events)?);
        }
        let now = self.0.clock.now();
        let changed = self.0.store.change_webhook(id, change, now).await?;
        self.0.wakeups.wake(WebhookQueue::Facts(id));
        changed.ok_or(WebhookError::Unknown)
    }

    /// Deletes a webhook and everything queued for it.
    pub async fn delete(&self, id: i64) -> Result<(), WebhookError> {
        match self.0.store.delete_webhook(id).await? {
            true => Ok(()),
            false => Err(WebhookError::Unknown),
        }
    }

    /// Sends a sample of `event`, or of the first event the webhook subscribes to; returns the delivery's number.
    pub async fn send_test(&self, id: i64, event: Option<&str>) -> Result<i64, WebhookError> {
        let webhook = self.0.store.webhook(id).await?;
        let webhook = webhook.ok_or(WebhookError::Unknown)?;
        let first = webhook.events.first().map(String::as_str);
        let name = event.or(first).unwrap_or_default();
        let kind = known_event(name).ok_or_else(|| WebhookError::UnknownEvent(name.to_owned()))?;
        let sample = self.0.payload_builder.sample(kind);
        let payload = sample.ok_or_else(|| WebhookError::NoSample(name.to_owned()))?;
        let notice = WebhookNotice {
            seq: 0,
            key: random::id(),
            kind: payload.kind,
            body: payload.body,
        };
        let now = self.0.clock.now();
        let added = self.0.store.add_test_delivery(id, notice, now).await?;
        self.0.wakeups.wake(WebhookQueue::Tests(id));
        added.ok_or(WebhookError::Unknown)
    }

    /// Sent and pending deliveries, newest first, of one webhook or of all.
    pub async fn deliveries(
        &self,
        webhook: Option<i64>,
        limit: u32,
    ) -> Result<Vec<WebhookDelivery>, WebhookError> {
        Ok(self.0.store.deliveries(webhook, limit).await?)
    }

    /// Sends a pending or given-up delivery now.
    pub async fn retry(&self, delivery: i64) -> Result<(), WebhookError> {
        let now = self.0.clock.now();
        match self.0.store.resend_delivery(delivery, now).await? {
            ResendResult::Queued(line) => {
                self.0.wakeups.wake(line);
                Ok(())
            }
            ResendResult::Unknown => Err(WebhookError::UnknownDelivery),
            ResendResult::Arrived => Err(WebhookError::Arrived),
            ResendResult::Dropped => Err(WebhookError::Dropped),
            ResendResult::Disabled => Err(WebhookError::Disabled),
        }
    }

    /// Checks an address as far as possible without contacting it.
    fn check_address(&self, url: &str, allows_internal: bool) -> Result<(), WebhookError> {
        let url = Url::parse(url).map_err(|_| WebhookError::NoUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(WebhookError::NoUrl);
        }
        let may_be_internal = allows_internal || self.0.allow_internal();
        let checked = self
            .0
            .client
            .check_url(&url, &request::policy(may_be_internal));
        checked.map_err(|refusal| WebhookError::Address(request::advice(&refusal)))
    }
}

/// Continues where the last holder of the lease has come to.
async fn send(shared: Arc<WebhooksShared>, until: CancellationToken) {
    let seq = loop {
        match shared.store.webhook_cursor(shared.clock.now()).await {
            Ok(seq) => break seq,
            Err(error) => {
                tracing::warn!(%error, "webhooks: cannot find the place in the event log, trying again");
            }
        }
        tokio::select! {
            () = until.cancelled() => return,
            () = tokio::time::sleep(DATABASE_PAUSE) => {}
        }
    };
    let follower = follower::follow(Arc::clone(&shared), seq, until.clone());
    tokio::join!(follower, dispatcher::run(shared, until));
}

/// Checks that all names are known and removes duplicates.
fn checked_events(names: &[String]) -> Result<Vec<String>, WebhookError> {
    let mut events: Vec<String> = Vec::new();
    for name in names {
        let unknown = || WebhookError::UnknownEvent(name.chars().take(100).collect());
        let known = known_event(name).ok_or_else(unknown)?.to_owned();
        if !events.contains(&known) {
            events.push(known);
        }
    }
    if events.is_empty() {
        return Err(WebhookError::NoEvents);
    }
    Ok(events)
}
