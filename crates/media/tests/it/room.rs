//! A whole stream without sockets: a publisher that sends clips in real time, and a checker of every playlist.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use media::hls::{Rendition, RenditionView, RungIndex, Snapshot};
use media::rtmp::{PublicationEnd, PublishHandler, PublishRequest, Sink};
use media::stream::{PublishGate, PublishGrant, Stream, StreamPublishHandler};
use media::transcoder::Encoder;
use media_formats::flv::{FileReader, TagKind, metadata};
use model::Sleep;
use model::settings::table::video::{CODEC, FFMPEG_PATH, OUTPUT_VARIANTS};
use model::settings::{ExternalSettings, VideoVariant};
use model::{Clock, Secret};
use serde_json::json;
use store::settings::Settings;
use store::{DatabaseUrl, Leases, Store};
use testkit::clips::clip;
use testkit::playlist::{Findings, Role, check_master};
use testkit::{LONG_DEADLINE, within};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::rig::{TOKEN, Watched};

/// How often a clock that jumps back does so.
const STEP_EVERY_MS: u32 = 2_300;

/// Real time.
#[derive(Debug)]
pub(crate) struct Passing(pub(crate) tokio::time::Instant);

impl Clock for Passing {
    fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.uptime()).unwrap();
        Timestamp::from_second(1_700_000_000).unwrap() + elapsed
    }

    fn uptime(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep_until(&self, deadline: Timestamp) -> Sleep<'_> {
        let rest = deadline.duration_since(self.now());
        let rest = Duration::try_from(rest).unwrap_or_default();
        Box::pin(tokio::time::sleep(rest))
    }
}

#[derive(Debug)]
pub(crate) struct Open;

impl PublishGate for Open {
    fn admit(&self, _: &Secret) -> Option<PublishGrant> {
        Some(PublishGrant {
            name: "test".into(),
            may_take_over: true,
            is_recorded: false,
        })
    }
}

pub(crate) struct Room {
    pub(crate) stream: Stream,
    settings: Settings,
    front: StreamPublishHandler,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
    work: JoinHandle<()>,
    judge: Arc<Mutex<Judge>>,
    judging: JoinHandle<()>,
    publisher: Option<(JoinHandle<Box<dyn Sink>>, CancellationToken)>,
    folder: tempfile::TempDir,
}

