//! What is known from earlier responses. Rules that span reloads compare a new playlist with it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use jiff::Timestamp;

use super::model::{Edge, Hint, MediaPlaylist, PartialSegment, Segment, ServerControl};

/// Everything known about one rendition.
#[derive(Debug, Default)]
pub(crate) struct PlaylistHistory {
    /// By media sequence number. Never forgotten: a name that left the window must not be reused either.
    pub(crate) segments: BTreeMap<u64, SegmentRecord>,
    /// The meaning of each name.
    pub(crate) names: HashMap<String, Meaning>,
    /// The first values of those that may not change.
    pub(crate) frozen: FrozenValues,
    /// The previous response.
    pub(crate) previous: Option<PreviousAnswer>,
    /// How long the list was when it was longest.
    pub(crate) longest: Duration,
    /// Some playlist had EXT-X-INDEPENDENT-SEGMENTS.
    pub(crate) saw_independent_tag: bool,
    /// Some segment began with a part that is not independent.
    pub(crate) saw_dependent_start: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Segment(u64),
    Part(u64, usize),
    Map,
}

#[derive(Debug, Default)]
pub(crate) struct SegmentRecord {
    /// Absent while only parts are known.
    pub(crate) whole: Option<(String, Duration)>,
    pub(crate) date: Option<Timestamp>,
    /// EXT-X-DISCONTINUITY-SEQUENCE plus the tags up to this segment.
    pub(crate) discontinuity_number: Option<u64>,
    pub(crate) has_discontinuity: bool,
    pub(crate) is_gap: bool,
    pub(crate) map: Option<String>,
    pub(crate) parts: Vec<PartialSegment>,
}

#[derive(Debug, Default)]
pub(crate) struct FrozenValues {
    pub(crate) version: Option<u64>,
    pub(crate) target_duration: Option<u64>,
    pub(crate) part_target: Option<Duration>,
    pub(crate) control: Option<ServerControl>,
}

#[derive(Debug)]
pub(crate) struct PreviousAnswer {
    pub(crate) asked_at: Duration,
    pub(crate) media_sequence: u64,
    pub(crate) edge: Option<Edge>,
    pub(crate) open_msn: u64,
    pub(crate) hints: Vec<Hint>,
    pub(crate) is_ended: bool,
    /// Whether nothing was listed after the last complete segment.
    pub(crate) ends_with_whole_segment: bool,
    /// When the last response without today's newest part was requested.
    pub(crate) older_asked_at: Option<Duration>,
}

impl PlaylistHistory {
    /// The number of each entry of [`MediaPlaylist::numbered`], unless it depends on skipped segments
    /// that were never seen.
    pub(crate) fn discontinuity_numbers(&self, list: &MediaPlaylist) -> Vec<Option<u64>> {
        let before = list.first_listed().checked_sub(1);
        let mut number = match list.skip {
            None => Some(list.discontinuity_sequence),
            Some(_) => before
                .and_then(|msn| self.segments.get(&msn))
                .and_then(|segment| segment.discontinuity_number),
        };
        let mut numbers = Vec::new();
        for (_, segment) in list.numbered() {
            if segment.discontinuity.is_some() {
                number = number.map(|number| number + 1);
            }
            numbers.push(number);
        }
        numbers
    }

    /// Segments after EXT-X-SKIP inherit no map from the text; sets the one in force.
    pub(crate) fn inherit_map(&self, list: &mut MediaPlaylist) {
        if list.skip.is_none() {
            return;
        }
        let before = list.first_listed().checked_sub(1);
        let inherited = before
            .and_then(|msn| self.segments.get(&msn))
            .and_then(|segment| segment.map.clone());
        let entries = list.segments.iter_mut().chain([&mut list.open]);
        for segment in entries.filter(|segment| segment.map.is_none()) {
            segment.map.clone_from(&inherited);
        }
    }

    /// The length of the list with what a delta update left out.
    pub(crate) fn length(&self, list: &MediaPlaylist) -> Duration {
        let skipped = self
            .segments
            .range(list.media_sequence..list.first_listed());
        let skipped = skipped.filter_map(|(_, segment)| segment.whole.as_ref());
        let listed = list.numbered().map(|(_, segment)| segment.length());
        skipped.map(|(_, duration)| *duration).chain(listed).sum()
    }

    /// Records the content of `list`, after all rules have seen it.
    pub(crate) fn learn(&mut self, list: &MediaPlaylist, asked_at: Duration) {
        let numbers = self.discontinuity_numbers(list);
        for ((msn, segment), number) in list.numbered().zip(numbers) {
            self.learn_names(msn, segment);
            let is_first_part_dependent = segment
                .parts
                .first()
                .is_some_and(|part| !part.is_independent);
            self.saw_dependent_start |= is_first_part_dependent;
            let entry = self.segments.entry(msn).or_default();
            if segment.is_complete() {
                entry.whole = Some((segment.uri.clone(), segment.duration));
            }
            entry.date = entry.date.or(segment.date.map(|(date, _)| date));
            entry.discontinuity_number = number.or(entry.discontinuity_number);
            entry.has_discontinuity |= segment.discontinuity.is_some();
            entry.is_gap |= segment.is_gap;
            entry.map.clone_from(&segment.map);
            if segment.parts.len() > entry.parts.len() {
                entry.parts.clone_from(&segment.parts);
            }
        }
        self.longest = self.longest.max(self.length(list));
        self.saw_independent_tag |= list.is_independent;
        self.frozen.learn(list);
        let edge = list.edge();
        let older_asked_at = match &self.previous {
            Some(previous) if previous.edge == edge => previous.older_asked_at,
            Some(previous) => Some(previous.asked_at),
            None => None,
        };
        self.previous = Some(PreviousAnswer {
            asked_at,
            media_sequence: list.media_sequence,
            edge,
            open_msn: list.open_msn(),
            hints: list.hints.clone(),
            is_ended: list.is_ended,
            ends_with_whole_segment: list.open.parts.is_empty() && !list.segments.is_empty(),
            older_asked_at,
        });
    }

    fn learn_names(&mut self, msn: u64, segment: &Segment) {
        for (name, meaning) in meanings(msn, segment) {
            self.names.entry(name.to_owned()).or_insert(meaning);
        }
    }
}

/// The names that a segment uses, with their meanings.
pub(crate) fn meanings(msn: u64, segment: &Segment) -> Vec<(&str, Meaning)> {
    let mut found = Vec::new();
    if let Some(map) = &segment.map {
        found.push((map.as_str(), Meaning::Map));
    }
    for (index, part) in segment.parts.iter().enumerate() {
        found.push((part.uri.as_str(), Meaning::Part(msn, index)));
    }
    if segment.is_complete() {
        found.push((segment.uri.as_str(), Meaning::Segment(msn)));
    }
    found
}

impl FrozenValues {
    fn learn(&mut self, list: &MediaPlaylist) {
        self.version = self.version.or(list.version);
        self.target_duration = self.target_duration.or(list.target_duration);
        self.part_target = self.part_target.or(list.part_target);
        if self.control.is_none() {
            self.control.clone_from(&list.control);
        }
    }
}
