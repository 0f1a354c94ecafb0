//! The connection to NATS: it comes back by itself, and nobody waits for it.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{
    Client, ConnectOptions, Event, Request, RequestErrorKind, ServerAddr, Subscriber,
};
use futures_util::StreamExt;
use model::Secret;
use tokio::sync::watch;

use crate::error::BusError;
use crate::message::{BusMessage, with_format};
use crate::seal::{self, MessageId, Seal, SealedInbox};
use crate::subject::Subject;

/// A NATS server that has not answered by then is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// A connection that is silent for two of these is lost.
const PING_INTERVAL: Duration = Duration::from_secs(2);
/// Between attempts to connect, from the second on.
const RECONNECT_PAUSE: Duration = Duration::from_millis(500);
/// Messages of one subscription that wait to be read; what comes then is dropped.
const SUBSCRIPTION_CAPACITY: usize = 1024;
/// A connection whose queue has no room for this long is treated as one that is away.
const PUBLISH_PATIENCE: Duration = Duration::from_millis(50);
/// NATS answers such questions at once, or has no JetStream.
const JETSTREAM_TIMEOUT: Duration = Duration::from_secs(3);

/// How to connect.
#[derive(Clone, Debug)]
pub struct BusOptions {
    /// The cluster's name.
    pub cluster: String,
    /// NATS servers, separated by commas; they may hold a password.
    pub servers: Secret,
    /// A credentials file.
    pub credentials: Option<PathBuf>,
    /// What NATS' own tools show.
    pub name: String,
    /// Whether a NATS that is away now is waited for in the background, as a server does; a tool wants to hear why.
    pub is_patient: bool,
}

/// Whether there is a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusState {
    Connected,
    Away,
}

/// The way to the other machines. Cheap to clone; all clones share one connection, which ends with the last one.
#[derive(Clone, Debug)]
pub struct Bus {
    pub(crate) client: Client,
    pub(crate) cluster: String,
    state: watch::Receiver<BusState>,
    seal: Option<Arc<dyn Seal>>,
}

impl Bus {
    pub async fn connect(options: BusOptions) -> Result<Self, BusError> {
        let (sender, state) = watch::channel(BusState::Away);
        let is_failing = AtomicBool::new(false);
        let mut nats = ConnectOptions::new()
            .name(options.name)
            .connection_timeout(CONNECT_TIMEOUT)
            .ping_interval(PING_INTERVAL)
            .subscription_capacity(SUBSCRIPTION_CAPACITY)
            .reconnect_delay_callback(|attempts| match attempts {
                0 | 1 => Duration::ZERO,
                _ => RECONNECT_PAUSE,
            })
            .event_callback(move |event| {
                note(&event, &sender, &is_failing);
                std::future::ready(())
            });
        if options.is_patient {
            nats = nats.retry_on_initial_connect();
        }
        if let Some(path) = &options.credentials {
            let shown = path.display();
            let text = tokio::fs::read_to_string(path).await.map_err(|error| {
                BusError::Options(format!(
                    "cannot read the NATS credentials file {shown}: {error}"
                ))
            })?;
            nats = nats.credentials(&text).map_err(|error| {
                BusError::Options(format!("{shown} is no NATS credentials file: {error}"))
            })?;
        }
        let servers = servers(&options.servers)?;
        // Much happens in there, and this future is a part of larger ones.
        let client = Box::pin(nats.connect(servers.as_slice()))
            .await
            .map_err(|error| BusError::Connect(error.to_string()))?;
        Ok(Self {
            client,
            cluster: options.cluster,
            state,
            seal: None,
        })
    }

    /// The same with the key of the cluster: what decides anything is sealed from now on, and believed only if it is.
    /// Without one all messages are seen as they travel.
    #[must_use]
    pub fn sealing_with(self, seal: Arc<dyn Seal>) -> Self {
        Self {
            seal: Some(seal),
            ..self
        }
    }

    /// Whether there is a connection now.
    pub fn state(&self) -> BusState {
        match self.client.connection_state() {
            State::Connected => BusState::Connected,
            _ => BusState::Away,
        }
    }

    /// For waiting until the connection comes or goes. It may lag a moment behind [`Bus::state`].
    pub fn watch(&self) -> watch::Receiver<BusState> {
        self.state.clone()
    }

    /// The version of the NATS server; empty before the first connection.
    pub fn server_version(&self) -> String {
        self.client.server_info().version
    }

