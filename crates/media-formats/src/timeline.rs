//! Makes the publisher's clock usable.
//!
//! Publishers send 32-bit millisecond timestamps that wrap, start anywhere, jump when a source restarts and disagree
//! between picture and sound. [`TimestampMapper`] maps them to the session's own time line, which never goes back and has
//! no gaps where a publisher was away.

/// A step of the clock up to this is taken as it is: frames were dropped, or nothing moved on the screen.
const FORWARD_MS: i64 = 2_000;
/// Frames out of order by this much are merely late.
const BACKWARD_MS: i64 = 500;
/// Picture and sound agree when they are this close.
const AGREEMENT_MS: i64 = 1_000;
/// A track that jumped alone is believed after this long.
const PATIENCE_MS: i64 = 1_000;

/// Picture or sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    Video,
    Audio,
}

impl TrackKind {
    fn index(self) -> usize {
        match self {
            TrackKind::Video => 0,
            TrackKind::Audio => 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimestampVerdict {
    /// At this millisecond of the session.
    At(i64),
    /// Its clock jumped and the other track's did not: hold the frame until it is clear which one is right.
    Hold,
    /// The publisher's clock jumped, and the new clock begins here. Held frames can be placed now.
    Rebased(i64),
}

#[derive(Clone, Copy, Debug, Default)]
struct TrackClock {
    /// The last stamp, unwrapped.
    last: Option<i64>,
    /// Offset of this track alone, set when it had to be moved on its own.
    shift: i64,
}

#[derive(Clone, Copy, Debug)]
struct Suspect {
    /// Its first timestamp after the jump, and the other track's at that moment.
    first: i64,
    other: i64,
}

/// One connection's clock, mapped to one session's time line.
#[derive(Debug, Default)]
pub struct TimestampMapper {
    shift: Option<i64>,
    tracks: [TrackClock; 2],
    suspects: [Option<Suspect>; 2],
    jumps: u32,
}

impl TimestampMapper {
    /// How often the publisher's clock had to be corrected.
    pub fn jumps(&self) -> u32 {
        self.jumps
    }

    /// Places a frame; `resume_ms` is where the session continues after a new beginning.
    pub fn place(&mut self, kind: TrackKind, stamp: u32, resume_ms: i64) -> TimestampVerdict {
        let raw = self.unwrap(kind, stamp);
        let Some(shift) = self.shift else {
            self.shift = Some(resume_ms - raw);
            self.tracks[kind.index()].last = Some(raw);
            return TimestampVerdict::At(resume_ms);
        };
        if let Some(raw) = self.plausible(kind, raw) {
            self.suspects[kind.index()] = None;
            let track = &mut self.tracks[kind.index()];
            // A late frame must not make the next one look like a jump.
            track.last = Some(track.last.map_or(raw, |last| last.max(raw)));
            return TimestampVerdict::At(raw + shift + track.shift);
        }
        self.judge_jump(kind, raw, shift, resume_ms)
    }

    fn other(&self, kind: TrackKind) -> TrackClock {
        self.tracks[1 - kind.index()]
    }

    fn unwrap(&self, kind: TrackKind, stamp: u32) -> i64 {
        let suspect = self.suspects[kind.index()].map(|suspect| suspect.first);
        let near = suspect
            .or(self.tracks[kind.index()].last)
            .or(self.other(kind).last);
        near.map_or(i64::from(stamp), |near| beside(near, i64::from(stamp)))
    }

    /// The unwrapped timestamp, if it is plausible after its own track or the other one.
    fn plausible(&self, kind: TrackKind, raw: i64) -> Option<i64> {
        let own = self.tracks[kind.index()];
        let other = self.other(kind);
        let follows = own.last.map(|last| (last, beside(last, raw)));
        if let Some((last, raw)) = follows
            && (-BACKWARD_MS..=FORWARD_MS).contains(&(raw - last))
        {
            return Some(raw);
        }
        // Either track may have been moved alone; compare the shifted times.
        let meant = other.last? + other.shift - own.shift;
        let raw = beside(meant, raw);
        ((raw - meant).abs() <= AGREEMENT_MS).then_some(raw)
    }

    fn judge_jump(
        &mut self,
        kind: TrackKind,
        raw: i64,
        shift: i64,
        resume_ms: i64,
    ) -> TimestampVerdict {
        let Some(other) = self.other(kind).last else {
            return self.rebase(kind, raw, raw, resume_ms);
        };
        let companion = self.suspects[1 - kind.index()];
        if let Some(first) = companion.map(|suspect| suspect.first) {
            let raw = beside(first, raw);
            if (raw - first).abs() <= AGREEMENT_MS {
                return self.rebase(kind, raw, raw.min(first), resume_ms);
            }
        }
        let known = self.suspects[kind.index()];
        // A suspect that jumps again starts over.
        let known =
            known.filter(|suspect| (-BACKWARD_MS..=FORWARD_MS).contains(&(raw - suspect.first)));
        let Some(suspect) = known else {
            self.suspects[kind.index()] = Some(Suspect { first: raw, other });
            return TimestampVerdict::Hold;
        };
        if (raw - suspect.first).max(other - suspect.other) < PATIENCE_MS {
            return TimestampVerdict::Hold;
        }
        if companion.is_some() {
            // Both tracks jumped, to different places; one has to lead.
            return self.rebase(kind, raw, raw, resume_ms);
        }
        // The other track continues as before: only this one is shifted.
        self.suspects[kind.index()] = None;
        self.jumps += 1;
        let place = other + self.other(kind).shift + shift;
        let track = &mut self.tracks[kind.index()];
        track.shift = place - shift - raw;
        track.last = Some(raw);
        TimestampVerdict::At(place)
    }

    /// Starts over: `first` is placed where the session resumes, and `raw` relative to it.
    fn rebase(
        &mut self,
        kind: TrackKind,
        raw: i64,
        first: i64,
        resume_ms: i64,
    ) -> TimestampVerdict {
        self.jumps += 1;
        self.suspects = [None; 2];
        self.shift = Some(resume_ms - first);
        self.tracks = [TrackClock::default(); 2];
        self.tracks[kind.index()].last = Some(raw);
        TimestampVerdict::Rebased(raw - first + resume_ms)
    }
}

/// The number nearest to `near` with the same lower 32 bits as `stamp`, which undoes wraps.
fn beside(near: i64, stamp: i64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "only the 32 bits of the wire count"
    )]
    let distance = stamp.wrapping_sub(near) as i32;
    near + i64::from(distance)
}

#[cfg(test)]
mod tests {
    use super::TrackKind::{Audio, Video};
    use super::*;
    use proptest::prelude::*;

