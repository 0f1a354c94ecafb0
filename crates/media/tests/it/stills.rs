//! Pictures of the stream: drawn by a real ffmpeg while it is live, and dropped if ffmpeg fails.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use media::ingest::Ingest;
use media::thumbnails::{ThumbnailDeps, ThumbnailIntervals, ThumbnailKind, Thumbnails};
use model::StreamStatus;
use model::settings::ExternalSettings;
use model::settings::table::video::FFMPEG_PATH;
use serde_json::json;
use store::settings::Settings;
use store::{DatabaseUrl, Store};
use testkit::picture::{DecodedPicture, decode};
use testkit::{DEADLINE, LONG_DEADLINE, eventually, within};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::clips::send;
use crate::rig::Rig;

const BOTH: [ThumbnailKind; 2] = [ThumbnailKind::Thumbnail, ThumbnailKind::Preview];

/// No pause between pictures, and the longest time limit a test can afford.
const PACE: ThumbnailIntervals = ThumbnailIntervals {
    thumbnail_every: Duration::from_millis(10),
    preview_every: Duration::from_millis(10),
    limit: DEADLINE,
};

/// A stream and its thumbnailer.
struct Studio {
    rig: Rig,
    ingest: Ingest,
    sent: u32,
    status: watch::Sender<StreamStatus>,
    settings: Settings,
    stills: Thumbnails,
    stop: CancellationToken,
    work: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl Studio {
    /// With the ffmpeg at this path, or the system's.
    async fn with(program: &str, intervals: ThumbnailIntervals) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("test.db"));
        let key = folder.path().join("secret.key");
        let store = Store::open(&url, &key).await.unwrap();
        let settings = Settings::load(store, &ExternalSettings::default())
            .await
            .unwrap();
        let rig = Rig::new(2);
        let (status, shown) = watch::channel(StreamStatus::default());
        let stop = CancellationToken::new();
        let deps = ThumbnailDeps {
            live_snapshot: rig.live_snapshot.clone(),
            status: shown,
            settings: settings.clone(),
            intervals,
        };
        let (stills, work) = Thumbnails::open(deps, stop.clone());
        let studio = Self {
            rig,
            ingest: Ingest::default(),
            sent: 0,
            status,
            settings,
            stills,
            stop,
            work: tokio::spawn(work),
            _folder: folder,
        };
        studio.use_program(program).await;
        studio
    }

    async fn use_program(&self, path: &str) {
        let set = self
            .settings
            .set(&FFMPEG_PATH, json!(path), Timestamp::UNIX_EPOCH);
        set.await.unwrap();
    }

    fn send(&mut self, clip: &str) {
        self.sent = send(&mut self.rig, &mut self.ingest, clip, self.sent);
    }

    /// Starts the broadcast with this number.
    fn go_live(&self, number: i64) {
        self.status.send_modify(|status| {
            status.is_online = true;
            status.last_connect = Some(Timestamp::from_second(number).unwrap());
        });
    }

    fn go_offline(&self) {
        self.status.send_modify(|status| status.is_online = false);
    }

    async fn picture(&self, kind: ThumbnailKind) -> DecodedPicture {
        let still = within(LONG_DEADLINE, "a picture is drawn", async || {
            self.stills.newest(kind)
        })
        .await;
        decode(&still.bytes)
    }

    /// Waits until all pictures are gone.
    async fn forgotten(&self) {
        eventually("pictures are forgotten", async || {
            let left = BOTH.iter().any(|kind| self.stills.newest(*kind).is_some());
            (!left).then_some(())
        })
        .await;
    }

    async fn failed(&self, times: u32) {
        eventually("drawing has failed", async || {
            (self.stills.failures(ThumbnailKind::Thumbnail) >= times).then_some(())
        })
        .await;
    }

    async fn close(self) {
        self.stop.cancel();
        self.work.await.unwrap();
    }
}

/// A program that fails, or inspects its environment first.
pub(crate) fn other(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/ffmpegs");
    folder.join(name).display().to_string()
}

