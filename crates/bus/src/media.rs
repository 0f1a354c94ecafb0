//! The way of the stream's files and states to the other machines: a JetStream stream in memory, which keeps the last
//! minutes for machines that begin late.
//!
//! Whatever is published here is a block of bytes: it is cut into messages that NATS takes, and put together again. The
//! one who publishes never waits: while NATS is slow or away, the oldest blocks are dropped, and [`MediaQueue::losses`]
//! tells when what was published is gone.

mod outbox;
mod pieces;

use std::sync::Arc;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::push::OrderedConfig;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use tokio::sync::watch;

use crate::connection::{Bus, BusState};
use crate::error::BusError;
use outbox::Outbox;
pub use outbox::{MediaLosses, MediaQueue};
use pieces::{Assembler, pieces};

/// NATS answers at once, or is away.
const TIMEOUT: Duration = Duration::from_secs(2);
/// After NATS has refused something.
const PAUSE: Duration = Duration::from_millis(500);
/// Whoever publishes is heard more often than this; a reader that hears nothing for longer begins anew.
const SILENCE: Duration = Duration::from_secs(3);
/// The same before anything was heard: perhaps nobody publishes.
const FIRST_SILENCE: Duration = Duration::from_secs(15);
/// Bytes of a message, as far as the server takes such.
const MAX_MESSAGE_BYTES: usize = 512 * 1024;
/// What a server may need of its largest message for itself.
const SPARE_BYTES: usize = 4096;
/// No server takes less.
const MIN_MESSAGE_BYTES: usize = 4096;

/// Payloads, each with its place in the stream; `None` is an error.
type Messages = BoxStream<'static, Option<(u64, Bytes)>>;

/// How much is kept for those that begin late.
#[derive(Clone, Copy, Debug)]
pub struct MediaLimits {
    pub max_age: Duration,
    /// In the memory of the NATS server.
    pub max_bytes: u64,
}

impl Default for MediaLimits {
    fn default() -> Self {
        Self {
            max_age: Duration::from_secs(120),
            max_bytes: 512 * 1024 * 1024,
        }
    }
}

/// The stream of one cluster.
#[derive(Clone, Debug)]
pub struct MediaStream {
    client: Client,
    context: Context,
    /// Of the stream.
    name: String,
    subject: String,
    limits: MediaLimits,
    state: watch::Receiver<BusState>,
}

impl Bus {
    /// The stream of media. It has much to carry, so use a connection of its own.
    pub fn media(&self, limits: MediaLimits) -> MediaStream {
        let mut context = jetstream::new(self.client.clone());
        context.set_timeout(TIMEOUT);
        MediaStream {
            client: self.client.clone(),
            context,
            name: format!("RC_{}_MEDIA", self.cluster.to_uppercase()),
            subject: format!("rc.{}.media", self.cluster),
            limits,
            state: self.watch(),
        }
    }
}

impl MediaStream {
    /// A queue, and the work that publishes what is put there, which never ends by itself. `sender` tells those who
    /// publish apart.
    pub fn publisher(self, sender: u64) -> (MediaQueue, impl Future<Output = ()> + Send) {
        let outbox = Arc::new(Outbox::default());
        let queue = MediaQueue(Arc::clone(&outbox));
        let publisher = MediaPublisher {
            stream: self,
            outbox,
            sender,
            blocks: 0,
            last_sequence: 0,
        };
        (queue, publisher.run())
    }

    /// Reads everything that is kept, and what comes then.
    pub fn reader(self) -> MediaReader {
        MediaReader {
            stream: self,
            messages: None,
            place: None,
            made_at: String::new(),
            kept_up_to: 0,
            has_heard: false,
            assembler: Assembler::default(),
        }
    }

    /// The stream in NATS, made if it is not there: in memory, it goes with its server.
    async fn ensure(&self) -> Result<Stream, BusError> {
        let config = Config {
            name: self.name.clone(),
            subjects: vec![self.subject.clone()],
            storage: StorageType::Memory,
            discard: DiscardPolicy::Old,
            max_age: self.limits.max_age,
            max_bytes: i64::try_from(self.limits.max_bytes).unwrap_or(i64::MAX),
            num_replicas: 1,
            allow_direct: true,
            ..Default::default()
        };
        let ensured = Box::pin(self.context.get_or_create_stream(config));
        ensured.await.map_err(refused)
    }

    /// What is kept behind this place, if the stream is the one that had it, and what comes then; and the end of what is kept.
    async fn messages(
        &self,
        behind: Option<&ReadPlace>,
    ) -> Result<(ReadPlace, Messages), BusError> {
        let stream = self.ensure().await?;
        let known = stream.cached_info();
        let end = ReadPlace {
            // Only compared, so any text will do.
            made_at: format!("{:?}", known.created),
            sequence: known.state.last_sequence,
        };
        let behind = behind.filter(|behind| behind.made_at == end.made_at);
        let config = OrderedConfig {
            deliver_subject: self.client.new_inbox(),
            deliver_policy: match behind {
                Some(behind) => DeliverPolicy::ByStartSequence {
                    start_sequence: behind.sequence + 1,
                },
                None => DeliverPolicy::All,
            },
            ..Default::default()
        };
        let consumer = stream.create_consumer(config).await.map_err(refused)?;
        let messages = consumer.messages().await.map_err(refused)?;
        let payloads = messages.map(|message| {
            let message = message.ok()?;
            let place = message.info().map_or(0, |info| info.stream_sequence);
            Some((place, message.payload.clone()))
        });
        Ok((end, payloads.boxed()))
    }