    /// Says something to whoever listens. Nothing is kept for a connection that is away.
    pub async fn publish(&self, subject: Subject, body: &[u8]) -> Result<(), BusError> {
        let (name, payload, _) = self.prepare(subject, body)?;
        let published = self.client.publish(name, payload);
        match tokio::time::timeout(PUBLISH_PATIENCE, published).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(BusError::Refused(error.to_string())),
            Err(_) => Err(BusError::Away),
        }
    }

    /// Listens from now on, and again after every loss of the connection; what was said meanwhile is lost.
    pub async fn subscribe(&self, subject: Subject) -> Result<Subscription, BusError> {
        let name = subject.name(&self.cluster);
        let seal = self.seal_of(subject).cloned();
        let sealed = seal.map(|seal| SealedInbox::new(seal, name.clone()));
        let subscriber = self
            .client
            .subscribe(name)
            .await
            .map_err(|error| BusError::Refused(error.to_string()))?;
        Ok(Subscription {
            subscriber,
            most_bytes: subject.most_bytes(),
            sealed,
            is_warned: false,
        })
    }

    /// Asks, and waits for one answer.
    pub async fn request(
        &self,
        subject: Subject,
        body: &[u8],
        timeout: Duration,
    ) -> Result<BusMessage, BusError> {
        let (name, payload, id) = self.prepare(subject, body)?;
        // The client's own timeout begins when the request is sent, which a full queue delays.
        let request = Request::new().payload(payload).timeout(Some(timeout));
        let asking = self.client.send_request(name.clone(), request);
        let answer = match tokio::time::timeout(timeout, asking).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                return Err(match error.kind() {
                    RequestErrorKind::NoResponders => BusError::Nobody(name),
                    RequestErrorKind::TimedOut => BusError::Late(name),
                    _ => BusError::Refused(error.to_string()),
                });
            }
            Err(_) => return Err(BusError::Late(name)),
        };
        let read = BusMessage::parse(&answer.payload, subject.most_bytes(), None);
        let opened = read.and_then(|read| match (self.seal_of(subject), id) {
            (Some(seal), Some(id)) => {
                let body = seal.open(&seal::answer_name(&name, &id), &read.body)?;
                Some(BusMessage {
                    body: body.into(),
                    ..read
                })
            }
            _ => Some(read),
        });
        opened.ok_or(BusError::Foreign(name))
    }

    /// Answers a message that wants it; others are left alone.
    pub async fn answer(&self, message: &BusMessage, body: &[u8]) -> Result<(), BusError> {
        let Some(reply) = message.reply.clone() else {
            return Ok(());
        };
        let payload = match (&message.answer_name, &self.seal) {
            (None, _) => with_format(body),
            (Some(name), Some(seal)) => match seal.seal(name, body) {
                Some(sealed) => with_format(&sealed),
                None => return Err(BusError::Sealing(name.clone())),
            },
            (Some(name), None) => return Err(BusError::Sealing(name.clone())),
        };
        let sent = self.client.publish(reply, payload);
        match tokio::time::timeout(PUBLISH_PATIENCE, sent).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(BusError::Refused(error.to_string())),
            Err(_) => Err(BusError::Away),
        }
    }

    /// Whether streams can be kept in this NATS; the reason, if not.
    pub async fn check_jetstream(&self) -> Result<(), BusError> {
        let context = async_nats::jetstream::new(self.client.clone());
        match tokio::time::timeout(JETSTREAM_TIMEOUT, context.query_account()).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(BusError::Refused(error.to_string())),
            Err(_) => Err(BusError::Late("JetStream".into())),
        }
    }

    fn seal_of(&self, subject: Subject) -> Option<&Arc<dyn Seal>> {
        self.seal.as_ref().filter(|_| subject.is_sealed())
    }

    /// The subject's name, the message as it travels and what an answer to it must name if it is sealed, if there is a
    /// connection that takes it.
    fn prepare(
        &self,
        subject: Subject,
        body: &[u8],
    ) -> Result<(String, bytes::Bytes, Option<MessageId>), BusError> {
        if self.state() == BusState::Away {
            return Err(BusError::Away);
        }
        let name = subject.name(&self.cluster);
        let (body, id): (Cow<'_, [u8]>, Option<MessageId>) = match self.seal_of(subject) {
            Some(seal) => match seal::close(&**seal, &name, body) {
                Some((sealed, id)) => (Cow::Owned(sealed), Some(id)),
                None => return Err(BusError::Sealing(name)),
            },
            None => (Cow::Borrowed(body), None),
        };
        let most = subject
            .most_bytes()
            .min(self.client.server_info().max_payload);
        let bytes = body.len() + 1;
        if bytes > most {
            return Err(BusError::TooLarge {
                subject: name,
                bytes,
                most,
            });
        }
        Ok((name, with_format(&body), id))
    }
}

