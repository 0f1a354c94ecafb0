//! Appends what is new to the files of a recording. Everything here may block; it runs on a thread of its own.

mod upkeep;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use model::Clock;
use model::recording::RecordingId;
use store::RecordingChunk;
use tokio::sync::watch;

use super::chunk::{ChunkFile, ChunkPaths};
use super::hash::init_hash;
use super::rows::{RowChange, RowQueue};
use super::state::{ClosedChunk, LogEnd, LogPosition, RecorderDeps, RecorderState};
use super::update::{LogUpdate, NewPart, RenditionUpdate};
use crate::folder::Folder;
use crate::guard::DiskGuard;
use crate::index::IndexHeader;
use crate::live_log::LiveLog;
use crate::timeline::{Timeline, TimelineSegment};
pub(crate) use upkeep::SYNC_EVERY;

/// A chunk ends where a player can begin once it is as long as this,
const CHUNK_US: i64 = 285_000_000;
/// and wherever a segment ends once it is as long as this.
const LONGEST_CHUNK_US: i64 = 300_000_000;
/// After an error of the disk, writing is tried again this often.
const RETRY_AFTER: Duration = Duration::from_secs(10);
/// Where the time line of the media moves on by more than this without media, the recording does not.
const MOST_HOLE_US: i64 = 2_000_000;
/// The time line in memory goes back at least as far as this.
pub(crate) const SHORTEST_WINDOW_US: i64 = 120_000_000;
/// What is too old in memory is forgotten this much at a time.
const FORGET_US: i64 = 30_000_000;

/// Where a run without a break begins, in the media and in the recording.
#[derive(Clone, Copy, Debug)]
struct SessionStart {
    first_msn: u64,
    ordinal: u64,
    /// The media's time where the recording is at 0.
    origin_us: i64,
}

#[derive(Debug)]
struct RenditionLog {
    open: Option<ChunkFile>,
    next_number: u32,
    /// Nothing is written until a segment begins with which a player can begin.
    is_waiting: bool,
    /// Whether the next chunk does not follow the one before.
    is_broken: bool,
}

#[derive(Debug)]
pub(crate) struct LogWriter {
    folder: Folder,
    id: RecordingId,
    clock: Arc<dyn Clock>,
    guard: DiskGuard,
    rows: RowQueue,
    live: watch::Sender<Option<LiveLog>>,
    state: Arc<RecorderState>,
    renditions: BTreeMap<String, RenditionLog>,
    session: u32,
    /// `None` until something of the session is written.
    start: Option<SessionStart>,
    end_us: i64,
    next_ordinal: u64,
    /// Oldest first, as long as a ring deletes them.
    closed: VecDeque<ClosedChunk>,
    /// Of all closed chunks.
    closed_bytes: u64,
    synced_at: Duration,
    noted_at: Duration,
    /// Set after an error of the disk.
    retry_at: Option<Duration>,
    is_silent: bool,
}

impl LogWriter {
    pub(crate) fn new(
        deps: &RecorderDeps,
        id: RecordingId,
        rows: RowQueue,
        state: Arc<RecorderState>,
        position: LogPosition,
    ) -> Self {
        let clock = Arc::clone(&deps.clock);
        let renditions = position.next_numbers.into_iter();
        let renditions = renditions.map(|(name, next_number)| {
            let log = RenditionLog {
                open: None,
                next_number,
                is_waiting: true,
                is_broken: true,
            };
            (name, log)
        });
        Self {
            folder: deps.folder.clone(),
            id,
            guard: deps.guard.clone(),
            rows,
            live: deps.live.clone(),
            state,
            renditions: renditions.collect(),
            session: position.session,
            start: None,
            end_us: position.end_us,
            next_ordinal: position.next_ordinal,
            closed_bytes: position.chunks.iter().map(|chunk| chunk.bytes).sum(),
            closed: position.chunks,
            synced_at: clock.uptime(),
            noted_at: clock.uptime(),
            clock,
            retry_at: None,
            is_silent: false,
        }
    }

    /// Writes what is new. `is_after_loss` if something before it is missing.
    pub(crate) fn take(&mut self, update: &LogUpdate, is_after_loss: bool) {
        let now = self.clock.uptime();
        if is_after_loss {
            self.break_off();
            self.note_lost(0);
        }
        if !self.may_write(now) {
            self.note_lost(update.parts());
            return;
        }
        let now_ms = self.clock.now().as_millisecond();
        // What was there before it was recorded came one after the other; later, parts come alone.
        let is_past = self.start.is_none();
        for rendition in &update.renditions {
            let lasts = rendition.parts.iter();
            let mut rest_us: i64 = lasts.map(|part| i64::from(part.duration_us)).sum();
            for part in &rendition.parts {
                rest_us -= i64::from(part.duration_us);
                let ago_ms = if is_past { rest_us / 1000 } else { 0 };
                if let Err(error) = self.write(rendition, part, now_ms - ago_ms) {
                    self.fail(&error, now);
                    self.note_lost(update.parts());
                    return;
                }
            }
        }
        self.look_after();
    }

