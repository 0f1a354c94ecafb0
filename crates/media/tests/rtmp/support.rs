//! A server whose publish handler accepts one key and whose sink records what it gets.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use media::rtmp::{
    MediaRejection, PublicationEnd, PublishHandler, PublishRefusal, PublishRequest, RefusalCode,
    Sink, TlsUpgrade, serve,
};
use media_formats::flv::Metadata;
use testkit::{ManualClock, eventually};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const KEY: &str = "right-key";

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    Metadata(Metadata),
    Video(u32, Bytes),
    Audio(u32, Bytes),
    End(PublicationEnd),
}

/// Behaviour that a test can change.
#[derive(Clone, Debug)]
pub(crate) struct Manners {
    pub(crate) refusal_delay: Duration,
    pub(crate) idle_limit: Duration,
    /// Video bodies that begin with this byte are rejected.
    pub(crate) rejected: Option<u8>,
}

impl Default for Manners {
    fn default() -> Self {
        Self {
            refusal_delay: Duration::ZERO,
            idle_limit: Duration::from_secs(30),
            rejected: None,
        }
    }
}

#[derive(Debug)]
struct TestPublishHandler {
    manners: Manners,
    requests: Mutex<Vec<PublishRequest>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    revoked: CancellationToken,
}

impl PublishHandler for TestPublishHandler {
    fn publish(
        &self,
        request: PublishRequest,
    ) -> BoxFuture<'_, Result<Box<dyn Sink>, PublishRefusal>> {
        let is_right = request.key.expose() == KEY;
        self.requests.lock().unwrap().push(request);
        let answer = if is_right {
            Ok(Box::new(TestSink {
                manners: self.manners.clone(),
                seen: Arc::clone(&self.seen),
                revoked: self.revoked.clone(),
            }) as Box<dyn Sink>)
        } else {
            Err(PublishRefusal {
                code: RefusalCode::BadKey,
                reason: "The stream key is not known here.".to_owned(),
                delay: self.manners.refusal_delay,
            })
        };
        Box::pin(async { answer })
    }
}

struct TestSink {
    manners: Manners,
    seen: Arc<Mutex<Vec<Seen>>>,
    revoked: CancellationToken,
}

impl TestSink {
    fn note(&self, seen: Seen) {
        self.seen.lock().unwrap().push(seen);
    }
}

impl Sink for TestSink {
    fn metadata(&mut self, metadata: Metadata) {
        self.note(Seen::Metadata(metadata));
    }

    fn video(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), MediaRejection> {
        if self.manners.rejected.is_some() && body.first().copied() == self.manners.rejected {
            let reason = "This codec is not taken.".to_owned();
            return Err(MediaRejection { reason });
        }
        self.note(Seen::Video(timestamp_ms, body));
        Ok(())
    }

    fn audio(&mut self, timestamp_ms: u32, body: Bytes) -> Result<(), MediaRejection> {
        self.note(Seen::Audio(timestamp_ms, body));
        Ok(())
    }

    fn revoked(&self) -> CancellationToken {
        self.revoked.clone()
    }

    fn idle_limit(&self) -> Duration {
        self.manners.idle_limit
    }

    fn end(self: Box<Self>, how: PublicationEnd) {
        self.note(Seen::End(how));
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) clock: ManualClock,
    publish_handler: Arc<TestPublishHandler>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

pub(crate) async fn server() -> Server {
    server_with(Manners::default(), None).await
}

pub(crate) async fn server_with(manners: Manners, upgrade: Option<TlsUpgrade>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let clock = ManualClock::default();
    let publish_handler = Arc::new(TestPublishHandler {
        manners,
        requests: Mutex::default(),
        seen: Arc::default(),
        revoked: CancellationToken::new(),
    });
    let stop = CancellationToken::new();
    let serving = serve(
        listener,
        upgrade,
        Arc::clone(&publish_handler) as Arc<dyn PublishHandler>,
        Arc::new(clock.clone()),
        stop.clone(),
    );
    Server {
        address,
        clock,
        publish_handler,
        stop,
        task: tokio::spawn(serving),
    }
}

impl Server {
    pub(crate) fn requests(&self) -> Vec<PublishRequest> {
        self.publish_handler.requests.lock().unwrap().clone()
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.publish_handler.seen.lock().unwrap().clone()
    }

    pub(crate) fn revoke(&self) {
        self.publish_handler.revoked.cancel();
    }

    /// Waits for `wanted` events.
    pub(crate) async fn wait_for(&self, wanted: usize) -> Vec<Seen> {
        eventually("the sink sees more", || async {
            let seen = self.seen();
            (seen.len() >= wanted).then_some(seen)
        })
        .await
    }

    /// Waits for the end of a publication.
    pub(crate) async fn wait_for_end(&self) -> PublicationEnd {
        eventually("the publication ends", || async {
            self.seen().iter().find_map(|seen| match seen {
                Seen::End(end) => Some(end.clone()),
                _ => None,
            })
        })
        .await
    }

    /// Stops the server and waits until its last connection is over.
    pub(crate) async fn stop(self) -> Vec<Seen> {
        self.stop.cancel();
        self.task.await.unwrap();
        self.publish_handler.seen.lock().unwrap().clone()
    }
}
