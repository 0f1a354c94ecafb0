//! The text of a media playlist: a pure function of its content.

use std::fmt::Write;

use jiff::Timestamp;

use super::name::{HlsFile, Rendition};
use super::rendition_window::RenditionWindow;
use super::segment::{PartialSegment, Segment};

/// Delta updates need version 9; the number never changes.
pub(super) const VERSION: u32 = 9;
/// Parts are listed for segments this many target durations from the end.
const PARTS_TARGETS: i64 = 3;
/// The title of a segment that begins in the middle of a group of pictures. Players ignore titles; our own page starts
/// at a segment without one, since parts, which say it in a standard way, are listed for the newest segments only.
const CONTINUES: &str = "continues";
/// A playlist of the usual size, so that writing does not grow the buffer step by step.
const USUAL_BYTES: usize = 4096;

/// The state of another rendition, for its rendition report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RenditionReport {
    pub(super) rendition: Rendition,
    pub(super) msn: u64,
    pub(super) part: Option<usize>,
}

impl RenditionReport {
    pub(super) fn of(rendition: Rendition, window: &RenditionWindow) -> Option<Self> {
        let lists_parts = window.lists_parts();
        let newest = if window.open.is_empty() || !lists_parts {
            window.listed().next_back()?.as_ref()
        } else {
            &window.open
        };
        Some(Self {
            rendition,
            msn: newest.msn,
            part: lists_parts.then(|| newest.parts.len() - 1),
        })
    }
}

/// The state of all offered renditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RenditionReports {
    /// The source and the sound.
    pub(super) usual: [Option<RenditionReport>; 2],
    /// The encoded renditions; most streams have none.
    pub(super) encoded: Vec<RenditionReport>,
}

/// Everything a playlist depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct MediaPlaylist<'a> {
    pub(super) rendition: Rendition,
    pub(super) window: &'a RenditionWindow,
    pub(super) reports: &'a RenditionReports,
    pub(super) is_ended: bool,
}

impl MediaPlaylist<'_> {
    /// The listed duration of the open segment.
    pub(super) fn open_us(&self) -> i64 {
        if self.window.lists_parts() {
            self.window.open.duration_us
        } else {
            0
        }
    }

    /// Number of segments a delta update may skip: those that end further from the end than promised.
    pub(super) fn skippable(&self) -> usize {
        let limit = self.window.targets.skip_until_us();
        let mut later = self.open_us();
        let mut near = 0;
        for segment in self.window.listed().rev() {
            if later >= limit {
                break;
            }
            later += segment.duration_us;
            near += 1;
        }
        self.window.listed().len() - near
    }

    /// Number of segments, from the first, whose parts are no longer listed: those that begin too far from the end.
    fn without_parts(&self) -> usize {
        let limit = PARTS_TARGETS * self.window.targets.segment_us;
        let mut distance = self.open_us();
        let near = self.window.listed().rev().take_while(|segment| {
            distance += segment.duration_us;
            distance <= limit
        });
        self.window.listed().len() - near.count()
    }

    /// Writes the playlist without its first `skipped` segments.
    pub(super) fn write(&self, skipped: usize) -> String {
        let mut text = String::with_capacity(USUAL_BYTES);
        // Players know it from the skipped segments.
        let skipped_last = skipped.checked_sub(1);
        let init_file = skipped_last
            .and_then(|last| self.window.listed().nth(last))
            .map(|segment| segment.init_file());
        let first = self.window.first_listed();
        let sequence = self.window.discontinuity_sequence;
        // Writing into a String cannot fail.
        let _ = self.head(&mut text, first, sequence, skipped);
        let _ = self.body(&mut text, skipped, init_file, false);
        let _ = self.tail(&mut text, |report| {
            Some((report.rendition.playlist(), report.msn))
        });
        text
    }

    /// Up to the first segment, whose number is `first`.
    pub(super) fn head(
        &self,
        text: &mut String,
        first: u64,
        discontinuity_sequence: u64,
        skipped: usize,
    ) -> std::fmt::Result {
        let targets = &self.window.targets;
        writeln!(text, "#EXTM3U\n#EXT-X-VERSION:{VERSION}")?;
        writeln!(
            text,
            "#EXT-X-TARGETDURATION:{}",
            targets.segment_us / 1_000_000
        )?;
        write!(text, "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES")?;
        write!(text, ",CAN-SKIP-UNTIL={}", Seconds(targets.skip_until_us()))?;
        write!(text, ",HOLD-BACK={}", Seconds(targets.hold_back_us()))?;
        if let (Some(part), Some(hold_back)) = (targets.part_us, targets.part_hold_back_us()) {
            writeln!(text, ",PART-HOLD-BACK={}", Seconds(hold_back))?;
            writeln!(text, "#EXT-X-PART-INF:PART-TARGET={}", Seconds(part))?;
        } else {
            writeln!(text)?;
        }
        writeln!(text, "#EXT-X-MEDIA-SEQUENCE:{first}")?;
        writeln!(
            text,
            "#EXT-X-DISCONTINUITY-SEQUENCE:{discontinuity_sequence}"
        )?;
        if skipped > 0 {
            writeln!(text, "#EXT-X-SKIP:SKIPPED-SEGMENTS={skipped}")?;
        }
        Ok(())
    }

    /// The segments after the `skipped` ones, of which the last needs `init_file`. `begins_anew` if the first one does not
    /// follow what is listed before it.
    pub(super) fn body(
        &self,
        text: &mut String,
        skipped: usize,
        mut init_file: Option<HlsFile>,
        mut begins_anew: bool,
    ) -> std::fmt::Result {
        let without_parts = self.without_parts();
        for (index, segment) in self.window.listed().enumerate().skip(skipped) {
            let entry = segment_entry(segment, std::mem::take(&mut begins_anew));
            write_head(text, &entry, &mut init_file)?;
            if index >= without_parts {
                self.parts(text, segment)?;
            }
            write_end(text, &entry)?;
        }
        if !self.is_ended && self.window.lists_parts() && !self.window.open.is_empty() {
            let entry = segment_entry(&self.window.open, begins_anew);
            write_head(text, &entry, &mut init_file)?;
            self.parts(text, &self.window.open)?;
        }
        Ok(())
    }

    fn parts(&self, text: &mut String, segment: &Segment) -> std::fmt::Result {
        if !self.window.lists_parts() {
            return Ok(());
        }
        for (index, part) in segment.parts.iter().enumerate() {
            let PartialSegment {
                duration_us,
                is_independent,
                ..
            } = part;
            let file = segment.part_file(index);
            write!(
                text,
                "#EXT-X-PART:DURATION={},URI=\"{file}\"",
                Seconds(*duration_us)
            )?;
            text.push_str(if *is_independent {
                ",INDEPENDENT=YES\n"
            } else {
                "\n"
            });
        }
        Ok(())
    }

    /// What follows the segments. `report` says under which name and number another rendition is known, if it is.
    pub(super) fn tail(
        &self,
        text: &mut String,
        report: impl Fn(&RenditionReport) -> Option<(&'static str, u64)>,
    ) -> std::fmt::Result {
        if self.is_ended {
            return writeln!(text, "#EXT-X-ENDLIST");
        }
        if self.window.lists_parts() {
            let open = &self.window.open;
            let file = open.part_file(open.parts.len());
            writeln!(text, "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"{file}\"")?;
        }
        let RenditionReports { usual, encoded } = self.reports;
        let others = usual.iter().flatten().chain(encoded);
        for other in others.filter(|report| report.rendition != self.rendition) {
            let Some((name, msn)) = report(other) else {
                continue;
            };
            let folder = other.rendition.folder();
            write!(
                text,
                "#EXT-X-RENDITION-REPORT:URI=\"../{folder}/{name}\",LAST-MSN={msn}"
            )?;
            if let Some(part) = other.part {
                write!(text, ",LAST-PART={part}")?;
            }
            writeln!(text)?;
        }
        Ok(())
    }
}

