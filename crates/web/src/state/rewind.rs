//! The lists that go further back than the live playlist: rendered when somebody asks for them, and only what is new.
//!
//! The past of a list is kept in pieces, each written and compressed once; the end is rendered once for all who ask for
//! the same moment. While nobody rewinds nothing is done.

mod list;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};

use archive::LiveLog;
use archive::rewind::{LiveEdge, LiveSegment, Past, SessionAnchor, chunk_with_init, is_rewindable};
use archive::timeline::{RenditionTimeline, Timeline, TimelineChunk, TimelineSegment};
use media::hls::{
    ChainedText, InitName, LiveSnapshot, Rendition, RenditionView, RewindNumbers, RungIndex,
    Segment, Snapshot, TextPiece, rewind_master,
};
use model::recording::RecordingId;
use tokio::sync::watch;

use list::{ListMoment, RenditionList};

/// Segments of the log that are compared with those in memory.
const COMPARED_SEGMENTS: usize = 64;
/// Dates of one segment differ by less, however they are rounded.
const SAME_DATE_MS: u128 = 1000;

/// Why there is no list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RewindRefusal {
    /// There is no stream.
    Offline,
    /// This cannot be rewound.
    Gone,
    /// The log has nothing of this session yet.
    NotYet,
}

/// What a request is about.
#[derive(Clone, Debug)]
pub(crate) struct RewindMoment {
    /// The log of the broadcast on air.
    pub(crate) log: watch::Receiver<Option<LiveLog>>,
    pub(crate) live_snapshot: LiveSnapshot,
    /// How far back lists go.
    pub(crate) window_us: i64,
}

#[derive(Debug, Default)]
pub(crate) struct RewindLists {
    state: Arc<Mutex<RewindState>>,
}

impl RewindLists {
    /// The numbers of the broadcast on air.
    pub(crate) async fn numbers(
        &self,
        moment: &RewindMoment,
    ) -> Result<RewindNumbers, RewindRefusal> {
        self.with(moment, |state, now| {
            state.anchor(now).map(|anchor| anchor.numbers())
        })
        .await
    }

    /// The multivariant playlist.
    pub(crate) async fn master(&self, moment: &RewindMoment) -> Result<ChainedText, RewindRefusal> {
        self.with(moment, |state, now| state.master(now)).await
    }

    /// The list of a rendition, as new as the newest snapshot.
    pub(crate) async fn list(
        &self,
        moment: &RewindMoment,
        rendition: Rendition,
        wants_delta: bool,
    ) -> Result<ChainedText, RewindRefusal> {
        if let Some(known) = self.known(moment, rendition, wants_delta) {
            return Ok(known);
        }
        self.with(moment, move |state, now| {
            state.list(now, rendition, wants_delta)
        })
        .await
    }

    /// What somebody else asked for already.
    fn known(
        &self,
        moment: &RewindMoment,
        rendition: Rendition,
        wants_delta: bool,
    ) -> Option<ChainedText> {
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let snapshot = moment.live_snapshot.now()?;
        let log = moment.log.borrow();
        let recording = log.as_ref().map(|log| &log.recording);
        if recording.is_none() || state.recording.as_ref() != recording {
            return None;
        }
        let list = state.list_of(rendition)?;
        list.rendered(snapshot.view(rendition)?, wants_delta)
    }

    /// Does `work` on a thread where it may take its time: the first list of a long broadcast is megabytes.
    async fn with<T: Send + 'static>(
        &self,
        moment: &RewindMoment,
        work: impl FnOnce(&mut RewindState, &Now<'_>) -> Result<T, RewindRefusal> + Send + 'static,
    ) -> Result<T, RewindRefusal> {
        let (state, moment) = (Arc::clone(&self.state), moment.clone());
        let done = tokio::task::spawn_blocking(move || {
            let mut state = lock(&state);
            // Under the lock, so that nobody goes back to an older moment.
            let snapshot = moment.live_snapshot.now().ok_or(RewindRefusal::Offline)?;
            let log = moment.log.borrow().clone();
            let log = log.ok_or(RewindRefusal::Gone)?;
            state.begin(&log.recording);
            let now = Now {
                snapshot: &snapshot,
                log: &log,
                window_us: moment.window_us,
            };
            work(&mut state, &now)
        });
        // It is not cancelled, and a panic in it is a bug that was logged.
        done.await.unwrap_or(Err(RewindRefusal::Gone))
    }

    /// The segment that viewers know by this name, if it can still be rewound to.
    pub(crate) fn segment(
        &self,
        log: &RenditionTimeline,
        rendition: Rendition,
        token: u64,
        msn: u64,
    ) -> Option<TimelineSegment> {
        if let Some(segment) = log.named(token, msn) {
            return Some(*segment);
        }
        // All files have new names since.
        let is_listed = {
            let state = lock(&self.state);
            let list = state.list_of(rendition);
            list.is_some_and(|list| list.past().lists(token, msn))
        };
        let mut newest_first = log.segments.iter().rev().filter(|_| is_listed);
        newest_first.find(|segment| segment.msn == msn).copied()
    }

