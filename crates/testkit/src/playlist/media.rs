//! Rules M1 to M3: the media matches what the playlist promises.

use std::time::Duration;

use super::boxes::{self, Track};
use super::rule::{Findings, Rule};

/// A part's DURATION and its samples may differ by this much.
const DURATION_SLACK: Duration = Duration::from_millis(2);

/// A parsed initialization section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Init {
    pub track: Track,
}

impl Init {
    /// Parses the bytes of an EXT-X-MAP.
    pub fn parse(bytes: &[u8]) -> Result<Self, boxes::BrokenBox> {
        let track = boxes::track(bytes)?;
        Ok(Self { track })
    }

    /// Whether these fragments only let time pass.
    pub(crate) fn has_no_samples(&self, bytes: &[u8]) -> bool {
        let fragments = boxes::fragments(bytes, Some(&self.track));
        fragments.is_ok_and(|all| all.iter().all(|fragment| fragment.samples == 0))
    }
}

/// Follows the decode times of one rendition from fragment to fragment.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The required start of the next fragment, and its timescale.
    next: Option<(u64, u32)>,
}

impl Timeline {
    /// Forgets the position, after missed content or a discontinuity.
    pub fn restart(&mut self) {
        self.next = None;
    }

    /// Whether `bytes` continues exactly where the last fragment ended.
    pub fn would_continue(&self, bytes: &[u8], init: &Init) -> bool {
        let first = boxes::fragments(bytes, Some(&init.track));
        let first = first.ok().and_then(|all| all.first().copied());
        first.is_some_and(|first| self.next == Some((first.base_time, init.track.timescale)))
    }

    /// Rules M2 and M3 for the next part or segment; `listed` is its duration in the playlist.
    pub fn follow(
        &mut self,
        name: &str,
        bytes: &[u8],
        init: &Init,
        listed: Option<Duration>,
        findings: &mut Findings,
    ) {
        let fragments = match boxes::fragments(bytes, Some(&init.track)) {
            Ok(fragments) => fragments,
            Err(error) => {
                findings.check(Rule::Media(2), false, || {
                    format!("{name} cannot be read: {error}")
                });
                self.restart();
                return;
            }
        };
        findings.check(Rule::Media(2), !fragments.is_empty(), || {
            format!("{name} has no moof")
        });
        let timescale = init.track.timescale;
        let mut total = 0;
        // A fragment without samples fills a gap; it takes no time.
        for fragment in fragments.iter().filter(|fragment| fragment.samples > 0) {
            if let Some((next, scale)) = self.next {
                let ok = fragment.base_time == next && scale == timescale;
                findings.check(Rule::Media(2), ok, || {
                    let begin = fragment.base_time;
                    format!("{name} begins at {begin}, the fragment before it ends at {next}")
                });
            }
            self.next = Some((
                fragment.base_time.saturating_add(fragment.duration),
                timescale,
            ));
            total += fragment.duration;
        }
        if let Some(listed) = listed.filter(|_| timescale > 0 && total > 0) {
            let lasts = Duration::from_secs_f64(total as f64 / f64::from(timescale));
            let ok = lasts.abs_diff(listed) <= DURATION_SLACK;
            findings.check(Rule::Media(3), ok, || {
                format!("{name} is listed with {listed:?}, its samples last {lasts:?}")
            });
        }
    }
}

/// Rule M1: the segment has the same bytes as its parts together.
pub fn check_segment_is_its_parts(
    name: &str,
    segment: &[u8],
    parts: &[Vec<u8>],
    findings: &mut Findings,
) {
    let joined = parts.concat();
    findings.check(Rule::Media(1), joined == segment, || {
        let (whole, sum) = (segment.len(), joined.len());
        format!(
            "{name} has {whole} bytes, its {} parts have {sum} or others",
            parts.len()
        )
    });
}