    async fn connected(&mut self) {
        // An error means that the connection is given up for good, with the process.
        let connected = self.state.wait_for(|state| *state == BusState::Connected);
        if connected.await.is_err() {
            std::future::pending().await
        }
    }

    /// Completes when the connection is there again after it was lost.
    async fn connected_again(&mut self) {
        let away = self.state.wait_for(|state| *state == BusState::Away);
        if away.await.is_err() {
            std::future::pending().await
        }
        self.connected().await;
    }

    fn message_bytes(&self) -> usize {
        let taken = self.client.server_info().max_payload;
        MAX_MESSAGE_BYTES
            .min(taken.saturating_sub(SPARE_BYTES))
            .max(MIN_MESSAGE_BYTES)
    }
}

fn refused(error: impl std::fmt::Display) -> BusError {
    BusError::Refused(error.to_string())
}

#[derive(Debug)]
struct MediaPublisher {
    stream: MediaStream,
    outbox: Arc<Outbox>,
    sender: u64,
    /// How many were sent.
    blocks: u64,
    /// The place of the newest message in the stream.
    last_sequence: u64,
}

impl MediaPublisher {
    async fn run(mut self) {
        loop {
            self.stream.connected().await;
            if let Err(error) = self.stream.ensure().await {
                tracing::warn!(%error, "NATS does not keep the stream for the other machines, trying again");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            let error = self.send_until_it_fails().await;
            tracing::warn!(%error, "NATS did not take a part of the stream");
            self.outbox.note_loss();
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn send_until_it_fails(&mut self) -> BusError {
        loop {
            let blocks = self.outbox.take().await;
            match self.send(&blocks).await {
                Ok(true) => {}
                // Another stream of the same name: what was sent before is gone.
                Ok(false) => self.outbox.note_loss(),
                Err(error) => return error,
            }
        }
    }

    /// False if the stream is another one than before.
    async fn send(&mut self, blocks: &[Bytes]) -> Result<bool, BusError> {
        let most = self.stream.message_bytes();
        let mut sent = Vec::new();
        for block in blocks {
            self.blocks += 1;
            for message in pieces(self.sender, self.blocks, block, most) {
                let subject = self.stream.subject.clone();
                let publishing = self.stream.context.publish(subject, message);
                sent.push(publishing.await.map_err(refused)?);
            }
        }
        let mut goes_on = true;
        for acknowledgment in sent {
            let place = acknowledgment.await.map_err(refused)?.sequence;
            goes_on &= place > self.last_sequence;
            self.last_sequence = place;
        }
        Ok(goes_on)
    }
}

/// How far a stream was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReadPlace {
    /// Says which stream of that name it is.
    made_at: String,
    sequence: u64,
}

/// Reads the stream of media. What is kept is read again after every loss of the connection.
pub struct MediaReader {
    stream: MediaStream,
    messages: Option<Messages>,
    /// Of the newest message; `None` to read all that is kept.
    place: Option<ReadPlace>,
    /// When the stream that is read was made.
    made_at: String,
    /// The place of the newest message that was kept when the reader began.
    kept_up_to: u64,
    /// Since it began anew.
    has_heard: bool,
    assembler: Assembler,
}

impl std::fmt::Debug for MediaReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MediaReader { stream, .. } = self;
        f.debug_struct("MediaReader")
            .field("stream", stream)
            .finish_non_exhaustive()
    }
}

impl MediaReader {
    /// The next block. Nothing is lost if this is given up and asked for again, but whoever does so each second never learns
    /// that there is nothing to hear.
    pub async fn next(&mut self) -> Bytes {
        loop {
            let Some(messages) = &mut self.messages else {
                self.begin().await;
                continue;
            };
            let patience = if self.has_heard {
                SILENCE
            } else {
                FIRST_SILENCE
            };
            let heard = tokio::select! {
                heard = tokio::time::timeout(patience, messages.next()) => heard,
                () = self.stream.connected_again() => {
                    self.begin_anew();
                    continue;
                }
            };
            match heard {
                Ok(Some(Some((sequence, payload)))) => {
                    match &mut self.place {
                        Some(place) => place.sequence = sequence,
                        None => {
                            let made_at = self.made_at.clone();
                            self.place = Some(ReadPlace { made_at, sequence });
                        }
                    }
                    self.has_heard = true;
                    if let Some(block) = self.assembler.push(&payload) {
                        return block;
                    }
                }
                Ok(Some(None) | None) => {
                    self.begin_anew();
                    tokio::time::sleep(PAUSE).await;
                }
                // Something may have been lost on the way, or there is nothing to hear.
                Err(_) => self.messages = None,
            }
        }
    }

    /// Whether what was read last is not the newest: more was kept when this began.
    pub fn is_behind(&self) -> bool {
        let place = self.place.as_ref();
        place.is_some_and(|place| place.sequence < self.kept_up_to)
    }

    /// Reads nothing more until the next block is asked for; then goes on where it was.
    pub fn pause(&mut self) {
        self.messages = None;
    }

    /// What is kept may be that of another stream.
    fn begin_anew(&mut self) {
        self.messages = None;
        self.place = None;
        self.assembler = Assembler::default();
    }

    async fn begin(&mut self) {
        self.stream.connected().await;
        self.has_heard = false;
        let begun = Box::pin(self.stream.messages(self.place.as_ref())).await;
        match begun {
            Ok((end, messages)) => {
                if self.made_at != end.made_at {
                    self.begin_anew();
                }
                self.made_at = end.made_at;
                self.kept_up_to = end.sequence;
                self.messages = Some(messages);
            }
            Err(error) => {
                tracing::warn!(%error, "cannot hear the stream of another machine, trying again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
