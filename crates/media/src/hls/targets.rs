//! The durations of parts and segments: chosen once per stream, then fixed.
//!
//! Players check every later playlist against the first one; Apple's stop for good when a part is a millisecond longer
//! than promised. So the targets are derived from the latency level and the frame duration before the first part is
//! listed, and never change.

/// A part shorter than this share of the promise is allowed only at the end of a segment.
const SHORTEST_PART: f64 = 0.85;
/// A segment may be longer than its target as long as it still rounds to it.
const SEGMENT_SLACK_US: i64 = 400_000;
/// Up to here a duration is rounded down.
const ROUNDING_US: i64 = 490_000;
/// Parts are tried a frame longer at a time until picture and sound both fit; strange sound needs a few tries.
const MOST_FRAMES: u32 = 600;

/// Frames are taken to be at least this long when the promise is made: a thousand in a second.
const SHORTEST_FRAME_US: f64 = 1_000.0;
/// And at most this long: one in a second.
const LONGEST_FRAME_US: f64 = 1_000_000.0;

/// The operator's choice: 0 is closest to live, 4 has the highest latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyLevel(u8);

impl LatencyLevel {
    /// Levels above 4 count as 4.
    pub fn new(level: u8) -> Self {
        Self(level.min(4))
    }

    pub fn number(self) -> u8 {
        self.0
    }

    /// Segment duration in seconds.
    pub fn segment_seconds(self) -> i64 {
        self.table().1
    }

    /// The table's part duration in milliseconds and segment duration in seconds. The last level has no parts.
    fn table(self) -> (Option<i64>, i64) {
        match self.0 {
            0 => (Some(200), 2),
            1 => (Some(334), 2),
            2 => (Some(500), 2),
            3 => (Some(1000), 4),
            _ => (None, 6),
        }
    }
}

/// The promised durations, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Targets {
    /// `TARGETDURATION`.
    pub segment_us: i64,
    /// `PART-TARGET`; `None` if parts are not listed.
    pub part_us: Option<i64>,
    /// The maximum part duration, listed or not.
    pub(super) longest_us: i64,
    /// The minimum part duration of the reference track: the shortest one that the other track can follow.
    pub(super) leading_us: i64,
    /// Where the reference track is cut: a whole number of its frames, never more than the promise.
    pub cut_us: i64,
}

impl Targets {
    /// Chooses targets from the level and the frame durations of the tracks, in microseconds.
    pub fn choose(
        level: LatencyLevel,
        video_frame_us: Option<f64>,
        audio_frame_us: Option<f64>,
    ) -> Self {
        Self::choose_beside(level, video_frame_us, audio_frame_us, None)
    }

    /// The same, with a possible second sound beside the picture, with frames of this duration.
    pub(super) fn choose_beside(
        level: LatencyLevel,
        video_frame_us: Option<f64>,
        audio_frame_us: Option<f64>,
        encoded_frame_us: Option<f64>,
    ) -> Self {
        let (part_ms, segment_s) = level.table();
        // What a stream says about itself may be nonsense.
        let sensible = |frame_us: f64| frame_us.clamp(SHORTEST_FRAME_US, LONGEST_FRAME_US);
        let (video_frame_us, audio_frame_us) =
            (video_frame_us.map(sensible), audio_frame_us.map(sensible));
        let followers: Vec<f64> = match video_frame_us {
            Some(_) => audio_frame_us
                .into_iter()
                .chain(encoded_frame_us.map(sensible))
                .collect(),
            None => Vec::new(),
        };
        let segment_us = segment_s * 1_000_000;
        // If parts are not listed, the fragments inside a segment are still at most a second long.
        let wanted_us = part_ms.unwrap_or(1000) as f64 * 1000.0;
        let (cut_us, part_us): (f64, i64) = match (video_frame_us, audio_frame_us) {
            (Some(video), Some(_)) => with_followers(wanted_us, video, &followers),
            (Some(frame), None) | (None, Some(frame)) => {
                let cut = frames(wanted_us, frame) * frame;
                (cut, whole_ms_up(cut))
            }
            (None, None) => (wanted_us, whole_ms_up(wanted_us)),
        };
        Self {
            segment_us,
            part_us: part_ms.map(|_| part_us),
            longest_us: part_us,
            leading_us: leading(part_us, &followers),
            cut_us: (cut_us.round() as i64).min(part_us),
        }
    }