    /// Whether there is room, as far as is known.
    fn may_write(&mut self, now: Duration) -> bool {
        let is_failing = self.retry_at.is_some_and(|retry_at| now < retry_at);
        let is_silent = is_failing || !self.guard.may_write();
        if is_silent != self.is_silent {
            self.is_silent = is_silent;
            if is_silent {
                self.break_off();
            }
            // After an error it is known once something is written.
            if is_silent || self.retry_at.is_none() {
                self.modify_live(|log| log.is_paused = is_silent);
            }
        }
        !is_silent
    }

    fn fail(&mut self, error: &io::Error, now: Duration) {
        // Whether there is room again is known elsewhere.
        if !self.guard.note_failure(error) {
            // It is tried again and again; one line is enough.
            if self.retry_at.is_none() {
                tracing::error!(%error, recording = %self.id, "recording pauses: the disk takes nothing more; the stream goes on");
            }
            self.retry_at = Some(now + RETRY_AFTER);
        }
        self.is_silent = true;
        self.break_off();
        self.modify_live(|log| log.is_paused = true);
    }

    fn note_lost(&self, parts: u64) {
        let lost = self.state.lost.fetch_add(parts, Ordering::Relaxed) + parts;
        metrics::counter!("rillcast_recording_lost_parts_total").increment(parts);
        self.modify_live(|log| log.lost = lost);
    }

    fn write(
        &mut self,
        rendition: &RenditionUpdate,
        part: &NewPart,
        arrived_ms: i64,
    ) -> io::Result<()> {
        let name = &rendition.rendition;
        if !self.renditions.contains_key(name) {
            let log = RenditionLog {
                open: None,
                next_number: 0,
                is_waiting: true,
                is_broken: false,
            };
            self.renditions.insert(name.clone(), log);
        }
        if part.is_discontinuity {
            self.close(name, true);
        }
        let is_waiting = self.renditions.get(name).is_some_and(|log| log.is_waiting);
        if is_waiting {
            if !(part.starts_segment && part.is_independent) {
                return Ok(());
            }
            if self.is_elsewhere(part) {
                self.break_off();
            }
            if self.start.is_some_and(|start| part.msn < start.first_msn) {
                // All renditions of a session begin with the same segment.
                return Ok(());
            }
            self.open(rendition, part)?;
        } else if part.starts_segment && self.is_chunk_over(rendition, part) {
            self.close(name, false);
            self.open(rendition, part)?;
        }
        let Some(chunk) = self
            .renditions
            .get_mut(name)
            .and_then(|log| log.open.as_mut())
        else {
            return Ok(());
        };
        let complete = chunk.append(part, arrived_ms)?;
        if let Some(segment) = complete {
            let rate = segment.len.saturating_mul(8_000_000);
            let rate = rate / segment.duration_us.max(1).unsigned_abs();
            chunk.described.bandwidth = chunk.described.bandwidth.max(rate);
        }
        self.end_us = self.end_us.max(chunk.end_us());
        if let Some(start) = self.start {
            let ordinal = start.ordinal + (part.msn.saturating_sub(start.first_msn));
            self.next_ordinal = self.next_ordinal.max(ordinal.saturating_add(1));
        }
        if let Some(segment) = complete {
            self.show(name, segment);
        }
        Ok(())
    }

    /// Whether this segment does not belong to where the session is: the numbers or the time line of the media jumped.
    fn is_elsewhere(&self, part: &NewPart) -> bool {
        let Some(start) = self.start else {
            return false;
        };
        if part.msn < start.first_msn {
            // Of the same time if it belongs to another rendition that is behind.
            return part.start_us - start.origin_us > self.end_us;
        }
        let ordinal = start.ordinal.saturating_add(part.msn - start.first_msn);
        let position_us = part.start_us.saturating_sub(start.origin_us);
        ordinal > self.next_ordinal.saturating_add(1)
            || position_us > self.end_us.saturating_add(MOST_HOLE_US)
    }

    fn is_chunk_over(&self, rendition: &RenditionUpdate, part: &NewPart) -> bool {
        let log = self.renditions.get(&rendition.rendition);
        let Some(chunk) = log.and_then(|log| log.open.as_ref()) else {
            return false;
        };
        let is_long = chunk.duration_us >= CHUNK_US && part.is_independent;
        is_long
            || chunk.duration_us >= LONGEST_CHUNK_US
            || chunk.header.token != rendition.token
            || chunk.init != rendition.init
    }