    fn at(verdict: TimestampVerdict) -> i64 {
        match verdict {
            TimestampVerdict::At(ms) | TimestampVerdict::Rebased(ms) => ms,
            TimestampVerdict::Hold => panic!("held"),
        }
    }

    #[test]
    fn the_first_frame_is_the_origin_wherever_the_clock_starts() {
        for start in [0, 16_777_215, u32::MAX - 10, 3_000_000_000] {
            let mut line = TimestampMapper::default();
            assert_eq!(
                line.place(Video, start, 10_000),
                TimestampVerdict::At(10_000)
            );
            assert_eq!(
                line.place(Audio, start.wrapping_add(5), 0),
                TimestampVerdict::At(10_005)
            );
            assert_eq!(
                line.place(Video, start.wrapping_add(33), 0),
                TimestampVerdict::At(10_033)
            );
        }
    }

    #[test]
    fn thirty_two_bits_wrap_without_a_trace() {
        let mut line = TimestampMapper::default();
        let mut stamp = u32::MAX - 100;
        let mut expected = 0;
        for _ in 0..20 {
            assert_eq!(line.place(Video, stamp, 0), TimestampVerdict::At(expected));
            stamp = stamp.wrapping_add(40);
            expected += 40;
        }
        assert_eq!(line.jumps(), 0);
    }