    /// The maximum part duration.
    pub fn longest_part_us(&self) -> i64 {
        self.longest_us
    }

    /// The minimum duration of a part that is not the last of its segment.
    pub fn shortest_part_us(&self) -> i64 {
        (self.longest_part_us() as f64 * SHORTEST_PART).ceil() as i64
    }

    /// The minimum duration of a part of the reference track that is not the last of its segment.
    pub(super) fn shortest_leading_us(&self) -> i64 {
        self.leading_us
    }

    /// The maximum segment duration that still rounds to the target.
    pub fn longest_segment_us(&self) -> i64 {
        self.segment_us + SEGMENT_SLACK_US
    }

    /// The same for the following track, which may end a frame later.
    pub(super) fn longest_following_us(&self) -> i64 {
        self.segment_us + ROUNDING_US
    }

    /// Whether a segment must end here because another part could make it too long.
    pub(super) fn is_full(&self, elapsed_us: i64) -> bool {
        elapsed_us + self.longest_part_us() > self.longest_segment_us()
    }

    /// `PART-HOLD-BACK`.
    pub fn part_hold_back_us(&self) -> Option<i64> {
        self.part_us.map(|part| part * 3)
    }

    /// `HOLD-BACK`.
    pub fn hold_back_us(&self) -> i64 {
        self.segment_us * 3
    }

    /// `CAN-SKIP-UNTIL`.
    pub fn skip_until_us(&self) -> i64 {
        self.segment_us * 6
    }
}

/// If the picture's parts were shorter than the sound's shortest, the sound would fall behind with every part.
fn leading(part_us: i64, followers: &[f64]) -> i64 {
    let floor = SHORTEST_PART * part_us as f64;
    let each = followers.iter().map(|frame| (floor / frame).ceil() * frame);
    (each.fold(floor, f64::max).ceil() as i64).min(part_us)
}

fn frames(wanted_us: f64, frame_us: f64) -> f64 {
    // Half a frame is rounded down: better slightly shorter than the table than longer.
    (wanted_us / frame_us - 0.5).ceil().max(1.0)
}

/// Sound is cut where the picture is cut, to the nearest frame: its parts have `n` or `n + 1` frames, and both must
/// keep the promise. The picture's parts are extended until they do.
fn with_followers(wanted_us: f64, video: f64, followers: &[f64]) -> (f64, i64) {
    let first = frames(wanted_us, video) as u32;
    let fit = (first..first + MOST_FRAMES).find_map(|count| {
        let cut = f64::from(count) * video;
        let fewest = |audio: f64| (cut / audio + 1e-9).floor();
        let longest = followers.iter().map(|audio| (fewest(*audio) + 1.0) * audio);
        let promise = whole_ms_up(longest.fold(cut, f64::max));
        let floor = SHORTEST_PART * promise as f64;
        let keeps = |audio: &f64| fewest(*audio) * audio >= floor;
        (cut >= floor && followers.iter().all(keeps)).then_some((cut, promise))
    });
    fit.unwrap_or_else(|| {
        let cut = f64::from(first) * video;
        let longest = followers.iter().copied().fold(0.0, f64::max);
        (cut, whole_ms_up(cut + longest))
    })
}

