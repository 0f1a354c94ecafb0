//! Replays that are being watched: what is shown of them, and their lists.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use archive::vod::Replay;
use archive::{Archive, ArchiveError};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use model::recording::{RecordingId, RecordingState};
use store::{Recording, Store};

/// Replays that are remembered.
const MAX_OPEN: usize = 64;
/// Bytes of lists that are remembered; a recording of twelve hours has some megabytes.
const MAX_TEXT_BYTES: usize = 32 << 20;
/// For this long a recording is taken to be what it was. Changes made on this server are seen at once.
const FRESH: Duration = Duration::from_secs(1);

/// A list as it is sent.
#[derive(Debug)]
pub(crate) struct ReplayText {
    pub(crate) plain: Bytes,
    pub(crate) gzip: Bytes,
}

impl ReplayText {
    fn of(text: String) -> Self {
        let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 6), Compression::fast());
        // Writing to memory cannot fail; if it did, the plain text is still there.
        let written = encoder.write_all(text.as_bytes());
        let gzip = written.and_then(|()| encoder.finish());
        Self {
            gzip: gzip.map(Bytes::from).unwrap_or_default(),
            plain: text.into(),
        }
    }

    fn len(&self) -> usize {
        self.plain.len() + self.gzip.len()
    }
}

/// A recording that viewers can watch.
#[derive(Debug)]
pub(crate) struct OpenReplay {
    pub(crate) recording: Recording,
    pub(crate) replay: Replay,
    /// By rendition; the multivariant playlist has none. Whoever comes second waits for what the first has made.
    texts: tokio::sync::Mutex<BTreeMap<String, Arc<ReplayText>>>,
    text_bytes: AtomicUsize,
}

impl OpenReplay {
    fn new(recording: Recording, replay: Replay) -> Self {
        Self {
            recording,
            replay,
            texts: tokio::sync::Mutex::default(),
            text_bytes: AtomicUsize::new(0),
        }
    }

    /// The list of a rendition, or the multivariant playlist if that is empty; `None` if there is none.
    pub(crate) async fn text(&self, rendition: &str) -> Option<Arc<ReplayText>> {
        let mut texts = self.texts.lock().await;
        if let Some(text) = texts.get(rendition) {
            return Some(Arc::clone(text));
        }
        let (replay, name) = (self.replay.clone(), rendition.to_owned());
        let write = move || {
            let text = match name.as_str() {
                "" => Some(replay.master()),
                name => replay.playlist(name),
            };
            text.map(ReplayText::of)
        };
        // Some ten milliseconds for a long recording.
        let written = tokio::task::spawn_blocking(write).await;
        let text = Arc::new(written.ok()??);
        self.text_bytes.fetch_add(text.len(), Ordering::Relaxed);
        texts.insert(rendition.to_owned(), Arc::clone(&text));
        Some(text)
    }
}

#[derive(Debug)]
struct Entry {
    open: Arc<OpenReplay>,
    /// When its row was read.
    read_at: Duration,
}

/// The replays that were asked for last, the newest first.
#[derive(Debug, Default)]
pub(crate) struct OpenReplays(Mutex<Vec<Entry>>);

impl OpenReplays {
    /// The recording, if it is complete and its files are here; whether the asker may see it is another question. `now`
    /// is the time since the start.
    pub(crate) async fn get(
        &self,
        store: &Store,
        archive: &Archive,
        id: &RecordingId,
        now: Duration,
    ) -> Result<Option<Arc<OpenReplay>>, ArchiveError> {
        if let Some(open) = self.find(id, now) {
            return Ok(Some(open));
        }
        let row = store.recording(id).await?;
        let Some(recording) = row.filter(|row| row.state == RecordingState::Finished) else {
            self.forget(id);
            return Ok(None);
        };
        if let Some(open) = self.confirm(&recording, now) {
            return Ok(Some(open));
        }
        let Some(replay) = archive.replay(&recording).await? else {
            return Ok(None);
        };
        let open = Arc::new(OpenReplay::new(recording, replay));
        self.put(&open, now);
        Ok(Some(open))
    }

    /// The operator has changed it.
    pub(crate) fn forget(&self, id: &RecordingId) {
        self.entries()
            .retain(|entry| entry.open.recording.id != *id);
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, id: &RecordingId, now: Duration) -> Option<Arc<OpenReplay>> {
        let mut entries = self.entries();
        let place = entries
            .iter()
            .position(|entry| entry.open.recording.id == *id)?;
        entries[..=place].rotate_right(1);
        let entry = entries.first()?;
        let is_fresh = now.saturating_sub(entry.read_at) < FRESH;
        is_fresh.then(|| Arc::clone(&entry.open))
    }

    /// What is remembered, if it is still so.
    fn confirm(&self, recording: &Recording, now: Duration) -> Option<Arc<OpenReplay>> {
        let mut entries = self.entries();
        let mut found = entries.iter_mut();
        let entry = found.find(|entry| entry.open.recording == *recording)?;
        entry.read_at = now;
        Some(Arc::clone(&entry.open))
    }