impl Room {
    /// With these qualities, and this script instead of ffmpeg, or the system's ffmpeg.
    pub(crate) async fn with(variants: &[VideoVariant], program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("test.db"));
        let store = Store::open(&url, &folder.path().join("secret.key"))
            .await
            .unwrap();
        let settings = Settings::load(store.clone(), &ExternalSettings::default())
            .await
            .unwrap();
        let program = match program {
            "" | "/nowhere/ffmpeg" => program.to_owned(),
            name => {
                let link = folder.path().join("ffmpeg");
                symlink(crate::stills::other(name), &link).unwrap();
                link.display().to_string()
            }
        };
        let now = Timestamp::UNIX_EPOCH;
        settings
            .set(&FFMPEG_PATH, json!(program), now)
            .await
            .unwrap();
        settings
            .set(&OUTPUT_VARIANTS, json!(variants), now)
            .await
            .unwrap();
        let clock: Arc<dyn Clock> = Arc::new(Passing(tokio::time::Instant::now()));
        let stop = CancellationToken::new();
        let opened = Stream::open(
            store,
            settings.clone(),
            Arc::clone(&clock),
            Leases::alone(),
            stop.clone(),
        );
        let (stream, work) = opened.await.unwrap();
        let verdict = Arc::new(Mutex::new(Judge::default()));
        let judging = tokio::spawn(judge(stream.clone(), Arc::clone(&verdict)));
        Self {
            front: StreamPublishHandler::new(stream.clone(), Arc::new(Open)),
            stream,
            settings,
            clock,
            stop,
            work: tokio::spawn(work),
            judge: verdict,
            judging,
            publisher: None,
            folder,
        }
    }

    /// The operator chooses an encoder, from the next publisher on.
    pub(crate) async fn encode_with(&self, encoder: Encoder) {
        let name = json!(encoder.name());
        let set = self.settings.set(&CODEC, name, Timestamp::UNIX_EPOCH);
        set.await.unwrap();
    }

    /// Sends a clip in a loop from now on.
    pub(crate) async fn publish(&mut self, name: &str) {
        self.publish_stepping(name, 0).await;
    }

    /// The same with a clock that jumps back every few seconds.
    pub(crate) async fn publish_with_steps_back(&mut self, name: &str) {
        self.publish_stepping(name, 400).await;
    }

    async fn publish_stepping(&mut self, name: &str, back_ms: u32) {
        let request = PublishRequest {
            key: Secret::new("key"),
            app: "live".into(),
            peer: SocketAddr::from(([127, 0, 0, 1], 1)),
            encoder: "test".into(),
            is_tls: false,
        };
        let sink = self.front.publish(request).await.unwrap();
        let stop = CancellationToken::new();
        let clock = Arc::clone(&self.clock);
        let work = tokio::spawn(send(name.to_owned(), back_ms, sink, clock, stop.clone()));
        self.publisher = Some((work, stop));
    }

    /// Ends the publication in this way.
    pub(crate) async fn leave(&mut self, how: PublicationEnd) {
        let (work, stop) = self.publisher.take().unwrap();
        stop.cancel();
        work.await.unwrap().end(how);
    }

    pub(crate) async fn until<T>(&self, what: &str, pick: impl Fn(&Snapshot) -> Option<T>) -> T {
        let live_snapshot = self.stream.live_snapshot();
        within(LONG_DEADLINE, what, async || pick(&*live_snapshot.now()?)).await
    }

    /// Waits until a rung has this many complete segments; returns its snapshot.
    pub(crate) async fn rung(&self, place: usize, segments: usize) -> (Arc<Snapshot>, u64) {
        let what = format!("rung {place} has {segments} segments");
        let live_snapshot = self.stream.live_snapshot();
        within(LONG_DEADLINE, &what, async || {
            let snapshot = live_snapshot.now()?;
            let view = snapshot.rungs.get(place)?.as_ref()?;
            let list = text(view);
            let token = token(&list);
            (list.matches("#EXTINF:").count() >= segments).then_some((Arc::clone(&snapshot), token))
        })
        .await
    }

    /// The process ids of the programs that were started, as far as they report them.
    pub(crate) fn programs(&self) -> Vec<u32> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter_map(|name| name.parse().ok()).collect()
    }

    /// Ends everything; fails if there were violations.
    pub(crate) async fn close(mut self) {
        if self.publisher.is_some() {
            self.leave(PublicationEnd::Unpublished).await;
        }
        self.until("the end is listed", |one| one.is_ended.then_some(()))
            .await;
        let status = || self.stream.transcoder_status();
        within(LONG_DEADLINE, "nothing is encoded any more", async || {
            status().is_none().then_some(())
        })
        .await;
        for id in self.programs() {
            let folder = PathBuf::from(format!("/proc/{id}"));
            within(LONG_DEADLINE, "its program is gone", async || {
                (!folder.try_exists().unwrap()).then_some(())
            })
            .await;
        }
        self.stop.cancel();
        self.work.await.unwrap();
        self.judging.abort();
        let judge = self.judge.lock().unwrap();
        assert!(judge.wrong.is_empty(), "{}", judge.wrong.join("\n"));
    }
}

async fn send(
    name: String,
    back_ms: u32,
    mut sink: Box<dyn Sink>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) -> Box<dyn Sink> {
    let tags: Vec<_> = FileReader::new(clip(&name))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    // As long as its pictures, so that the clip loops seamlessly.
    let pictures = tags.iter().filter(|tag| tag.kind == TagKind::Video);
    let length = pictures.map(|tag| tag.timestamp_ms).max().unwrap() + 33;
    let start = clock.now();
    for round in 0.. {
        for tag in &tags {
            let stamp = length * round + tag.timestamp_ms;
            let due = start + SignedDuration::from_millis(i64::from(stamp));
            tokio::select! {
                () = stop.cancelled() => return sink,
                () = clock.sleep_until(due) => {}
            }
            // Both clocks at once, in the middle of a group of pictures.
            let stamp = stamp - stamp / STEP_EVERY_MS * back_ms;
            match tag.kind {
                TagKind::Video => sink.video(stamp, tag.body.clone()).unwrap(),
                TagKind::Audio => sink.audio(stamp, tag.body.clone()).unwrap(),
                TagKind::Script => {
                    if let Some(metadata) = metadata(&tag.body) {
                        sink.metadata(metadata);
                    }
                }
                TagKind::Other(_) => {}
            }
        }
    }
    sink
}

pub(crate) fn text(view: &RenditionView) -> String {
    String::from_utf8(view.full.plain.to_vec()).unwrap()
}

pub(crate) fn master(snapshot: &Snapshot) -> String {
    String::from_utf8(snapshot.master.plain.to_vec()).unwrap()
}

