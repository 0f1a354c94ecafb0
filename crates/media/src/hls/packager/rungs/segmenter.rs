//! One offered rung: puts its pictures into the parts between the source's cuts.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use media_formats::cmaf::Sample;
use media_formats::codec::VideoConfig;

use super::{Cut, PictureFrame};
use crate::hls::rendition_writer::RenditionWriter;
use crate::hls::snapshot::PictureDescription;
use crate::hls::targets::Targets;

/// Ticks of the video track in a millisecond.
const TICKS_PER_MS: i64 = 90;

/// A picture whose duration is unknown until the next one arrives.
#[derive(Debug)]
pub(super) struct PendingPicture {
    at_ms: i64,
    shown_ms: i64,
    is_key: bool,
    data: Bytes,
}

/// An offered rung.
#[derive(Debug)]
pub(super) struct RungSegmenter {
    pub(super) config: Arc<VideoConfig>,
    pub(super) writer: RenditionWriter,
    pub(super) picture: PictureDescription,
    pub(super) targets: Targets,
    /// The number of the next cut.
    pub(super) next_cut: u64,
    pub(super) pending: Option<PendingPicture>,
    /// The end of the pictures given to the writer.
    pub(super) end_ms: i64,
    pub(super) newest_ms: i64,
    pub(super) is_dirty: bool,
}

/// The index of a cut with this number in a list that begins with number `first`.
pub(in crate::hls::packager) fn place(number: u64, first: u64) -> usize {
    usize::try_from(number.saturating_sub(first)).unwrap_or(usize::MAX)
}

impl RungSegmenter {
    pub(super) fn open_bytes(&self) -> usize {
        let pending = self
            .pending
            .as_ref()
            .map_or(0, |pending| pending.data.len());
        self.writer.open_bytes() + pending
    }

    /// Adds the next picture of the rung.
    pub(super) fn push(&mut self, picture: PictureFrame, cuts: &VecDeque<Cut>, first_cut: u64) {
        let shown_ms = picture.shown_ms();
        let at_ms = match &self.pending {
            Some(pending) => picture.at_ms.max(pending.at_ms + 1),
            None => self.end_ms,
        };
        self.newest_ms = self.newest_ms.max(shown_ms);
        let rest = cuts.iter().skip(place(self.next_cut, first_cut));
        let mut passed = rest.take_while(|cut| match cut.key_shown_ms {
            Some(key_ms) => shown_ms >= key_ms,
            None => at_ms * 1000 >= cut.at_us,
        });
        if let Some(early_us) = self.ends_early(passed.clone())
            && let Some(cut) = passed.next()
        {
            self.close(cut, early_us);
        }
        // With fewer pictures than the source, a rung may have none at a cut of the source. Then the previous picture
        // lasts up to the cut and this one is decoded there, so that parts have their listed durations; presentation
        // times stay.
        let last_cut = passed.clone().last();
        self.release(last_cut.map_or(at_ms, |cut| cut.at_us / 1000));
        for cut in passed {
            self.pass(cut);
        }
        self.pending = Some(PendingPicture {
            at_ms: self.end_ms,
            shown_ms,
            is_key: picture.is_key,
            data: picture.data,
        });
    }

    /// Writes the pending picture, now that its duration is known.
    fn release(&mut self, next_ms: i64) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let next_ms = next_ms.max(pending.at_ms + 1);
        let ticks = (next_ms - pending.at_ms) * TICKS_PER_MS;
        let composition = (pending.shown_ms - pending.at_ms) * TICKS_PER_MS;
        let sample = Sample {
            data: pending.data,
            duration: u32::try_from(ticks).unwrap_or(u32::MAX),
            composition: i32::try_from(composition).unwrap_or_default(),
            is_sync: pending.is_key,
        };
        self.writer
            .add((pending.at_ms * TICKS_PER_MS).unsigned_abs(), sample);
        self.end_ms = next_ms;
    }

    /// Where the open part ends if the pending picture has to begin the next one, which would be empty otherwise: the
    /// last part of a segment may be shorter than a picture. `None` if the open part would be too short for that.
    fn ends_early<'a>(&self, mut passed: impl Iterator<Item = &'a Cut>) -> Option<i64> {
        let pending_us = self.pending.as_ref()?.at_ms * 1000;
        let (first, second) = (passed.next()?, passed.next()?);
        let fits = passed.next().is_none()
            && first.next_segment.is_none()
            && pending_us - self.writer.part_start_us >= self.targets.shortest_part_us()
            && second.at_us - pending_us <= self.targets.longest_part_us();
        fits.then_some(pending_us)
    }

    pub(super) fn pass(&mut self, cut: &Cut) {
        self.release(cut.at_us / 1000);
        self.close(cut, cut.at_us);
    }

    /// Ends the open part at `end_us`, and the segment if it ends with this cut.
    fn close(&mut self, cut: &Cut, end_us: i64) {
        self.writer.close_part(end_us - self.writer.part_start_us);
        if let Some(next) = cut.next_segment {
            self.writer.close_segment(next);
        }
        self.next_cut += 1;
        self.is_dirty = true;
    }

    /// Ends the open segment with the source's duration and the pictures it has so far.
    pub(super) fn end<'a>(&mut self, rest: impl Iterator<Item = &'a Cut>) {
        if self.pending.is_none()
            && self.writer.window.open.is_empty()
            && !self.writer.has_open_samples()
        {
            return;
        }
        for cut in rest {
            self.pass(cut);
            if cut.next_segment.is_some() {
                break;
            }
        }
    }
}