    fn put(&self, open: &Arc<OpenReplay>, now: Duration) {
        let mut entries = self.entries();
        entries.retain(|entry| entry.open.recording.id != open.recording.id);
        entries.insert(
            0,
            Entry {
                open: Arc::clone(open),
                read_at: now,
            },
        );
        let mut bytes = 0;
        let mut count = 0;
        entries.retain(|entry| {
            bytes += entry.open.text_bytes.load(Ordering::Relaxed);
            count += 1;
            count == 1 || (count <= MAX_OPEN && bytes <= MAX_TEXT_BYTES)
        });
    }
}

#[cfg(test)]
mod tests {
    use archive::timeline::{RenditionTimeline, Timeline, TimelineChunk, TimelineSegment};
    use archive::vod::Cut;
    use jiff::Timestamp;
    use model::recording::Visibility;

    use super::*;

    fn open(id: u64, text_bytes: usize) -> Arc<OpenReplay> {
        let at = Timestamp::UNIX_EPOCH;
        let timeline = Timeline {
            renditions: vec![RenditionTimeline {
                rendition: "0".into(),
                described: archive::ChunkDescription::default(),
                chunks: vec![TimelineChunk {
                    number: 0,
                    token: 1,
                    session: 0,
                    init_len: 10,
                    bytes: 30,
                    init_hash: String::new(),
                    starts_discontinuity: false,
                    date: at,
                    start_us: 0,
                }],
                segments: vec![TimelineSegment {
                    ordinal: 0,
                    token: 1,
                    msn: 0,
                    chunk: 0,
                    offset: 10,
                    len: 20,
                    start_us: 0,
                    duration_us: 2_000_000,
                    date: at,
                    arrived_ms: 0,
                    is_independent: true,
                    is_discontinuity: false,
                }],
            }],
            duration_us: 2_000_000,
            started_at: at,
        };
        let recording = Recording {
            id: RecordingId::from_random(id.to_be_bytes()),
            stream_id: String::new(),
            state: RecordingState::Finished,
            title: String::new(),
            summary: String::new(),
            tags: Vec::new(),
            visibility: Visibility::Public,
            is_kept: false,
            keeps_chat: false,
            started_at: at,
            ended_at: Some(at),
            trim_start_us: None,
            trim_end_us: None,
            duration_us: 2_000_000,
            bytes: 30,
            deleted_at: None,
        };
        let replay = Replay::new(Arc::new(timeline), Cut::default()).unwrap();
        let open = OpenReplay::new(recording, replay);
        open.text_bytes.store(text_bytes, Ordering::Relaxed);
        Arc::new(open)
    }

    #[tokio::test]
    async fn a_list_is_written_once_and_what_is_not_offered_has_none() {
        let open = open(1, 0);
        let first = open.text("0").await.unwrap();
        assert!(Arc::ptr_eq(&first, &open.text("0").await.unwrap()));
        let master = open.text("").await.unwrap();
        assert!(master.plain.starts_with(b"#EXTM3U") && master.gzip.starts_with(&[0x1f, 0x8b]));
        assert!(open.text("audio").await.is_none());
        let bytes = open.text_bytes.load(Ordering::Relaxed);
        assert_eq!(bytes, first.len() + master.len());
    }

    #[test]
    fn a_recording_is_read_again_after_a_while_and_at_once_when_it_was_changed() {
        let (replays, open) = (OpenReplays::default(), open(1, 0));
        let id = &open.recording.id;
        let second = Duration::from_secs(1);
        replays.put(&open, second);
        assert!(replays.find(id, second).is_some());
        assert!(replays.find(id, 2 * second).is_none());
        assert!(replays.confirm(&open.recording, 2 * second).is_some());
        assert!(replays.find(id, 2 * second).is_some());
        let changed = Recording {
            trim_end_us: Some(1),
            ..open.recording.clone()
        };
        assert!(replays.confirm(&changed, 2 * second).is_none());
        replays.forget(id);
        assert!(replays.find(id, 2 * second).is_none());
    }

    #[test]
    fn what_is_watched_no_longer_makes_room() {
        let replays = OpenReplays::default();
        let now = Duration::ZERO;
        let large = open(0, MAX_TEXT_BYTES - 10);
        replays.put(&large, now);
        replays.put(&open(1, 10), now);
        assert!(replays.find(&large.recording.id, now).is_some());
        // The large one is in front now, so the other one goes.
        replays.put(&open(2, 1), now);
        assert_eq!(replays.entries().len(), 2);
        for id in 3..3 * MAX_OPEN as u64 {
            replays.put(&open(id, 0), now);
        }
        assert_eq!(replays.entries().len(), MAX_OPEN);
        assert!(replays.find(&large.recording.id, now).is_none());
    }
}
