//! Updates as bytes: a version, then the fields in order. Numbers are written seven bits at a time, the lowest first, with
//! the eighth bit saying that more follow.
//!
//! What is read comes from another machine, perhaps of another version: it is refused unless every number is one that
//! the rest of this crate can calculate with.

use std::sync::Arc;

use bytes::{Buf, Bytes};
use jiff::Timestamp;
use thiserror::Error;

use super::update::{
    FileUpdate, InitUpdate, ListsUpdate, OnAir, PartUpdate, RenditionUpdate, SegmentUpdate,
    StateUpdate, Update,
};
use crate::hls::name::{Rendition, RungIndex};
use crate::hls::playlist::{RenditionReport, RenditionReports};
use crate::hls::rendition_window::BitRate;
use crate::hls::targets::Targets;

/// The version that is written, and the only one that is read so far.
const VERSION: u8 = 1;
const FILE: u8 = 1;
const STATE: u8 = 2;

/// Bytes of a state. A usual one has two thousand per rendition.
const MAX_STATE_BYTES: usize = 4 * 1024 * 1024;
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Segments of a rendition, fetchable and open; the window holds fewer.
const MAX_SEGMENTS: usize = 128;
const MAX_PARTS: usize = 4096;
/// Renditions there can be: the source, two sounds, and the rungs.
const MAX_RENDITIONS: usize = 16;
/// Sums of as many of these as there can be fit into 64 bits.
const MAX_NUMBER: u64 = 1 << 52;
/// Microseconds of a part, and of a promise: twelve days.
const MAX_US: u64 = 1 << 40;

/// An update of another version, or none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an update of the stream cannot be read")]
pub struct UnreadableUpdate;

impl Update {
    pub fn to_bytes(&self) -> Bytes {
        let mut out = UpdateWriter(vec![VERSION]);
        match self {
            Self::File(file) => {
                out.0.reserve(file.bytes.len() + 32);
                out.byte(FILE);
                out.number(file.epoch);
                out.number(file.number);
                out.0.extend_from_slice(&file.bytes);
            }
            Self::State(state) => {
                out.byte(STATE);
                out.state(state);
            }
        }
        Bytes::from(out.0)
    }

    /// The bytes of a file are not copied.
    pub fn parse(bytes: Bytes) -> Result<Self, UnreadableUpdate> {
        UpdateReader(bytes).update().ok_or(UnreadableUpdate)
    }
}

struct UpdateWriter(Vec<u8>);

impl UpdateWriter {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn flag(&mut self, flag: bool) {
        self.byte(u8::from(flag));
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    /// A number that may be negative, small ones in few bytes.
    fn signed(&mut self, number: i64) {
        self.number((number.unsigned_abs() << 1) | u64::from(number < 0));
    }

