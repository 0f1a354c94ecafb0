//! One stream and several servers on one database, without sockets.

use std::net::SocketAddr;
use std::sync::Arc;

use jiff::Timestamp;
use media::hls::{OnAir, Rendition, ReplicaView, Snapshot};
use media::rtmp::{PublicationEnd, PublishHandler, PublishRefusal, PublishRequest, Sink};
use media::stream::{Stream, StreamPublishHandler};
use media_formats::flv::{FileReader, TagKind};
use model::settings::ExternalSettings;
use model::{Clock, Secret, StreamState};
use store::settings::Settings;
use store::{DatabaseUrl, LeaseName, Leases, Store};
use testkit::clips::clip;
use testkit::eventually;
use tokio_util::sync::CancellationToken;

use crate::room::{Open, Passing, first_msn, text, token};

async fn database(folder: &tempfile::TempDir) -> Store {
    let url = DatabaseUrl::Sqlite(folder.path().join("test.db"));
    let key = folder.path().join("secret.key");
    Store::open(&url, &key).await.unwrap()
}

struct Server {
    stream: Stream,
    front: StreamPublishHandler,
}

impl Server {
    async fn join(store: &Store, name: &str) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(Passing(tokio::time::Instant::now()));
        let stop = CancellationToken::new();
        let holder = name.to_owned();
        let (leases, keeping) =
            Leases::keep(store.clone(), Arc::clone(&clock), holder, stop.clone());
        tokio::spawn(keeping);
        let external = ExternalSettings::default();
        let settings = Settings::load(store.clone(), &external).await.unwrap();
        let opened = Stream::open(store.clone(), settings, clock, leases, stop);
        let (stream, work) = opened.await.unwrap();
        tokio::spawn(work);
        let front = StreamPublishHandler::new(stream.clone(), Arc::new(Open));
        Self { stream, front }
    }

    async fn ask(&self) -> Result<Box<dyn Sink>, PublishRefusal> {
        let request = PublishRequest {
            key: Secret::new("key"),
            app: "live".into(),
            peer: SocketAddr::from(([127, 0, 0, 1], 1)),
            encoder: "test".into(),
            is_tls: false,
        };
        self.front.publish(request).await
    }

    /// Publishes a whole clip at once.
    async fn broadcast(&self) -> Box<dyn Sink> {
        let Ok(mut sink) = self.ask().await else {
            panic!("the broadcaster was refused");
        };
        for tag in FileReader::new(clip("plain")).unwrap() {
            let tag = tag.unwrap();
            match tag.kind {
                TagKind::Video => sink.video(tag.timestamp_ms, tag.body).unwrap(),
                TagKind::Audio => sink.audio(tag.timestamp_ms, tag.body).unwrap(),
                TagKind::Script | TagKind::Other(_) => {}
            }
        }
        self.state(StreamState::Live).await;
        sink
    }

    async fn state(&self, wanted: StreamState) {
        let status = self.stream.status();
        eventually("another state", async || {
            (status.borrow().state == wanted).then_some(())
        })
        .await;
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.stream.live_snapshot().now().unwrap()
    }
}

fn list(snapshot: &Snapshot) -> String {
    text(snapshot.view(Rendition::Main).unwrap())
}

/// The history is written beside the stream.
async fn begun(store: &Store) -> String {
    eventually("the broadcast is in the history", async || {
        let unfinished = store.unfinished_streams().await.unwrap();
        unfinished.into_iter().next().map(|stream| stream.id)
    })
    .await
}

