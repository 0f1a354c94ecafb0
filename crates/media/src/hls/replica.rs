//! The same snapshots on another machine: what the packager shows is told in [`Update`]s, and rebuilt from them.
//!
//! [`SnapshotPublisher`] numbers the files of each snapshot, tells each of them once, and then a state that describes all
//! playlists and names the files by their numbers. A state needs none before it, so whoever hears one, and the files it
//! names, has everything. [`Replica`] renders the playlists with the same code from the same facts: the same bytes under
//! the same names.

mod publisher;
mod update;
mod wire;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;

use super::name::Rendition;
use super::rendition_window::RenditionWindow;
use super::segment::{Init, PartialSegment, Segment, SegmentStart};
use super::snapshot::{RenderedText, RenditionView, Snapshot};
pub use publisher::SnapshotPublisher;
pub use update::{FileUpdate, OnAir, StateUpdate, Update};
use update::{ListsUpdate, RenditionUpdate, SegmentUpdate};
pub use wire::UnreadableUpdate;

/// Bytes of files in memory; what says to need more is no stream of ours. All windows together are smaller.
const MOST_BYTES: usize = 2 * 1024 * 1024 * 1024;

/// What viewers of another machine can fetch, and the broadcast it belongs to.
#[derive(Clone, Debug)]
pub struct ReplicaView {
    /// Which holder of the stream told it.
    pub epoch: u64,
    pub snapshot: Option<Arc<Snapshot>>,
    pub on_air: Option<OnAir>,
}

/// Rebuilds the snapshots of the machine that takes in the stream.
#[derive(Debug, Default)]
pub struct Replica {
    epoch: u64,
    /// Of the newest state that was heard.
    number: u64,
    /// Parts and init segments by their numbers.
    files: HashMap<u64, Bytes>,
    bytes: usize,
    /// The lowest number of a part in the newest state; no later one names a lower one.
    oldest_part: u64,
    /// The renditions of the snapshot, to render only those that changed.
    known: Vec<KnownRendition>,
    snapshot: Option<Arc<Snapshot>>,
}

#[derive(Debug)]
struct KnownRendition {
    update: RenditionUpdate,
    is_ended: bool,
    view: Arc<RenditionView>,
}

impl Replica {
    /// Takes what was told; returns what is to be shown from now on if that is something else. What is told by a holder
    /// before the newest one is ignored.
    pub fn apply(&mut self, update: Update) -> Option<ReplicaView> {
        let epoch = update.epoch();
        if epoch < self.epoch {
            return None;
        }
        if epoch > self.epoch {
            self.epoch = epoch;
            self.number = 0;
            self.files.clear();
            self.bytes = 0;
            self.oldest_part = 0;
            self.known.clear();
        }
        match update {
            Update::File(file) => {
                self.keep(&file);
                None
            }
            Update::State(state) => self.show(*state),
        }
    }

    fn keep(&mut self, file: &FileUpdate) {
        // What the stream keeps is heard again after each loss of the connection.
        if file.number < self.oldest_part {
            return;
        }
        if self.bytes.saturating_add(file.bytes.len()) > MOST_BYTES {
            self.files.clear();
            self.bytes = 0;
            self.oldest_part = 0;
        }
        // What came from the network keeps a buffer that is larger than the file.
        let bytes = Bytes::copy_from_slice(&file.bytes);
        self.bytes += bytes.len();
        if let Some(old) = self.files.insert(file.number, bytes) {
            self.bytes -= old.len();
        }
    }

    fn show(&mut self, state: StateUpdate) -> Option<ReplicaView> {
        if state.number <= self.number {
            // Kept by the stream, and heard before.
            return None;
        }
        let snapshot = match &state.lists {
            // Some of it is not here yet; the next state will do.
            Some(lists) => Some(self.rebuild(lists)?),
            None => {
                self.known.clear();
                None
            }
        };
        self.number = state.number;
        self.forget_unneeded(state.lists.as_ref());
        self.snapshot.clone_from(&snapshot);
        Some(ReplicaView {
            epoch: self.epoch,
            snapshot,
            on_air: state.on_air,
        })
    }