    #[test]
    fn the_sound_may_begin_before_the_picture() {
        let mut line = TimestampMapper::default();
        line.place(Video, 1000, 10_000);
        assert_eq!(line.place(Audio, 900, 0), TimestampVerdict::At(9_900));
    }

    #[test]
    fn both_tracks_jumping_together_go_on_where_they_were() {
        for jumped in [100, 90_000] {
            let mut line = TimestampMapper::default();
            line.place(Video, 20_000, 0);
            line.place(Audio, 20_010, 0);
            assert_eq!(line.place(Video, jumped, 40), TimestampVerdict::Hold);
            assert_eq!(
                line.place(Audio, jumped + 10, 40),
                TimestampVerdict::Rebased(50)
            );
            assert_eq!(
                line.place(Video, jumped, 40),
                TimestampVerdict::At(40),
                "what was held"
            );
            assert_eq!(line.place(Video, jumped + 33, 0), TimestampVerdict::At(73));
            assert_eq!(line.jumps(), 1);
        }
    }

    #[test]
    fn a_single_stray_stamp_changes_nothing() {
        let mut line = TimestampMapper::default();
        line.place(Video, 1000, 0);
        line.place(Audio, 1000, 0);
        assert_eq!(line.place(Audio, 4_000_000, 0), TimestampVerdict::Hold);
        assert_eq!(line.place(Video, 1033, 0), TimestampVerdict::At(33));
        assert_eq!(line.place(Audio, 1042, 0), TimestampVerdict::At(42));
        assert_eq!(line.jumps(), 0);
    }

    #[test]
    fn a_track_that_jumps_alone_is_moved_beside_the_other() {
        let mut line = TimestampMapper::default();
        line.place(Video, 0, 0);
        line.place(Audio, 0, 0);
        let mut placed = None;
        for ms in (20..3000).step_by(20) {
            line.place(Video, ms, 0);
            if let TimestampVerdict::At(place) = line.place(Audio, 500_000 + ms, 0) {
                placed = Some((place, i64::from(ms)));
                break;
            }
        }
        let (place, video) = placed.expect("believed in the end");
        assert!((place - video).abs() <= 20);
        assert_eq!(
            line.place(Audio, 500_000 + u32::try_from(video).unwrap() + 20, 0),
            TimestampVerdict::At(place + 20)
        );
    }

    #[test]
    fn a_picture_that_stood_still_is_no_jump() {
        let mut line = TimestampMapper::default();
        line.place(Video, 0, 0);
        for ms in (0..8000).step_by(20) {
            line.place(Audio, ms, 0);
        }
        assert_eq!(line.place(Video, 8000, 0), TimestampVerdict::At(8000));
    }

    #[test]
    fn a_lonely_track_that_jumps_goes_on_at_once() {
        let mut line = TimestampMapper::default();
        line.place(Video, 1000, 0);
        assert_eq!(
            line.place(Video, 900_000, 33),
            TimestampVerdict::Rebased(33)
        );
        assert_eq!(line.place(Video, 10, 66), TimestampVerdict::Rebased(66));
    }

    proptest! {
        #[test]
        fn any_clock_is_believed_again_before_long(stamps in prop::collection::vec((any::<bool>(), any::<u32>()), 1..200)) {
            let mut line = TimestampMapper::default();
            for (is_video, stamp) in stamps {
                line.place(if is_video { Video } else { Audio }, stamp, 0);
            }
            // From here on the clock is steady: within the patience interval both tracks are placed again, in order.
            let mut last = None;
            for ms in (0..6000_u32).step_by(20) {
                for kind in [Video, Audio] {
                    let verdict = line.place(kind, 77_000_000 + ms, 0);
                    if ms >= 5000 {
                        let place = at(verdict);
                        if let (Some(before), Video) = (last, kind) {
                            prop_assert!(place > before);
                        }
                        if kind == Video { last = Some(place); }
                    }
                }
            }
        }
    }
}