fn picture(codec: &str, width: u64, height: u64, frames: usize) -> DecodedPicture {
    DecodedPicture {
        codec: codec.into(),
        width,
        height,
        frames,
    }
}

#[tokio::test]
async fn a_still_and_a_moving_picture_are_drawn_while_live_and_gone_afterwards() {
    let mut studio = Studio::with("", PACE).await;
    studio.send("1080p");
    studio.go_live(1);
    let (still, moving) = (
        studio.picture(ThumbnailKind::Thumbnail).await,
        studio.picture(ThumbnailKind::Preview).await,
    );
    assert_eq!(still, picture("mjpeg", 1280, 720, 1));
    assert_eq!((moving.width, moving.height), (320, 180));
    assert_eq!(moving.codec, "gif");
    assert!((2..=8).contains(&moving.frames), "{moving:?}");
    studio.go_offline();
    studio.forgotten().await;
    studio.close().await;
}

#[tokio::test]
async fn a_newer_picture_takes_the_place_of_the_one_before_also_in_another_size() {
    let mut studio = Studio::with("", PACE).await;
    studio.send("plain");
    studio.go_live(1);
    assert_eq!(studio.picture(ThumbnailKind::Thumbnail).await.width, 320);
    studio.send("360p");
    let newer = within(LONG_DEADLINE, "another picture", async || {
        let newest = studio.picture(ThumbnailKind::Thumbnail).await;
        (newest.width != 320).then_some(newest)
    })
    .await;
    assert_eq!(newer, picture("mjpeg", 640, 360, 1));
    studio.close().await;
}

#[tokio::test]
async fn the_next_broadcast_does_not_begin_with_a_picture_of_the_last_one() {
    let mut studio = Studio::with("", PACE).await;
    studio.send("plain");
    studio.go_live(1);
    studio.picture(ThumbnailKind::Thumbnail).await;
    // Nothing can be drawn from it, and the previous broadcast's end was too short to be seen.
    studio.use_program(&other("gives-up")).await;
    studio.go_live(2);
    studio.forgotten().await;
    studio.close().await;
}

#[tokio::test]
async fn an_old_picture_does_not_stay_when_no_newer_one_can_be_drawn() {
    let mut studio = Studio::with("", PACE).await;
    studio.send("plain");
    studio.go_live(1);
    studio.picture(ThumbnailKind::Thumbnail).await;
    studio.use_program(&other("gives-up")).await;
    studio.send("360p");
    within(LONG_DEADLINE, "the old picture is gone", async || {
        let is_gone = studio.stills.newest(ThumbnailKind::Thumbnail).is_none();
        is_gone.then_some(())
    })
    .await;
    assert!(studio.stills.failures(ThumbnailKind::Thumbnail) >= 2);
    studio.close().await;
}

#[tokio::test]
async fn every_kind_of_stream_with_a_picture_is_drawn() {
    for clip in ["bframes", "gop10", "25fps", "video-only", "720p60"] {
        let mut studio = Studio::with("", PACE).await;
        studio.send(clip);
        studio.go_live(1);
        let still = studio.picture(ThumbnailKind::Thumbnail).await;
        assert_eq!((still.codec.as_str(), still.frames), ("mjpeg", 1), "{clip}");
        studio.close().await;
    }
}

#[tokio::test]
async fn sound_alone_has_no_picture() {
    let mut studio = Studio::with("", PACE).await;
    studio.send("audio-only");
    let snapshot = studio.rig.snapshot();
    assert!(snapshot.main.is_some() && snapshot.picture().is_none());
    studio.close().await;
}