    /// The snapshot, without the oldest segments as far as their files are missing; `None` if newer ones are. It is the one
    /// before if nothing changed.
    fn rebuild(&mut self, lists: &ListsUpdate) -> Option<Arc<Snapshot>> {
        let mut known = Vec::with_capacity(lists.renditions.len());
        for update in &lists.renditions {
            let same = self
                .known
                .iter()
                .find(|one| one.is_ended == lists.is_ended && one.update == *update);
            let view = match same {
                Some(same) => Arc::clone(&same.view),
                None => {
                    let mut window = self.window(update)?;
                    // The number of a list's first segment must not fall when files come late.
                    window.unlist_before(self.first_listed(lists.token, update.rendition));
                    let (rendition, reports) = (update.rendition, &update.reports);
                    let view = RenditionView::render(rendition, &window, reports, lists.is_ended);
                    Arc::new(view)
                }
            };
            known.push(KnownRendition {
                update: update.clone(),
                is_ended: lists.is_ended,
                view,
            });
        }
        let find = |rendition: Rendition| {
            let mut all = known.iter();
            let found = all.find(|one| one.update.rendition == rendition);
            found.map(|one| Arc::clone(&one.view))
        };
        let audio = find(Rendition::Audio);
        let mut rungs = vec![None; lists.places];
        for one in &known {
            if let Rendition::Rung(place) = one.update.rendition
                && let Some(rung) = rungs.get_mut(place.index())
            {
                *rung = Some(Arc::clone(&one.view));
            }
        }
        let before = self.snapshot.as_ref().map(|before| &before.master);
        let master = match before.filter(|before| before.plain == lists.master.as_bytes()) {
            Some(before) => before.clone(),
            None => RenderedText::new(lists.master.clone()),
        };
        let snapshot = Snapshot {
            token: lists.token,
            master,
            main: match lists.is_sound_only {
                true => audio.clone(),
                false => find(Rendition::Main),
            },
            audio,
            aac: find(Rendition::Aac),
            rungs,
            is_ended: lists.is_ended,
            targets: lists.targets,
            described: Arc::default(),
        };
        // Views whose oldest files were missing are rendered anew when these have come.
        known.retain(|one| one.view.window.fetchable().count() == one.update.finished.len());
        self.known = known;
        let before = self.snapshot.as_ref();
        Some(match before.filter(|before| is_same(before, &snapshot)) {
            Some(before) => Arc::clone(before),
            None => Arc::new(snapshot),
        })
    }

    /// The first segment that this session's list has now.
    fn first_listed(&self, token: u64, rendition: Rendition) -> u64 {
        let before = self.snapshot.as_ref();
        let before = before.filter(|before| before.token == token);
        let view = before.and_then(|before| before.view(rendition));
        view.map_or(0, |view| view.window.first_listed())
    }

    fn window(&self, update: &RenditionUpdate) -> Option<RenditionWindow> {
        let inits = self.inits(update);
        let open = self.segment(&update.open, &inits)?;
        let mut finished = VecDeque::with_capacity(update.finished.len());
        for segment in update.finished.iter().rev() {
            let Some(segment) = self.segment(segment, &inits) else {
                break;
            };
            finished.push_front(Arc::new(segment));
        }
        let missing = update.finished.len() - finished.len();
        if missing > 0 && finished.is_empty() {
            // A list of one open segment would make players begin somewhere else than they would a moment later.
            return None;
        }
        // Discontinuities that left the list with segments that cannot be had.
        let listed_missing = update.finished.iter().take(missing).skip(update.unlisted);
        let gone = listed_missing.filter(|segment| segment.is_discontinuity);
        let sequence = update.discontinuity_sequence + gone.count() as u64;
        let unlisted = update.unlisted.saturating_sub(missing);
        let mut window =
            RenditionWindow::new(open, sequence, &update.targets).with_finished(finished, unlisted);
        window.has_dependent_segment = update.has_dependent_segment;
        window.rate = update.rate;
        Some(window)
    }

    /// Those that are here.
    fn inits(&self, update: &RenditionUpdate) -> Vec<Option<Arc<Init>>> {
        let inits = update.inits.iter().map(|init| {
            let bytes = self.files.get(&init.file)?.clone();
            let version = init.version;
            Some(Arc::new(Init { version, bytes }))
        });
        inits.collect()
    }

    fn segment(&self, update: &SegmentUpdate, inits: &[Option<Arc<Init>>]) -> Option<Segment> {
        let start = SegmentStart {
            msn: update.msn,
            at_us: update.start_us,
            date: update.date,
            is_discontinuity: update.is_discontinuity,
        };
        let init = inits.get(update.init)?.clone()?;
        let mut segment = Segment::begun(start, update.token, init);
        segment.parts.reserve(update.parts.len());
        for part in &update.parts {
            segment.duration_us += part.duration_us;
            segment.parts.push(PartialSegment {
                bytes: self.files.get(&part.file)?.clone(),
                duration_us: part.duration_us,
                is_independent: part.is_independent,
            });
        }
        Some(segment)
    }

    /// Forgets files that this state does not name and that are older than those it names, or all if it names none:
    /// nothing names them again.
    fn forget_unneeded(&mut self, lists: Option<&ListsUpdate>) {
        let renditions = lists.into_iter().flat_map(|lists| &lists.renditions);
        self.oldest_part = renditions
            .flat_map(RenditionUpdate::parts)
            .min()
            .unwrap_or(0);
        let named: HashSet<u64> = lists
            .into_iter()
            .flat_map(|lists| &lists.renditions)
            .flat_map(RenditionUpdate::files)
            .collect();
        let newest = named.iter().copied().max().unwrap_or(u64::MAX);
        let mut bytes = 0;
        self.files.retain(|number, file| {
            let is_needed = *number > newest || named.contains(number);
            bytes += if is_needed { file.len() } else { 0 };
            is_needed
        });
        self.bytes = bytes;
    }
}

/// Whether viewers get the same from both.
fn is_same(one: &Snapshot, other: &Snapshot) -> bool {
    let views = |of: &Snapshot| {
        let usual = [&of.main, &of.audio, &of.aac];
        let all = usual.into_iter().chain(&of.rungs);
        all.map(|view| view.as_ref().map(Arc::as_ptr))
            .collect::<Vec<_>>()
    };
    (one.token, one.is_ended, one.targets) == (other.token, other.is_ended, other.targets)
        && one.master.plain == other.master.plain
        && views(one) == views(other)
}

#[cfg(test)]
mod tests;