    fn open(&mut self, rendition: &RenditionUpdate, part: &NewPart) -> io::Result<()> {
        let start = *self.start.get_or_insert(SessionStart {
            first_msn: part.msn,
            ordinal: self.next_ordinal,
            origin_us: part.start_us.saturating_sub(self.end_us),
        });
        let name = &rendition.rendition;
        let Some(log) = self.renditions.get_mut(name) else {
            return Ok(());
        };
        let number = log.next_number;
        let paths = (
            self.folder.chunk(&self.id, name, number),
            self.folder.index(&self.id, name, number),
        );
        let (Some(media), Some(index)) = paths else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let init_len = u32::try_from(rendition.init.len())
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let header = IndexHeader {
            rendition: name.clone(),
            token: rendition.token,
            init_len,
            session: self.session,
            first_msn: part.msn,
            start_us: part.start_us,
            date_ms: part.date.as_millisecond(),
            position_us: part.start_us.saturating_sub(start.origin_us),
            first_ordinal: start.ordinal.saturating_add(part.msn - start.first_msn),
            starts_discontinuity: log.is_broken,
        };
        let row = RecordingChunk {
            recording: self.id.clone(),
            rendition: name.clone(),
            number,
            token: header.token,
            init_hash: init_hash(&rendition.init),
            described: String::new(),
            session: header.session,
            first_ordinal: header.first_ordinal,
            start_us: header.position_us,
            duration_us: 0,
            date: header.date(),
            bytes: u64::from(init_len),
            is_closed: false,
        };
        let described = rendition.described.clone();
        // A number is used once, also if nothing comes of it.
        log.next_number += 1;
        let paths = ChunkPaths { media, index };
        let chunk = ChunkFile::create(paths, row, header, described, rendition.init.clone())?;
        let (row, header) = (chunk.row_now(), chunk.header.clone());
        let described = chunk.described.clone();
        log.is_waiting = false;
        log.is_broken = false;
        log.open = Some(chunk);
        if self.retry_at.take().is_some() {
            tracing::info!(recording = %self.id, "recording goes on");
            self.modify_live(|log| log.is_paused = false);
        }
        self.rows.open(row.clone());
        self.modify_live(|log| {
            Arc::make_mut(&mut log.timeline).add_chunk(&row, &header, described);
        });
        self.delete_old();
        Ok(())
    }

    /// Closes the chunk of a rendition. After a break, the next one begins where a player can begin.
    fn close(&mut self, name: &str, is_broken: bool) {
        let Some(log) = self.renditions.get_mut(name) else {
            return;
        };
        if is_broken {
            log.is_waiting = true;
            log.is_broken |= log.next_number > 0;
        }
        let Some(chunk) = log.open.take() else {
            return;
        };
        let number = chunk.row.number;
        if chunk.is_empty() {
            chunk.discard();
            self.rows.push(RowChange::Forget {
                rendition: name.to_owned(),
                number,
            });
            return;
        }
        let (bytes, end_us) = (chunk.len(), chunk.end_us());
        let (row, last) = chunk.close();
        self.closed_bytes += bytes;
        self.closed.push_back(ClosedChunk {
            rendition: name.to_owned(),
            number,
            end_us,
            bytes,
        });
        self.rows.push(RowChange::Close(row));
        if let Some(segment) = last {
            self.show(name, segment);
        }
    }

    /// Something is missing from here on: everything begins again, right behind what is there.
    fn break_off(&mut self) {
        let names: Vec<String> = self.renditions.keys().cloned().collect();
        for name in names {
            self.close(&name, true);
        }
        if self.start.take().is_some() {
            self.session += 1;
        }
    }

    /// Tells of a complete segment.
    fn show(&self, rendition: &str, segment: TimelineSegment) {
        let window_us = self.window_us();
        self.modify_live(|log| {
            let timeline = Arc::make_mut(&mut log.timeline);
            timeline.add_segment(rendition, segment);
            let first = timeline.source().and_then(|source| source.segments.first());
            let oldest = first.map_or(i64::MAX, TimelineSegment::end_us);
            let kept_from = timeline.duration_us - window_us;
            if oldest < kept_from - FORGET_US {
                timeline.forget_before(kept_from);
            }
        });
    }

    fn modify_live(&self, change: impl FnOnce(&mut LiveLog)) {
        self.live.send_if_modified(|live| {
            let own = live.as_mut().filter(|live| live.recording == self.id);
            own.map(change).is_some()
        });
    }

    fn window_us(&self) -> i64 {
        let window_us = self.state.window_us.load(Ordering::Relaxed);
        window_us.max(SHORTEST_WINDOW_US)
    }

    /// Closes everything.
    pub(crate) fn finish(mut self) -> LogEnd {
        self.break_off();
        self.note();
        self.end()
    }
}

/// A time line for a recording that begins.
pub(crate) fn empty_timeline(started_at: jiff::Timestamp) -> Arc<Timeline> {
    Arc::new(Timeline::new(started_at))
}