fn cut() -> PublicationEnd {
    PublicationEnd::Dropped("the connection was cut".into())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_broadcaster_is_refused_by_another_server_with_the_same_words() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(&folder).await;
    let (one, two) = (
        Server::join(&store, "one").await,
        Server::join(&store, "two").await,
    );
    let sink = one.broadcast().await;
    let refusal = two.ask().await.err().unwrap();
    assert_eq!(
        refusal.reason,
        "Somebody is already broadcasting to this server."
    );
    one.state(StreamState::Live).await;
    sink.end(PublicationEnd::Unpublished);
    one.state(StreamState::Offline).await;
    let sink = two.broadcast().await;
    sink.end(PublicationEnd::Unpublished);
    two.state(StreamState::Offline).await;
    eventually("both are in the history", async || {
        let streams = store.recent_streams(9).await.unwrap();
        (streams.len() == 2).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broadcaster_that_comes_back_to_its_server_goes_on_without_a_break() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(&folder).await;
    let one = Server::join(&store, "one").await;
    one.broadcast().await.end(cut());
    let id = begun(&store).await;
    one.state(StreamState::Waiting).await;
    let before = list(&one.snapshot());
    let sink = one.broadcast().await;
    assert_eq!(begun(&store).await, id);
    let after = list(&one.snapshot());
    assert_eq!(token(&after), token(&before));
    assert!(!after.contains("#EXT-X-DISCONTINUITY\n"), "{after}");
    sink.end(PublicationEnd::Unpublished);
    one.state(StreamState::Offline).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broadcaster_that_comes_back_to_another_server_goes_on_after_a_discontinuity() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(&folder).await;
    let (one, two) = (
        Server::join(&store, "one").await,
        Server::join(&store, "two").await,
    );
    one.broadcast().await.end(cut());
    let id = begun(&store).await;
    one.state(StreamState::Waiting).await;
    let stood = one.snapshot().resume_point().unwrap();
    let before = list(&one.snapshot());
    let sink = two.broadcast().await;
    assert_eq!(begun(&store).await, id);
    let after = eventually("the other server lists it", async || {
        two.stream
            .live_snapshot()
            .now()
            .map(|snapshot| list(&snapshot))
    })
    .await;
    assert!(first_msn(&after) >= stood.first_msn(), "{after}");
    assert_ne!(token(&after), token(&before));
    assert_eq!(
        after.matches("#EXT-X-DISCONTINUITY\n").count(),
        1,
        "{after}"
    );
    // The first one waits no longer, and tells nobody that it is over.
    eventually("it is the other server's", async || {
        one.stream.is_mirrored().then_some(())
    })
    .await;
    one.state(StreamState::Waiting).await;
    assert!(!one.snapshot().is_ended);
    assert_eq!(begun(&store).await, id);
    sink.end(PublicationEnd::Unpublished);
    two.state(StreamState::Offline).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_shows_a_broadcast_and_then_goes_on_with_it_is_never_offline_between() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(&folder).await;
    let (one, two) = (
        Server::join(&store, "one").await,
        Server::join(&store, "two").await,
    );
    one.broadcast().await.end(cut());
    let id = begun(&store).await;
    one.state(StreamState::Waiting).await;
    let shown = one.snapshot();
    let on_air = OnAir {
        id: id.clone(),
        started_at: Timestamp::UNIX_EPOCH,
        peak_viewers: 0,
        level: 2,
        is_waiting: true,
    };
    let mirror = two.stream.mirror().unwrap();
    mirror.show(ReplicaView {
        epoch: 1,
        snapshot: Some(Arc::clone(&shown)),
        on_air: Some(on_air),
    });
    assert!(two.stream.is_mirrored());
    assert!(two.stream.status().borrow().is_online);
    let sink = two.broadcast().await;
    assert!(!two.stream.is_mirrored());
    assert_eq!(begun(&store).await, id);
    let after = eventually("its own list", async || {
        let snapshot = two.snapshot();
        (snapshot.token != shown.token).then(|| list(&snapshot))
    })
    .await;
    let stood = shown.resume_point().unwrap();
    assert!(first_msn(&after) >= stood.first_msn(), "{after}");
    let status = two.stream.status().borrow().clone();
    assert_eq!(status.last_disconnect, None);
    // What comes late of others does not replace it.
    mirror.show(ReplicaView {
        epoch: 1,
        snapshot: Some(shown),
        on_air: None,
    });
    assert_eq!(two.stream.status().borrow().state, StreamState::Live);
    assert_eq!(token(&list(&two.snapshot())), token(&after));
    sink.end(PublicationEnd::Unpublished);
    two.state(StreamState::Offline).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_lost_the_stream_drops_its_broadcaster_and_does_not_end_the_broadcast() {
    let folder = tempfile::tempdir().unwrap();
    let store = database(&folder).await;
    let one = Server::join(&store, "one").await;
    let sink = one.broadcast().await;
    let id = begun(&store).await;
    loop {
        let rows = store.leases().await.unwrap();
        let mut rows = rows.into_iter();
        let seen = rows.find(|(name, _)| *name == LeaseName::Ingest);
        let seen = seen.map(|(_, row)| row);
        // The holder may renew between the look and the step.
        let taken = store.take_lease(LeaseName::Ingest, seen, "two".into());
        if taken.await.unwrap().is_some() {
            break;
        }
    }
    sink.revoked().cancelled().await;
    sink.end(PublicationEnd::Revoked);
    eventually("it is the other server's", async || {
        one.stream.is_mirrored().then_some(())
    })
    .await;
    let status = one.stream.status().borrow().clone();
    assert_eq!(status.state, StreamState::Waiting);
    assert_eq!(status.last_disconnect, None, "nothing has ended");
    assert!(!one.snapshot().is_ended, "it goes on elsewhere");
    assert_eq!(begun(&store).await, id);
}