#[tokio::test]
async fn a_broken_ffmpeg_gives_no_picture_and_one_that_is_mended_does() {
    let short = ThumbnailIntervals {
        limit: Duration::from_millis(200),
        ..PACE
    };
    for (program, intervals) in [
        ("/nowhere/ffmpeg".to_owned(), PACE),
        ("/".to_owned(), PACE),
        (other("gives-up"), PACE),
        (other("lies"), PACE),
        (other("stops-halfway"), PACE),
        (other("never-ends"), PACE),
        (other("hangs"), short),
    ] {
        let mut studio = Studio::with(&program, intervals).await;
        studio.send("plain");
        studio.go_live(1);
        studio.failed(2).await;
        for kind in BOTH {
            assert!(studio.stills.newest(kind).is_none(), "{program}");
        }
        assert_eq!(
            studio.stills.failures(ThumbnailKind::Preview),
            0,
            "not even tried"
        );
        if intervals.limit == DEADLINE {
            studio.use_program("").await;
            studio.picture(ThumbnailKind::Thumbnail).await;
            assert_eq!(
                studio.stills.failures(ThumbnailKind::Thumbnail),
                0,
                "{program}"
            );
        }
        studio.close().await;
    }
}

#[tokio::test]
async fn ffmpeg_is_given_no_environment_and_no_files_of_ours() {
    let mut studio = Studio::with(&other("looks-around"), PACE).await;
    // Like a server's socket that is open meanwhile.
    let _open = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    studio.send("plain");
    studio.go_live(1);
    studio.picture(ThumbnailKind::Thumbnail).await;
    assert_eq!(studio.stills.failures(ThumbnailKind::Thumbnail), 0);
    studio.close().await;
}

/// A process as shown in `/proc`.
#[derive(Debug)]
pub(crate) struct Process {
    id: u32,
    is_dead: bool,
    parent: u32,
    pub(crate) group: u32,
    pub(crate) niceness: i64,
    name: String,
}

fn processes() -> impl Iterator<Item = Process> {
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    folders.filter_map(|folder| process(&folder.path()))
}

/// `None` for what is not a process, or one that is gone by now.
pub(crate) fn process(folder: &Path) -> Option<Process> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    let (head, rest) = stat.rsplit_once(") ")?;
    let (id, name) = head.split_once(" (")?;
    // From the third field on.
    let fields: Vec<&str> = rest.split(' ').collect();
    Some(Process {
        id: id.parse().ok()?,
        is_dead: *fields.first()? == "Z",
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        niceness: fields.get(16)?.parse().ok()?,
        name: name.to_owned(),
    })
}

#[tokio::test]
async fn ffmpeg_is_the_last_in_line_is_limited_and_ends_with_all_it_has_started() {
    let us = std::process::id();
    let mut studio = Studio::with(&other("lingers"), PACE).await;
    studio.send("plain");
    studio.go_live(1);
    let started = eventually("it runs behind everything else", async || {
        processes().find(|one| one.name == "lingers" && one.parent == us && one.niceness == 19)
    })
    .await;
    eventually("it is limited", async || {
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", started.id)).ok()?;
        let most = |name: &str| -> Option<Vec<u64>> {
            let line = limits.lines().find(|line| line.starts_with(name))?;
            let values = line[name.len()..].split_whitespace();
            values.take(2).map(|value| value.parse().ok()).collect()
        };
        let wanted: [(&str, Vec<u64>); 4] = [
            ("Max cpu time", vec![10, 10]),
            ("Max file size", vec![0, 0]),
            ("Max data size", vec![1 << 30, 1 << 30]),
            ("Max core file size", vec![0, 0]),
        ];
        let holds = |(name, values): (&str, Vec<u64>)| most(name) == Some(values);
        wanted.into_iter().all(holds).then_some(())
    })
    .await;
    let group = started.id;
    let of_group = || processes().filter(move |one| one.group == group);
    eventually("it has started others", async || {
        (of_group().count() == 3).then_some(())
    })
    .await;
    studio.go_offline();
    // Ours must not even remain as a zombie; reaping the others is up to the system.
    eventually("all of them are gone", async || {
        let left = of_group().any(|one| one.parent == us || !one.is_dead);
        (!left).then_some(())
    })
    .await;
    studio.close().await;
}
