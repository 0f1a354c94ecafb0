//! Webhooks with a controllable clock and a database that can be reopened.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use model::settings::ExternalSettings;
use model::{Clock, Event, LoggedEvent};
use notify::{CreatedWebhook, PayloadBuilder, WebhookDeps, WebhookInput, WebhookPayload, Webhooks};
use outbound::Client;
use store::settings::Settings;
use store::{DatabaseUrl, Leases, Store, Webhook, WebhookDelivery, WebhookDeliveryState};
use testkit::{ManualClock, eventually};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longer than every pause between two attempts.
pub(crate) const LONG: Duration = Duration::from_secs(2 * 3600);
/// Longer than the first pause and shorter than the second.
pub(crate) const SHORT: Duration = Duration::from_secs(15);
/// Timeout for receivers; even on a busy machine a well-behaved one answers within it.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(2);

/// Builds payloads from titles, and panics at one of them.
#[derive(Debug)]
pub(crate) struct Titles;

impl PayloadBuilder for Titles {
    fn payload(&self, event: &LoggedEvent) -> Option<WebhookPayload> {
        match &event.event {
            Event::StreamTitleChanged { title } if title == "panic" => panic!("as it was told"),
            Event::StreamTitleChanged { title } => Some(payload("STREAM_TITLE_UPDATED", title)),
            Event::StreamStopped { id } => Some(payload("STREAM_STOPPED", id)),
            _ => None,
        }
    }

    fn sample(&self, kind: &str) -> Option<WebhookPayload> {
        match kind {
            "CHAT" => None,
            _ => Some(payload(notify::known_event(kind)?, "an example")),
        }
    }
}

fn payload(kind: &'static str, text: &str) -> WebhookPayload {
    WebhookPayload {
        kind,
        body: format!(r#"{{"type":"{kind}","eventData":{{"text":"{text}"}}}}"#),
    }
}

/// The folder and the clock, which outlive the open webhooks.
pub(crate) struct House {
    pub(crate) clock: ManualClock,
    folder: tempfile::TempDir,
}

impl House {
    pub(crate) fn new() -> Self {
        Self {
            clock: ManualClock::default(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) async fn store(&self) -> Store {
        let url = DatabaseUrl::Sqlite(self.path("test.db"));
        Store::open(&url, &self.path("secret.key")).await.unwrap()
    }

    pub(crate) async fn open(&self) -> Room {
        let client = Client::builder().user_agent("rillcast/test").build();
        self.open_with(client.unwrap()).await
    }

    /// Opens one of several servers.
    pub(crate) async fn open_under(&self, leases: Leases) -> Room {
        let client = Client::builder().user_agent("rillcast/test").build();
        self.open_whole(client.unwrap(), leases).await
    }

    pub(crate) async fn open_with(&self, client: Client) -> Room {
        self.open_whole(client, Leases::alone()).await
    }

    async fn open_whole(&self, client: Client, leases: Leases) -> Room {
        let store = self.store().await;
        let stop = CancellationToken::new();
        let outside = ExternalSettings::default();
        let settings = Settings::load(store.clone(), &outside).await.unwrap();
        let deps = WebhookDeps {
            store: store.clone(),
            settings: settings.clone(),
            client,
            clock: Arc::new(self.clock.clone()),
            payload_builder: Arc::new(Titles),
            leases,
            timeout: Some(TIMEOUT),
        };
        let (webhooks, work) = Webhooks::open(deps, stop.clone()).await.unwrap();
        Room {
            webhooks,
            store,
            settings,
            clock: self.clock.clone(),
            work: tokio::spawn(work),
            stop,
        }
    }
}

/// Open webhooks.
pub(crate) struct Room {
    pub(crate) webhooks: Webhooks,
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) clock: ManualClock,
    work: JoinHandle<()>,
    stop: CancellationToken,
}

impl Room {
    /// Adds a webhook for title changes on this machine.
    pub(crate) async fn webhook(&self, url: &str) -> CreatedWebhook {
        let input = WebhookInput {
            url: url.into(),
            events: vec!["STREAM_TITLE_UPDATED".into()],
            secret: None,
            allows_internal: true,
        };
        self.webhooks.create(input).await.unwrap()
    }

    pub(crate) async fn say(&self, title: impl ToString) {
        let event = Event::StreamTitleChanged {
            title: title.to_string(),
        };
        self.store.log_event(event, self.clock.now()).await.unwrap();
    }

    pub(crate) async fn only_webhook(&self) -> Webhook {
        self.webhooks.list().await.unwrap().remove(0)
    }

    /// All deliveries, oldest first.
    pub(crate) async fn deliveries(&self) -> Vec<WebhookDelivery> {
        let mut all = self.webhooks.deliveries(None, 500).await.unwrap();
        all.reverse();
        all
    }

    /// Waits until `count` deliveries are in this state.
    pub(crate) async fn until(
        &self,
        state: WebhookDeliveryState,
        count: usize,
    ) -> Vec<WebhookDelivery> {
        eventually(&format!("{count} deliveries are {state:?}"), async || {
            let all = self.deliveries().await;
            let reached = all.iter().filter(|one| one.state == state).count() >= count;
            reached.then_some(all)
        })
        .await
    }

    /// Waits until the oldest delivery has been tried this often.
    pub(crate) async fn until_tried(&self, attempts: i64) -> WebhookDelivery {
        eventually(&format!("attempt {attempts} is over"), async || {
            let first = self.deliveries().await.into_iter().next();
            first.filter(|delivery| delivery.attempts >= attempts)
        })
        .await
    }

    /// Lets time pass until the oldest delivery is over, never faster than it is tried.
    pub(crate) async fn pass_time_until_over(&self) -> WebhookDelivery {
        eventually("the delivery is over", async || {
            let first = self.deliveries().await.into_iter().next()?;
            let left = first.next_at.duration_since(self.clock.now());
            match (first.state, Duration::try_from(left)) {
                (WebhookDeliveryState::Waiting, Ok(left)) => self.clock.advance(left),
                (WebhookDeliveryState::Waiting, Err(_)) => {}
                _ => return Some(first),
            }
            None
        })
        .await
    }

    /// Stops like SIGKILL: nothing is finished or announced.
    pub(crate) async fn kill(self) {
        self.work.abort();
        drop(self.work.await);
        self.store.close().await;
    }

    /// Stops like SIGTERM.
    pub(crate) async fn close(self) {
        self.stop.cancel();
        self.work.await.unwrap();
        self.store.close().await;
    }
}