/// Publishers send whole milliseconds, so a part of 500.5 ms is 500 or 501 ms long.
fn whole_ms_up(us: f64) -> i64 {
    ((us / 1000.0 - 1e-6).ceil() as i64).max(1) * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    const AAC_48: f64 = 1024.0 / 48_000.0 * 1e6;

    fn choose(level: u8, fps: f64, audio: Option<f64>) -> Targets {
        Targets::choose(LatencyLevel::new(level), Some(1e6 / fps), audio)
    }

    #[test]
    fn parts_are_a_whole_number_of_frames() {
        assert_eq!(choose(2, 30.0, None).part_us, Some(500_000));
        assert_eq!(choose(2, 25.0, None).part_us, Some(480_000));
        assert_eq!(choose(2, 60.0, None).part_us, Some(500_000));
        assert_eq!(choose(2, 30_000.0 / 1001.0, None).part_us, Some(501_000));
        assert_eq!(choose(1, 30.0, None).part_us, Some(334_000));
        assert_eq!(choose(0, 30.0, None).part_us, Some(200_000));
        assert_eq!(choose(0, 1.0, None).part_us, Some(1_000_000));
    }

    #[test]
    fn sound_fits_into_the_same_promise() {
        assert_eq!(choose(2, 30.0, Some(AAC_48)).part_us, Some(512_000));
        assert_eq!(choose(0, 30.0, Some(AAC_48)).part_us, Some(214_000));
        for rate in [
            8000.0, 11_025.0, 16_000.0, 22_050.0, 32_000.0, 44_100.0, 48_000.0, 96_000.0,
        ] {
            for fps in [
                1.0, 5.0, 10.0, 12.0, 15.0, 23.976, 24.0, 25.0, 29.97, 30.0, 50.0, 60.0, 144.0,
            ] {
                for level in 0..4 {
                    let audio = 1024.0 / rate * 1e6;
                    let targets = choose(level, fps, Some(audio));
                    let part = targets.part_us.unwrap() as f64;
                    let cut = targets.cut_us as f64;
                    let fewest = (cut / audio + 1e-6).floor() * audio;
                    assert!(cut <= part && cut >= 0.85 * part, "{rate} {fps} {level}");
                    assert!(
                        fewest >= 0.85 * part - 1.0,
                        "{rate} {fps} {level}: {fewest} of {part}"
                    );
                    assert!(fewest + audio <= part + 1.0, "{rate} {fps} {level}");
                }
            }
        }
    }

    #[test]
    fn sound_that_is_there_twice_fits_twice() {
        let opus = 20_000.0;
        for fps in [5.0, 15.0, 24.0, 25.0, 29.97, 30.0, 50.0, 60.0] {
            for level in 0..4 {
                for own in [opus, 4096.0 / 44_100.0 * 1e6, 1152.0 / 44_100.0 * 1e6] {
                    let level = LatencyLevel::new(level);
                    let video = Some(1e6 / fps);
                    let targets = Targets::choose_beside(level, video, Some(own), Some(AAC_48));
                    let part = targets.part_us.unwrap() as f64;
                    for audio in [own, AAC_48] {
                        let fewest = (targets.cut_us as f64 / audio + 1e-6).floor() * audio;
                        assert!(fewest >= 0.85 * part - 1.0, "{fps} {level:?}: {audio}");
                        assert!(fewest + audio <= part + 1.0, "{fps} {level:?}: {audio}");
                    }
                }
            }
        }
        let alone = Targets::choose(LatencyLevel::new(2), None, Some(opus));
        let beside = Targets::choose_beside(LatencyLevel::new(2), None, Some(opus), Some(AAC_48));
        assert_eq!(alone, beside, "without a picture the sound is not encoded");
    }

    #[test]
    fn the_last_level_lists_no_parts() {
        let targets = choose(4, 30.0, Some(AAC_48));
        assert_eq!(targets.part_us, None);
        assert_eq!(targets.segment_us, 6_000_000);
        assert_eq!(LatencyLevel::new(9).number(), 4);
    }
}