    /// A chunk with the init segment of this name.
    pub(crate) fn init(
        &self,
        log: &RenditionTimeline,
        rendition: Rendition,
        name: InitName,
    ) -> Option<TimelineChunk> {
        let state = lock(&self.state);
        let past = state.list_of(rendition).map(RenditionList::past);
        chunk_with_init(log, past, name).cloned()
    }
}

fn lock(state: &Mutex<RewindState>) -> MutexGuard<'_, RewindState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The newest of everything.
struct Now<'a> {
    snapshot: &'a Arc<Snapshot>,
    log: &'a LiveLog,
    window_us: i64,
}

impl Now<'_> {
    fn log_of(&self, rendition: Rendition) -> Option<&RenditionTimeline> {
        log_of(&self.log.timeline, self.snapshot, rendition)
    }
}

/// What is kept of a rendition. Sound without a picture is kept as sound only.
pub(crate) fn log_of<'a>(
    timeline: &'a Timeline,
    snapshot: &Snapshot,
    rendition: Rendition,
) -> Option<&'a RenditionTimeline> {
    let is_sound = rendition == Rendition::Main && snapshot.picture().is_none();
    let kept = if is_sound {
        Rendition::Audio
    } else {
        rendition
    };
    timeline.rendition(kept.folder())
}

/// Where the session of the live playlist is in the recording.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    /// The session.
    token: u64,
    place: SessionAnchor,
    /// From the session's time line to the recording's.
    shift_us: i64,
}

impl Anchor {
    fn numbers(&self) -> RewindNumbers {
        RewindNumbers {
            msn: self.place.msn,
            ordinal: self.place.ordinal,
        }
    }

    fn edge(&self, view: &RenditionView) -> LiveEdge {
        let numbers = self.numbers();
        let segment = |one: &Arc<Segment>| LiveSegment {
            ordinal: numbers.ordinal_of(one.msn),
            token: one.token,
            msn: one.msn,
            init_version: one.init.version,
            start_us: one.start_us + self.shift_us,
            duration_us: one.duration_us,
            date: one.date,
            is_discontinuity: one.is_discontinuity,
            is_independent: one.is_independent(),
        };
        LiveEdge {
            segments: view.fetchable().map(segment).collect(),
            first_listed: numbers.ordinal_of(view.first_listed()),
            discontinuity_sequence: view.discontinuity_sequence(),
            end_us: view.end_us() + self.shift_us,
            session: self.place.session,
        }
    }
}

#[derive(Debug, Default)]
struct RewindState {
    recording: Option<RecordingId>,
    anchor: Option<Anchor>,
    /// Of the recording before this one.
    before: Option<Anchor>,
    /// Segments that lists count and the log does not.
    uncounted: u64,
    /// The list that all others follow.
    source: Option<RenditionList>,
    others: Vec<RenditionList>,
    /// Which renditions can be rewound, and for which time line that was found out.
    offered: Vec<Rendition>,
    offered_by: Weak<Timeline>,
}

impl RewindState {
    /// Forgets another recording, but for its numbers: the broadcast may be the same.
    fn begin(&mut self, recording: &RecordingId) {
        if self.recording.as_ref() != Some(recording) {
            *self = Self {
                recording: Some(recording.clone()),
                before: self.anchor,
                ..Self::default()
            };
        }
    }

    fn list_of(&self, rendition: Rendition) -> Option<&RenditionList> {
        let mut lists = self.source.iter().chain(&self.others);
        lists.find(|list| list.rendition() == rendition)
    }

    /// Finds a segment that is both in memory and in the log. It stays true for the session, also while nothing is written.
    fn anchor(&mut self, now: &Now<'_>) -> Result<Anchor, RewindRefusal> {
        let token = now.snapshot.token;
        if let Some(known) = self.anchor.filter(|known| known.token == token) {
            return Ok(known);
        }
        let view = now.snapshot.main.as_ref().ok_or(RewindRefusal::Offline)?;
        let log = now.log_of(Rendition::Main).ok_or(RewindRefusal::NotYet)?;
        let mut newest_first = log.segments.iter().rev().take(COMPARED_SEGMENTS);
        let found = newest_first.find_map(|logged| {
            let one = view.fetchable().find(|one| is_same(one, logged))?;
            let place = SessionAnchor::new(log, logged, self.uncounted)?;
            // Players that have lists of the recording before go on with its numbers.
            let place = match self.before.filter(|before| before.token == token) {
                Some(before) => {
                    let ordinal = before.numbers().ordinal_of(place.msn);
                    let uncounted = ordinal.saturating_sub(place.ordinal);
                    SessionAnchor::new(log, logged, uncounted)?
                }
                None => place,
            };
            Some(Anchor {
                token,
                place,
                shift_us: place.position_us(one.date) - one.start_us,
            })
        });
        let found = found.ok_or(RewindRefusal::NotYet)?;
        if self.uncounted > 0 {
            // What is in the lists has other numbers from now on, all of them higher.
            self.source = None;
            self.others.clear();
        }
        self.anchor = Some(found);
        Ok(found)
    }