    /// Random, so shortening it makes it longer.
    fn token(&mut self, token: u64) {
        self.0.extend_from_slice(&token.to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.size(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn date(&mut self, date: Timestamp) {
        self.signed(date.as_second());
        self.signed(i64::from(date.subsec_nanosecond()));
    }

    fn state(&mut self, state: &StateUpdate) {
        self.number(state.epoch);
        self.number(state.number);
        self.flag(state.on_air.is_some());
        if let Some(on_air) = &state.on_air {
            self.text(&on_air.id);
            self.date(on_air.started_at);
            self.number(u64::from(on_air.peak_viewers));
            self.byte(on_air.level);
            self.flag(on_air.is_waiting);
        }
        self.flag(state.lists.is_some());
        if let Some(lists) = &state.lists {
            self.token(lists.token);
            self.flag(lists.is_ended);
            self.targets(&lists.targets);
            self.text(&lists.master);
            self.flag(lists.is_sound_only);
            self.size(lists.places);
            self.size(lists.renditions.len());
            for rendition in &lists.renditions {
                self.rendition(rendition);
            }
        }
    }

    fn targets(&mut self, targets: &Targets) {
        self.signed(targets.segment_us);
        self.flag(targets.part_us.is_some());
        if let Some(part_us) = targets.part_us {
            self.signed(part_us);
        }
        self.signed(targets.longest_us);
        self.signed(targets.leading_us);
        self.signed(targets.cut_us);
    }

    fn folder(&mut self, rendition: Rendition) {
        self.byte(match rendition {
            Rendition::Main => 0,
            Rendition::Audio => 1,
            Rendition::Aac => 2,
            Rendition::Rung(place) => 3 + place.index() as u8,
        });
    }

    fn rendition(&mut self, update: &RenditionUpdate) {
        self.folder(update.rendition);
        self.targets(&update.targets);
        self.number(update.discontinuity_sequence);
        self.flag(update.has_dependent_segment);
        self.number(update.rate.peak);
        self.number(update.rate.bytes);
        self.number(update.rate.us);
        for report in update.reports.usual {
            self.flag(report.is_some());
            if let Some(report) = report {
                self.report(report);
            }
        }
        self.size(update.reports.encoded.len());
        for report in &update.reports.encoded {
            self.report(*report);
        }
        self.size(update.inits.len());
        for init in &update.inits {
            self.number(u64::from(init.version));
            self.number(init.file);
        }
        self.size(update.unlisted);
        self.size(update.finished.len());
        for segment in update.finished.iter().chain([&update.open]) {
            self.segment(segment);
        }
    }

    fn report(&mut self, report: RenditionReport) {
        self.folder(report.rendition);
        self.number(report.msn);
        self.flag(report.part.is_some());
        if let Some(part) = report.part {
            self.size(part);
        }
    }

    fn segment(&mut self, segment: &SegmentUpdate) {
        self.token(segment.token);
        self.number(segment.msn);
        self.signed(segment.start_us);
        self.date(segment.date);
        self.flag(segment.is_discontinuity);
        self.size(segment.init);
        self.size(segment.parts.len());
        for part in &segment.parts {
            self.number(part.file);
            self.signed(part.duration_us);
            self.flag(part.is_independent);
        }
    }
}

struct UpdateReader(Bytes);

impl UpdateReader {
    fn update(mut self) -> Option<Update> {
        if self.byte()? != VERSION {
            return None;
        }
        match self.byte()? {
            FILE => Some(Update::File(FileUpdate {
                epoch: self.number()?,
                number: self.number()?,
                bytes: self.0,
            })),
            STATE if self.0.len() <= MAX_STATE_BYTES => {
                let state = self.state()?;
                self.0.is_empty().then(|| Update::State(Box::new(state)))
            }
            _ => None,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.0.first()?;
        self.0.advance(1);
        Some(byte)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<u64> {
        let mut number: u64 = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn number_up_to(&mut self, most: u64) -> Option<u64> {
        self.number().filter(|number| *number <= most)
    }

    fn size(&mut self, most: usize) -> Option<usize> {
        let size = usize::try_from(self.number()?).ok()?;
        (size <= most).then_some(size)
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        let size = i64::try_from(number >> 1).ok()?;
        Some(if number & 1 == 1 { -size } else { size })
    }

    /// Microseconds of something that takes time.
    fn us(&mut self) -> Option<i64> {
        let us = self.signed()?;
        (0..=MAX_US.cast_signed()).contains(&us).then_some(us)
    }

    fn token(&mut self) -> Option<u64> {
        (self.0.len() >= 8).then(|| self.0.get_u64())
    }

    fn text(&mut self) -> Option<String> {
        let size = self.size(MAX_TEXT_BYTES)?;
        if size > self.0.len() {
            return None;
        }
        let text = self.0.split_to(size);
        String::from_utf8(text.to_vec()).ok()
    }

    fn date(&mut self) -> Option<Timestamp> {
        let second = self.signed()?;
        let nanosecond = i32::try_from(self.signed()?).ok()?;
        Timestamp::new(second, nanosecond).ok()
    }

    fn state(&mut self) -> Option<StateUpdate> {
        let (epoch, number) = (self.number()?, self.number()?);
        let on_air = match self.flag()? {
            true => Some(OnAir {
                id: self.text()?,
                started_at: self.date()?,
                peak_viewers: u32::try_from(self.number()?).ok()?,
                level: self.byte()?,
                is_waiting: self.flag()?,
            }),
            false => None,
        };
        let lists = match self.flag()? {
            true => Some(self.lists()?),
            false => None,
        };
        Some(StateUpdate {
            epoch,
            number,
            on_air,
            lists,
        })
    }

    fn lists(&mut self) -> Option<ListsUpdate> {
        let token = self.token()?;
        let is_ended = self.flag()?;
        let targets = self.targets()?;
        let master = self.text()?;
        let is_sound_only = self.flag()?;
        let places = self.size(MAX_RENDITIONS)?;
        let mut renditions = Vec::new();
        for _ in 0..self.size(MAX_RENDITIONS)? {
            renditions.push(self.rendition()?);
        }
        Some(ListsUpdate {
            token,
            is_ended,
            targets,
            master,
            is_sound_only,
            places,
            renditions,
        })
    }

    fn targets(&mut self) -> Option<Targets> {
        Some(Targets {
            segment_us: self.us()?,
            part_us: match self.flag()? {
                true => Some(self.us()?),
                false => None,
            },
            longest_us: self.us()?,
            leading_us: self.us()?,
            cut_us: self.us()?,
        })
    }

    fn folder(&mut self) -> Option<Rendition> {
        Some(match self.byte()? {
            0 => Rendition::Main,
            1 => Rendition::Audio,
            2 => Rendition::Aac,
            rung => Rendition::Rung(RungIndex::new(usize::from(rung) - 3)?),
        })
    }

    fn rendition(&mut self) -> Option<RenditionUpdate> {
        let rendition = self.folder()?;
        let targets = self.targets()?;
        let discontinuity_sequence = self.number_up_to(MAX_NUMBER)?;
        let has_dependent_segment = self.flag()?;
        let rate = BitRate {
            peak: self.number_up_to(u64::MAX >> 8)?,
            bytes: self.number_up_to(u64::MAX >> 8)?,
            us: self.number_up_to(u64::MAX >> 8)?,
        };
        let reports = Arc::new(self.reports()?);
        let mut inits = Vec::new();
        for _ in 0..self.size(MAX_SEGMENTS)? {
            inits.push(InitUpdate {
                version: u32::try_from(self.number()?).ok()?,
                file: self.number()?,
            });
        }
        let unlisted = self.size(MAX_SEGMENTS)?;
        let mut finished: Vec<SegmentUpdate> = Vec::new();
        for _ in 0..self.size(MAX_SEGMENTS)? {
            let segment = self.segment(inits.len())?;
            let is_next = finished.last().is_none_or(|last| last.msn < segment.msn);
            if !is_next || segment.parts.is_empty() {
                return None;
            }
            finished.push(segment);
        }
        let open = self.segment(inits.len())?;
        let is_next = finished.last().is_none_or(|last| last.msn < open.msn);
        (is_next && unlisted <= finished.len()).then_some(RenditionUpdate {
            rendition,
            targets,
            discontinuity_sequence,
            has_dependent_segment,
            rate,
            reports,
            inits,
            unlisted,
            finished,
            open,
        })
    }

    fn reports(&mut self) -> Option<RenditionReports> {
        let mut usual = [None; 2];
        for report in &mut usual {
            if self.flag()? {
                *report = Some(self.report()?);
            }
        }
        let mut encoded = Vec::new();
        for _ in 0..self.size(MAX_RENDITIONS)? {
            encoded.push(self.report()?);
        }
        Some(RenditionReports { usual, encoded })
    }

    fn report(&mut self) -> Option<RenditionReport> {
        Some(RenditionReport {
            rendition: self.folder()?,
            msn: self.number()?,
            part: match self.flag()? {
                true => Some(self.size(MAX_PARTS)?),
                false => None,
            },
        })
    }

    fn segment(&mut self, inits: usize) -> Option<SegmentUpdate> {
        let token = self.token()?;
        let msn = self.number_up_to(MAX_NUMBER)?;
        let start_us = self.signed()?;
        let date = self.date()?;
        let is_discontinuity = self.flag()?;
        let init = self.size(MAX_SEGMENTS)?;
        let mut parts = Vec::new();
        for _ in 0..self.size(MAX_PARTS)? {
            parts.push(PartUpdate {
                file: self.number()?,
                duration_us: self.us()?,
                is_independent: self.flag()?,
            });
        }
        (init < inits && start_us.unsigned_abs() <= MAX_NUMBER).then_some(SegmentUpdate {
            token,
            msn,
            start_us,
            date,
            is_discontinuity,
            init,
            parts,
        })
    }
}
