//! Tells snapshots.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::update::{
    FileUpdate, InitUpdate, ListsUpdate, OnAir, PartUpdate, RenditionUpdate, SegmentUpdate,
    StateUpdate, Update,
};
use crate::hls::name::{Rendition, RungIndex};
use crate::hls::segment::{Init, Segment};
use crate::hls::snapshot::{RenditionView, Snapshot};

/// Init segments are told again this often: they live longer than the stream keeps what it is told, and are small.
const TELL_INIT_AGAIN: Duration = Duration::from_secs(10);
/// Parts that are listed for so long, because their publisher is away, are told again before the stream forgets them.
const TELL_PART_AGAIN: Duration = Duration::from_secs(90);

/// Turns the snapshots of one holder of the stream into updates.
#[derive(Debug)]
pub struct SnapshotPublisher {
    epoch: u64,
    states: u64,
    files: u64,
    /// Files of the last snapshot by where they are in memory: bytes that are shared are the same file, whatever it is
    /// called. Holding them keeps their place from being given to others.
    told: HashMap<(usize, usize), ToldFile>,
}

#[derive(Clone, Debug)]
struct ToldFile {
    number: u64,
    /// Never read: it keeps the place.
    _kept: Bytes,
    /// When it was told last; `None` if that was lost.
    at: Option<Duration>,
    is_init: bool,
}

/// One pass over a snapshot.
struct SnapshotPass<'a> {
    publisher: &'a mut SnapshotPublisher,
    now: Duration,
    found: HashMap<(usize, usize), ToldFile>,
    updates: Vec<Update>,
}

impl SnapshotPublisher {
    /// `epoch` is higher than that of every holder before.
    pub fn new(epoch: u64) -> Self {
        Self {
            epoch,
            states: 0,
            files: 0,
            told: HashMap::new(),
        }
    }

    /// What makes others show this snapshot: files they do not have yet, and the state. `now` is any clock that only
    /// moves on.
    pub fn tell(
        &mut self,
        snapshot: Option<&Snapshot>,
        on_air: Option<OnAir>,
        now: Duration,
    ) -> Vec<Update> {
        self.states += 1;
        let (epoch, number) = (self.epoch, self.states);
        let mut pass = SnapshotPass {
            publisher: self,
            now,
            found: HashMap::new(),
            updates: Vec::new(),
        };
        let lists = snapshot.map(|snapshot| pass.lists(snapshot));
        let SnapshotPass {
            found, mut updates, ..
        } = pass;
        self.told = found;
        updates.push(Update::State(Box::new(StateUpdate {
            epoch,
            number,
            on_air,
            lists,
        })));
        updates
    }

    /// What was told is lost, perhaps: the next time, all files are told again. They keep their numbers, so that whoever has
    /// them misses nothing while they are on their way.
    pub fn reset(&mut self) {
        for told in self.told.values_mut() {
            told.at = None;
        }
    }

    /// Some of what was told is lost: the next time, init segments are told again, without which nothing can be shown.
    pub fn tell_inits_again(&mut self) {
        for told in self.told.values_mut().filter(|told| told.is_init) {
            told.at = None;
        }
    }
}

impl SnapshotPass<'_> {
    fn lists(&mut self, snapshot: &Snapshot) -> ListsUpdate {
        let is_sound_only = snapshot.picture().is_none() && snapshot.main.is_some();
        let main = snapshot.main.as_ref().filter(|_| !is_sound_only);
        let usual = [
            (Rendition::Main, main),
            (Rendition::Audio, snapshot.audio.as_ref()),
            (Rendition::Aac, snapshot.aac.as_ref()),
        ];
        let rungs = RungIndex::all().map(|place| {
            let view = snapshot.rungs.get(place.index());
            (Rendition::Rung(place), view.and_then(Option::as_ref))
        });
        let mut renditions = Vec::new();
        for (rendition, view) in usual.into_iter().chain(rungs) {
            if let Some(view) = view {
                renditions.push(self.rendition(rendition, view));
            }
        }
        ListsUpdate {
            token: snapshot.token,
            is_ended: snapshot.is_ended,
            targets: snapshot.targets,
            master: String::from_utf8_lossy(&snapshot.master.plain).into_owned(),
            is_sound_only,
            places: snapshot.rungs.len().min(RungIndex::all().count()),
            renditions,
        }
    }

    fn rendition(&mut self, rendition: Rendition, view: &RenditionView) -> RenditionUpdate {
        let window = &view.window;
        let mut inits: Vec<(Arc<Init>, InitUpdate)> = Vec::new();
        let finished = window.fetchable();
        let finished = finished.map(|segment| self.segment(segment, &mut inits));
        let finished = finished.collect();
        let open = self.segment(&window.open, &mut inits);
        RenditionUpdate {
            rendition,
            targets: window.targets,
            discontinuity_sequence: window.discontinuity_sequence,
            has_dependent_segment: window.has_dependent_segment,
            rate: window.rate,
            reports: Arc::clone(&view.reports),
            inits: inits.into_iter().map(|(_, init)| init).collect(),
            unlisted: window.unlisted(),
            finished,
            open,
        }
    }

    fn segment(
        &mut self,
        segment: &Segment,
        inits: &mut Vec<(Arc<Init>, InitUpdate)>,
    ) -> SegmentUpdate {
        let known = inits
            .iter()
            .rposition(|(known, _)| Arc::ptr_eq(known, &segment.init));
        let init = known.unwrap_or_else(|| {
            let file = self.file(&segment.init.bytes, true);
            let version = segment.init.version;
            inits.push((Arc::clone(&segment.init), InitUpdate { version, file }));
            inits.len() - 1
        });
        let mut parts = Vec::with_capacity(segment.parts.len());
        for part in &segment.parts {
            parts.push(PartUpdate {
                file: self.file(&part.bytes, false),
                duration_us: part.duration_us,
                is_independent: part.is_independent,
            });
        }
        SegmentUpdate {
            token: segment.token,
            msn: segment.msn,
            start_us: segment.start_us,
            date: segment.date,
            is_discontinuity: segment.is_discontinuity,
            init,
            parts,
        }
    }

    /// The number of this file, which is told if that was not done lately.
    fn file(&mut self, bytes: &Bytes, is_init: bool) -> u64 {
        let place = (bytes.as_ptr() as usize, bytes.len());
        if let Some(found) = self.found.get(&place) {
            return found.number;
        }
        let again = if is_init {
            TELL_INIT_AGAIN
        } else {
            TELL_PART_AGAIN
        };
        let told = self.publisher.told.get(&place).cloned();
        let now = self.now;
        let fresh = told
            .as_ref()
            .filter(|told| told.at.is_some_and(|at| now.saturating_sub(at) < again));
        if let Some(told) = fresh {
            self.found.insert(place, told.clone());
            return told.number;
        }
        let number = told.map_or_else(|| self.publisher.next_file(), |told| told.number);
        self.updates.push(Update::File(FileUpdate {
            epoch: self.publisher.epoch,
            number,
            bytes: bytes.clone(),
        }));
        let told = ToldFile {
            number,
            _kept: bytes.clone(),
            at: Some(self.now),
            is_init,
        };
        self.found.insert(place, told);
        number
    }
}

impl SnapshotPublisher {
    fn next_file(&mut self) -> u64 {
        self.files += 1;
        self.files
    }
}