/// What is said on one subject.
#[derive(Debug)]
pub struct Subscription {
    subscriber: Subscriber,
    most_bytes: usize,
    /// `None` where nothing is sealed.
    sealed: Option<SealedInbox>,
    is_warned: bool,
}

impl Subscription {
    /// The next message of a format that this version reads, and of this cluster where messages are sealed; `None` once
    /// the connection is given up for good.
    pub async fn next(&mut self) -> Option<BusMessage> {
        loop {
            let message = self.subscriber.next().await?;
            let read = BusMessage::parse(&message.payload, self.most_bytes, message.reply);
            let Some(read) = read else { continue };
            let Some(inbox) = &mut self.sealed else {
                return Some(read);
            };
            if let Some((body, answer_name)) = inbox.open(&read.body) {
                return Some(BusMessage {
                    body,
                    answer_name: Some(answer_name),
                    ..read
                });
            }
            // Once: whoever sends one such message sends many.
            if !std::mem::replace(&mut self.is_warned, true) {
                tracing::warn!(
                    "a message was left out that no machine of this cluster has just sealed: was one of them cut off \
                     from NATS, is there another cluster of this name, or is a clock wrong?"
                );
            }
        }
    }
}

fn servers(list: &Secret) -> Result<Vec<ServerAddr>, BusError> {
    let mut servers = Vec::new();
    for address in list.expose().split(',') {
        // The address is not repeated: it may hold a password.
        let parsed = address.trim().parse::<ServerAddr>();
        servers.push(parsed.map_err(|_| {
            BusError::Options(
                "the address of NATS cannot be read: expected nats://HOST:PORT".into(),
            )
        })?);
    }
    Ok(servers)
}

/// Says each thing once, however often it is tried.
fn note(event: &Event, state: &watch::Sender<BusState>, is_failing: &AtomicBool) {
    match event {
        Event::Connected => {
            state.send_replace(BusState::Connected);
            is_failing.store(false, Ordering::Relaxed);
            tracing::info!("connected to NATS");
        }
        Event::Disconnected => {
            state.send_replace(BusState::Away);
            tracing::warn!("the connection to NATS is lost, connecting again");
        }
        Event::SlowConsumer(_) => {
            tracing::warn!(
                "messages of other machines were dropped: they came faster than they were read"
            );
        }
        Event::ClientError(error) if !is_failing.swap(true, Ordering::Relaxed) => {
            tracing::warn!(%error, "cannot connect to NATS, trying again");
        }
        other => tracing::debug!(event = %other, "NATS"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(servers: &str) -> BusOptions {
        BusOptions {
            cluster: "main".into(),
            servers: Secret::new(servers),
            credentials: None,
            name: "test".into(),
            is_patient: false,
        }
    }

    #[tokio::test]
    async fn an_address_that_cannot_be_read_is_not_repeated() {
        let refused = Bus::connect(options("nats://u:pass@[nowhere")).await;
        let text = refused.unwrap_err().to_string();
        assert!(text.contains("nats://HOST:PORT"), "{text}");
        assert!(!text.contains("pass"), "{text}");
    }

    #[tokio::test]
    async fn a_nats_that_is_away_is_named_to_tools_and_waited_for_by_servers() {
        // Port 9 is for discarding, and nobody listens there.
        let nowhere = "nats://127.0.0.1:9";
        let refused = Bus::connect(options(nowhere)).await;
        assert!(matches!(refused, Err(BusError::Connect(_))), "{refused:?}");
        let patient = BusOptions {
            is_patient: true,
            ..options(nowhere)
        };
        let bus = Bus::connect(patient).await.unwrap();
        assert_eq!(bus.state(), BusState::Away);
        let said = bus.publish(Subject::Beat, b"{}").await;
        assert!(matches!(said, Err(BusError::Away)), "{said:?}");
        let asked = bus.request(Subject::Beat, b"", CONNECT_TIMEOUT).await;
        assert!(matches!(asked, Err(BusError::Away)), "{asked:?}");
    }

    #[tokio::test]
    async fn a_credentials_file_that_is_none_is_named() {
        let missing = BusOptions {
            credentials: Some("/nowhere/at/all.creds".into()),
            ..options("nats://127.0.0.1:9")
        };
        let text = Bus::connect(missing).await.unwrap_err().to_string();
        assert!(text.contains("/nowhere/at/all.creds"), "{text}");
    }
}