/// What is said of a whole segment, wherever its bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentEntry {
    pub(super) file: HlsFile,
    pub(super) init_file: HlsFile,
    pub(super) duration_us: i64,
    pub(super) date: Timestamp,
    pub(super) is_discontinuity: bool,
    pub(super) is_independent: bool,
    /// Whether its bytes are lost.
    pub(super) is_gap: bool,
}

fn segment_entry(segment: &Segment, begins_anew: bool) -> SegmentEntry {
    SegmentEntry {
        file: segment.file(),
        init_file: segment.init_file(),
        duration_us: segment.duration_us,
        date: segment.date,
        is_discontinuity: segment.is_discontinuity || begins_anew,
        is_independent: segment.is_independent(),
        is_gap: false,
    }
}

/// What stands before the parts of a segment.
pub(super) fn write_head(
    text: &mut String,
    entry: &SegmentEntry,
    init_file: &mut Option<HlsFile>,
) -> std::fmt::Result {
    if entry.is_discontinuity {
        writeln!(text, "#EXT-X-DISCONTINUITY")?;
    }
    let file = entry.init_file;
    if entry.is_discontinuity || *init_file != Some(file) {
        writeln!(text, "#EXT-X-MAP:URI=\"{file}\"")?;
        *init_file = Some(file);
    }
    writeln!(text, "#EXT-X-PROGRAM-DATE-TIME:{:.3}", entry.date)
}

/// What stands behind them once it is whole.
pub(super) fn write_end(text: &mut String, entry: &SegmentEntry) -> std::fmt::Result {
    if entry.is_gap {
        writeln!(text, "#EXT-X-GAP")?;
    }
    let title = if entry.is_independent { "" } else { CONTINUES };
    writeln!(text, "#EXTINF:{},{title}", Seconds(entry.duration_us))?;
    writeln!(text, "{}", entry.file)
}

/// Microseconds as decimal seconds, without trailing zeros.
struct Seconds(i64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        match rest {
            0 => write!(f, "{whole}.0"),
            rest if rest % 1000 == 0 => write!(f, "{whole}.{:03}", rest / 1000),
            rest => write!(f, "{whole}.{rest:06}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Seconds;

    #[test]
    fn seconds_are_exact() {
        let text = |us| Seconds(us).to_string();
        assert_eq!(text(2_000_000), "2.0");
        assert_eq!(text(512_000), "0.512");
        assert_eq!(text(490_667), "0.490667");
        assert_eq!(text(1_000), "0.001");
    }
}