/// The token in every name of a playlist.
pub(crate) fn token(list: &str) -> u64 {
    let name = list.split("URI=\"init-").nth(1).unwrap();
    u64::from_str_radix(&name[..16], 16).unwrap()
}

/// The number of a list's first segment.
pub(crate) fn first_msn(list: &str) -> u64 {
    let rest = list.split("#EXT-X-MEDIA-SEQUENCE:").nth(1).unwrap();
    rest.lines().next().unwrap().parse().unwrap()
}

/// A rendition for as long as its files keep their names.
struct Followed {
    watched: Watched,
    seen: Arc<RenditionView>,
    token: u64,
    /// The other renditions in the multivariant playlist.
    beside: Vec<String>,
}

/// Checks every playlist of every rendition, however they appear and disappear.
#[derive(Default)]
pub(crate) struct Judge {
    followed: BTreeMap<&'static str, Followed>,
    at: Duration,
    /// Pictures have a constant rate, so those of a rung last as long as their part is listed.
    pub(crate) is_steady: bool,
    /// The first few violations.
    pub(crate) wrong: Vec<String>,
}

impl Judge {
    pub(crate) fn look(&mut self, now: &Snapshot) {
        self.at += Duration::from_millis(1);
        let mut found = Findings::default();
        let list = check_master(&master(now), &mut found);
        let renditions = list.renditions.iter();
        let listed: Vec<String> = renditions
            .map(|one| format!("http://s/hls/{}", one.uri))
            .collect();
        let rungs = RungIndex::all().map(Rendition::Rung);
        let others = [Rendition::Main, Rendition::Audio, Rendition::Aac];
        for rendition in others.into_iter().chain(rungs) {
            // Sound without a picture has two addresses and is checked at one.
            let is_twice = rendition == Rendition::Audio && now.picture().is_none();
            match now.view(rendition).filter(|_| !is_twice) {
                Some(view) => self.look_at(rendition, view, &listed),
                None => drop(self.followed.remove(rendition.folder())),
            }
        }
        self.add("master", &found);
    }

    fn look_at(&mut self, rendition: Rendition, view: &Arc<RenditionView>, listed: &[String]) {
        let folder = rendition.folder();
        let list = text(view);
        let (token, url) = (
            token(&list),
            format!("http://s/hls/{folder}/{}", rendition.playlist()),
        );
        let others = listed.iter().filter(|other| **other != url);
        let beside: Vec<String> = others.cloned().collect();
        let before = self.followed.remove(folder);
        let mut watched = match before.filter(|known| known.token == token) {
            Some(known) if Arc::ptr_eq(&known.seen, view) && known.beside == beside => {
                self.followed.insert(folder, known);
                return;
            }
            Some(known) => known.watched,
            None => {
                let role = match rendition {
                    Rendition::Audio | Rendition::Aac => Role::Audio,
                    Rendition::Main if token == !TOKEN => Role::Audio,
                    Rendition::Main | Rendition::Rung(_) => Role::Video,
                };
                let mut watched = Watched::of(role, &url, token, first_msn(&list));
                watched.is_steady = self.is_steady && matches!(rendition, Rendition::Rung(_));
                watched
            }
        };
        let others: Vec<&str> = beside.iter().map(String::as_str).collect();
        watched.checker = watched.checker.beside(&others);
        watched.look(view, self.at);
        self.add(folder, watched.checker.findings());
        self.add(folder, &watched.findings);
        let seen = Arc::clone(view);
        let followed = Followed {
            watched,
            seen,
            token,
            beside,
        };
        self.followed.insert(folder, followed);
    }

    fn add(&mut self, folder: &str, found: &Findings) {
        for one in found.violations() {
            let one = format!("{folder}: {one:?}");
            if self.wrong.len() < 8 && !self.wrong.contains(&one) {
                self.wrong.push(one);
            }
        }
    }
}

/// Checks every snapshot, as far as it is fast enough.
async fn judge(stream: Stream, judge: Arc<Mutex<Judge>>) {
    let mut seen: Option<Arc<Snapshot>> = None;
    loop {
        let is_new = |now: &Arc<Snapshot>| !seen.as_ref().is_some_and(|old| Arc::ptr_eq(old, now));
        let next = stream.live_snapshot().until(LONG_DEADLINE, |now| {
            now.filter(|now| is_new(now)).map(Arc::clone)
        });
        if let Some(now) = next.await {
            judge.lock().unwrap().look(&now);
            seen = Some(now);
        }
    }
}