    /// Brings the source's list up to date, which the others follow, and finds out which others there are.
    fn advance(&mut self, now: &Now<'_>) -> Result<Anchor, RewindRefusal> {
        let anchor = self.anchor(now)?;
        let view = now.snapshot.main.as_ref().ok_or(RewindRefusal::Offline)?;
        let log = now.log_of(Rendition::Main).ok_or(RewindRefusal::NotYet)?;
        self.uncounted = anchor.place.uncounted(log);
        let edge = anchor.edge(view);
        let renumbered = anchor.place.renumbered(log);
        match &mut self.source {
            Some(list) => list.past_mut().advance(&renumbered, &edge, now.window_us),
            None => {
                let past = Past::of_source(&renumbered, &edge, now.window_us);
                self.source = Some(RenditionList::new(Rendition::Main, past));
            }
        }
        let is_known = self.offered_by.as_ptr() == Arc::as_ptr(&now.log.timeline);
        if !is_known {
            self.offer(now, log)?;
        }
        Ok(anchor)
    }

    fn offer(&mut self, now: &Now<'_>, source: &RenditionTimeline) -> Result<(), RewindRefusal> {
        let from_us = now.log.timeline.duration_us - now.window_us;
        let usual = [Rendition::Main, Rendition::Audio, Rendition::Aac];
        let rungs = RungIndex::all().map(Rendition::Rung);
        let mut offered = Vec::new();
        for rendition in usual.into_iter().chain(rungs) {
            if now.snapshot.view(rendition).is_none() {
                continue;
            }
            let is_of_source = matches!(rendition, Rendition::Main | Rendition::Audio);
            match now.log_of(rendition) {
                Some(log) if is_of_source || is_rewindable(log, source, from_us) => {
                    offered.push(rendition);
                }
                // No picture of the source is listed without it.
                None if is_of_source => return Err(RewindRefusal::NotYet),
                _ => {}
            }
        }
        if self.offered != offered {
            let lists = self.source.iter_mut().chain(&mut self.others);
            lists.for_each(RenditionList::forget_texts);
            self.offered = offered;
        }
        self.offered_by = Arc::downgrade(&now.log.timeline);
        Ok(())
    }

    fn master(&mut self, now: &Now<'_>) -> Result<ChainedText, RewindRefusal> {
        self.advance(now)?;
        let live = str::from_utf8(&now.snapshot.master.plain).map_err(|_| RewindRefusal::Gone)?;
        let logs = self.offered.iter().filter_map(|one| now.log_of(*one));
        let is_independent = logs
            .flat_map(|log| &log.segments)
            .all(|segment| segment.is_independent);
        let text = rewind_master(live, &self.offered, is_independent);
        Ok(ChainedText::of([&TextPiece::new(text)]))
    }

    fn list(
        &mut self,
        now: &Now<'_>,
        rendition: Rendition,
        wants_delta: bool,
    ) -> Result<ChainedText, RewindRefusal> {
        let anchor = self.advance(now)?;
        if !self.offered.contains(&rendition) {
            return Err(RewindRefusal::Gone);
        }
        let view = now.snapshot.view(rendition).ok_or(RewindRefusal::Gone)?;
        let source = self.source.as_mut().ok_or(RewindRefusal::Gone)?;
        let list = if rendition == Rendition::Main {
            source
        } else {
            let log = now.log_of(rendition).ok_or(RewindRefusal::Gone)?;
            let log = anchor.place.renumbered(log);
            let edge = anchor.edge(view);
            // One that was away for a while begins anew.
            self.others
                .retain(|list| list.rendition() != rendition || list.past().is_continued_by(&edge));
            let known = self
                .others
                .iter()
                .position(|list| list.rendition() == rendition);
            let at = known.unwrap_or(self.others.len());
            match self.others.get_mut(at) {
                Some(list) => list.past_mut().advance_beside(&log, &edge, source.past()),
                None => {
                    let past = Past::beside(&log, &edge, source.past());
                    self.others.push(RenditionList::new(rendition, past));
                }
            }
            &mut self.others[at]
        };
        let moment = ListMoment {
            view,
            is_ended: now.snapshot.is_ended,
            numbers: anchor.numbers(),
            offered: &self.offered,
        };
        Ok(list.render(&moment, wants_delta))
    }
}

/// Whether this is the same segment, whatever it is called now. Numbers are not used twice, but clocks are set.
fn is_same(one: &Segment, logged: &TimelineSegment) -> bool {
    let distance = one.date.duration_since(logged.date).unsigned_abs();
    one.msn == logged.msn && distance.as_millis() < SAME_DATE_MS
}
