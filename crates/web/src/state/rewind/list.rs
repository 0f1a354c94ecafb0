//! The list of one rendition, as texts.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use archive::rewind::{Past, RewindSegment};
use media::hls::{
    ChainedText, InitName, PastSegment, Rendition, RenditionView, RewindList, RewindNumbers,
    TextPiece, past_text,
};

/// Segments in a piece.
const PIECE_SEGMENTS: u64 = 64;
/// Segments that a delta update may have to repeat: six target durations of the shortest ones.
const NEWEST_SEGMENTS: u64 = 64;

/// What a list ends with.
pub(super) struct ListMoment<'a> {
    pub(super) view: &'a Arc<RenditionView>,
    pub(super) is_ended: bool,
    pub(super) numbers: RewindNumbers,
    /// The renditions that can be rewound.
    pub(super) offered: &'a [Rendition],
}

/// The list of one rendition.
#[derive(Debug)]
pub(super) struct RenditionList {
    rendition: Rendition,
    past: Past,
    /// What the pieces were made of: its first number, and the one after the last.
    span: Option<(u64, u64)>,
    /// By the number of their first segment.
    pieces: BTreeMap<u64, ListPiece>,
    newest: Vec<PastSegment>,
    current: Option<CurrentTexts>,
}

/// A run of segments in the past.
#[derive(Debug)]
struct ListPiece {
    /// The number after its last segment.
    until: u64,
    /// The init segment in force before it.
    init: Option<InitName>,
    text: TextPiece,
}

/// What was asked for since the live playlist is as it is.
#[derive(Debug)]
struct CurrentTexts {
    view: Weak<RenditionView>,
    full: Option<ChainedText>,
    /// `Some(None)` if there is nothing to leave out.
    delta: Option<Option<ChainedText>>,
}

impl RenditionList {
    pub(super) fn new(rendition: Rendition, past: Past) -> Self {
        Self {
            rendition,
            past,
            span: None,
            pieces: BTreeMap::new(),
            newest: Vec::new(),
            current: None,
        }
    }

    pub(super) fn rendition(&self) -> Rendition {
        self.rendition
    }

    pub(super) fn past(&self) -> &Past {
        &self.past
    }

    pub(super) fn past_mut(&mut self) -> &mut Past {
        &mut self.past
    }

    /// What was rendered is no longer true.
    pub(super) fn forget_texts(&mut self) {
        self.current = None;
    }

    /// The text for this moment, if somebody asked for it already.
    pub(super) fn rendered(
        &self,
        view: &Arc<RenditionView>,
        wants_delta: bool,
    ) -> Option<ChainedText> {
        let current = self.current.as_ref();
        let current = current.filter(|current| current.view.as_ptr() == Arc::as_ptr(view))?;
        match &current.delta {
            Some(Some(delta)) if wants_delta => Some(delta.clone()),
            None if wants_delta => None,
            _ => current.full.clone(),
        }
    }

    /// Writes what is new of the past. What was said of a segment stays, so a piece stays while it has the same ones.
    fn refresh(&mut self) {
        let (first, next) = (self.past.first(), self.past.next());
        if self.span == Some((first, next)) {
            return;
        }
        self.span = Some((first, next));
        self.current = None;
        let mut known = std::mem::take(&mut self.pieces);
        let mut init = None;
        let mut from = first;
        while from < next {
            let until = ((from / PIECE_SEGMENTS + 1) * PIECE_SEGMENTS).min(next);
            let same = known
                .remove(&from)
                .filter(|piece| (piece.until, piece.init) == (until, init));
            let piece = same.unwrap_or_else(|| {
                let segments: Vec<PastSegment> = self.past.range(from..until).map(said).collect();
                ListPiece {
                    until,
                    init,
                    text: TextPiece::new(past_text(&segments, init)),
                }
            });
            self.pieces.insert(from, piece);
            init = self
                .past
                .range(until - 1..until)
                .next()
                .map(|last| last.init);
            from = until;
        }
        let newest = next.saturating_sub(NEWEST_SEGMENTS).max(first)..next;
        self.newest = self.past.range(newest).map(said).collect();
    }

    /// The text for this moment.
    pub(super) fn render(&mut self, moment: &ListMoment<'_>, wants_delta: bool) -> ChainedText {
        self.refresh();
        let list = RewindList {
            rendition: self.rendition,
            view: moment.view,
            is_ended: moment.is_ended,
            numbers: moment.numbers,
            first: self.past.first(),
            discontinuity_sequence: self.past.discontinuity_sequence(),
            newest: &self.newest,
            begins_anew: self.past.begins_anew(),
            offered: moment.offered,
        };
        let view = moment.view;
        let current = self.current.take();
        let current = current.filter(|current| current.view.as_ptr() == Arc::as_ptr(view));
        let current = self.current.insert(current.unwrap_or_else(|| CurrentTexts {
            view: Arc::downgrade(view),
            full: None,
            delta: None,
        }));
        if wants_delta {
            let delta = current.delta.get_or_insert_with(|| {
                let delta = list.delta().map(TextPiece::new);
                delta.map(|delta| ChainedText::of([&delta]))
            });
            if let Some(delta) = delta {
                return delta.clone();
            }
        }
        let full = current.full.get_or_insert_with(|| {
            let (head, end) = (TextPiece::new(list.head()), TextPiece::new(list.end()));
            let past = self.pieces.values().map(|piece| &piece.text);
            ChainedText::of([&head].into_iter().chain(past).chain([&end]))
        });
        full.clone()
    }
}

fn said(segment: &RewindSegment) -> PastSegment {
    PastSegment {
        token: segment.token,
        msn: segment.msn,
        init: segment.init,
        duration_us: segment.duration_us,
        date: segment.date,
        is_discontinuity: segment.is_discontinuity,
        is_independent: segment.is_independent,
        is_gap: segment.is_gap,
    }
}
