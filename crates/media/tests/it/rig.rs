//! A session without sockets: everything the packager publishes is checked at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use media::hls::{
    HlsFile, HlsPath, LatencyLevel, LiveSnapshot, Packager, PackagerSettings, Rendition,
    RenditionView, Snapshot, Tracks,
};
use media::ingest::PackagerProvider;
use testkit::playlist::{
    Checker, Directives, Findings, Init, Observation, Role, Skip, Timeline, boxes, check_master,
};
use tokio::sync::watch;

pub(crate) const TOKEN: u64 = 0x0123_4567_89ab_cdef;
pub(crate) const FIRST_MSN: u64 = 1_700_000_000;

/// One rendition under observation.
pub(crate) struct Watched {
    pub(crate) checker: Checker,
    timeline: Timeline,
    /// The next part whose bytes have not been checked.
    next: (u64, usize),
    token: u64,
    /// Frames have a constant rate, so samples last as long as their part is listed.
    pub(crate) is_steady: bool,
    pub(crate) findings: Findings,
}

impl Watched {
    fn new(role: Role, url: &str, other: Option<&str>) -> Self {
        Self {
            checker: Checker::new(role)
                .at(url)
                .beside(&other.into_iter().collect::<Vec<_>>()),
            timeline: Timeline::default(),
            next: (FIRST_MSN, 0),
            token: if role == Role::Audio { !TOKEN } else { TOKEN },
            is_steady: false,
            findings: Findings::default(),
        }
    }

    /// The same for files with this token, from this segment on.
    pub(crate) fn of(role: Role, url: &str, token: u64, first_msn: u64) -> Self {
        Self {
            next: (first_msn, 0),
            token,
            ..Self::new(role, url, None)
        }
    }

    pub(crate) fn look(&mut self, view: &RenditionView, at: Duration) {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        self.checker
            .observe(&Observation::of(at, &text(&view.full.plain)));
        if let Some(delta) = &view.delta {
            let asked = Directives {
                skip: Some(Skip::Yes),
                ..Directives::default()
            };
            let text = text(&delta.plain);
            self.checker.observe(&Observation {
                asked,
                ..Observation::of(at, &text)
            });
        }
        self.read_parts(view);
    }

    fn read_parts(&mut self, view: &RenditionView) {
        let text = String::from_utf8(view.full.plain.to_vec()).unwrap();
        loop {
            let (msn, index) = self.next;
            let Some(part) = view.part(self.token, msn, index) else {
                if msn < view.open_msn() {
                    self.next = (msn + 1, 0);
                    continue;
                }
                return;
            };
            let init = (1..100)
                .rev()
                .find_map(|version| view.init(self.token, version))
                .unwrap();
            let init = Init::parse(&init.bytes).unwrap();
            let name = format!("part-{:016x}-{msn}-{index}.m4s", self.token);
            self.checker
                .check_media_bytes(&name, &part.bytes, Some(&init));
            let fragments = boxes::fragments(&part.bytes, Some(&init.track)).unwrap();
            let timeless: u64 = fragments.iter().map(|one| one.timeless).sum();
            assert_eq!(timeless, 0, "{name} has samples that last no time");
            // A discontinuity in the playlist has to be one in the media.
            if index == 0 && begins_anew(&text, self.token, msn) {
                self.timeline.restart();
            }
            // With irregular frames, durations are checked in the playlist only; the bytes must not have gaps.
            let listed = u64::try_from(part.duration_us).unwrap();
            let listed = self.is_steady.then(|| Duration::from_micros(listed));
            self.timeline
                .follow(&name, &part.bytes, &init, listed, &mut self.findings);
            self.next = (msn, index + 1);
        }
    }
}

/// Whether a discontinuity precedes segment `msn`.
fn begins_anew(text: &str, token: u64, msn: u64) -> bool {
    let token = format!("{token:016x}-");
    text.split("#EXT-X-DISCONTINUITY\n").skip(1).any(|rest| {
        // The first name after it is the init segment's.
        let name = rest.split(&token).nth(2).unwrap_or_default();
        let digits = name.split(|c: char| !c.is_ascii_digit()).next();
        digits == Some(&msn.to_string())
    })
}

/// Gives a packager an encoder.
pub(crate) type Encoder = Box<dyn Fn(&mut Packager)>;
/// Gets every new snapshot.
pub(crate) type Watcher = Box<dyn FnMut(&Arc<Snapshot>)>;

/// A session and its checkers.
pub(crate) struct Rig {
    pub(crate) settings: PackagerSettings,
    packager: Option<Packager>,
    /// Creates an encoder for each new set of tracks.
    pub(crate) encoder: Option<Encoder>,
    /// Gets every new snapshot, instead of the checkers here.
    pub(crate) watcher: Option<Watcher>,
    sender: watch::Sender<Option<Arc<Snapshot>>>,
    pub(crate) live_snapshot: LiveSnapshot,
    seen: Option<Arc<Snapshot>>,
    main: Option<Watched>,
    audio: Option<Watched>,
    at: Duration,
    pub(crate) updates: usize,
    /// Everything fetched so far, by full path.
    fetched: BTreeMap<String, Bytes>,
}

impl PackagerProvider for Rig {
    fn begin(&mut self, tracks: Tracks, at: Timestamp) -> &mut Packager {
        let goes_on = match &mut self.packager {
            Some(packager) => packager.adopt(tracks, at),
            empty => {
                *empty = Some(Packager::new(
                    self.settings,
                    tracks,
                    at,
                    self.sender.clone(),
                ));
                false
            }
        };
        let packager = self.packager.as_mut().unwrap();
        if let (Some(encoder), false) = (&self.encoder, goes_on) {
            encoder(packager);
        }
        packager
    }

    fn packager(&mut self) -> Option<&mut Packager> {
        self.packager.as_mut()
    }
}

impl Rig {
    pub(crate) fn new(level: u8) -> Self {
        let (sender, live_snapshot) = LiveSnapshot::new();
        Self {
            settings: PackagerSettings {
                level: LatencyLevel::new(level),
                lists_audio: false,
                token: TOKEN,
                first_msn: FIRST_MSN,
                first_discontinuity: 0,
            },
            packager: None,
            encoder: None,
            watcher: None,
            sender,
            live_snapshot,
            seen: None,
            main: None,
            audio: None,
            at: Duration::ZERO,
            updates: 0,
            fetched: BTreeMap::new(),
        }
    }

    /// Checks a snapshot if it is new.
    pub(crate) fn look(&mut self) {
        self.at += Duration::from_millis(1);
        let Some(now) = self.live_snapshot.now() else {
            return;
        };
        if self
            .seen
            .as_ref()
            .is_some_and(|seen| Arc::ptr_eq(seen, &now))
        {
            return;
        }
        self.updates += 1;
        if let Some(watcher) = &mut self.watcher {
            watcher(&now);
            self.seen = Some(now);
            return;
        }
        let mut found = Findings::default();
        check_master(std::str::from_utf8(&now.master.plain).unwrap(), &mut found);
        assert!(found.violations().is_empty(), "{:?}", found.violations());
        let has_both = now.main.is_some() && now.audio.is_some();
        let is_sound_only =
            has_both && Arc::ptr_eq(now.main.as_ref().unwrap(), now.audio.as_ref().unwrap());
        for rendition in [Rendition::Main, Rendition::Audio] {
            self.fetch_all(&now, rendition);
        }
        let (main, audio) = (
            "http://s/hls/0/video.m3u8",
            "http://s/hls/audio/stream.m3u8",
        );
        if let Some(view) = &now.main {
            let role = if is_sound_only {
                Role::Audio
            } else {
                Role::Video
            };
            let other = (has_both && !is_sound_only).then_some(audio);
            let watched = self
                .main
                .get_or_insert_with(|| Watched::new(role, main, other));
            watched.look(view, self.at);
        }
        if let (Some(view), false) = (&now.audio, is_sound_only) {
            let watched = self
                .audio
                .get_or_insert_with(|| Watched::new(Role::Audio, audio, Some(main)));
            watched.look(view, self.at);
        }
        self.seen = Some(now);
    }

    /// Fetches every name in a playlist: caches keep them for ever, so their content must never change.
    fn fetch_all(&mut self, now: &Snapshot, rendition: Rendition) {
        let Some(view) = now.view(rendition) else {
            return;
        };
        let text = std::str::from_utf8(&view.full.plain).unwrap();
        for name in text
            .split(['"', '\n'])
            .filter(|name| name.ends_with(".mp4") || name.ends_with(".m4s"))
        {
            let path = format!("{}/{name}", rendition.folder());
            let Some(HlsPath::File(_, file)) = HlsPath::parse(&path) else {
                panic!("{path} cannot be asked for");
            };
            let bytes = match file {
                HlsFile::Init { token, version } => {
                    view.init(token, version).map(|init| init.bytes.clone())
                }
                HlsFile::Part { token, msn, index } => {
                    view.part(token, msn, index).map(|part| part.bytes.clone())
                }
                HlsFile::Segment { .. } => None,
            };
            // A hint has no bytes yet; a segment's are those of its parts.
            if let Some(bytes) = bytes {
                let known = self
                    .fetched
                    .entry(path.clone())
                    .or_insert_with(|| bytes.clone());
                assert_eq!(*known, bytes, "{path} has changed");
            }
        }
    }

    /// Ends the session.
    pub(crate) fn finish_quietly(mut self) {
        if let Some(packager) = self.packager.take() {
            packager.finish();
        }
        self.look();
    }

    /// Ends the session and returns all violations.
    pub(crate) fn finish(mut self) -> Vec<String> {
        if let Some(packager) = self.packager.take() {
            packager.finish();
        }
        self.look();
        let is_independent = self.seen.as_ref().is_some_and(|snapshot| {
            let master = std::str::from_utf8(&snapshot.master.plain).unwrap();
            master.contains("#EXT-X-INDEPENDENT-SEGMENTS")
        });
        let mut wrong = Vec::new();
        // The promise covers all renditions together; only the picture can break it.
        if let Some(main) = &mut self.main {
            main.checker.finish(is_independent, false);
        }
        for watched in [&self.main, &self.audio].into_iter().flatten() {
            let both = [watched.checker.findings(), &watched.findings];
            wrong.extend(
                both.iter()
                    .flat_map(|found| found.violations())
                    .map(|one| format!("{one:?}")),
            );
        }
        wrong.sort();
        wrong.dedup();
        wrong.truncate(8);
        wrong
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.live_snapshot.now().unwrap()
    }
}
