//! What waits to be given to the encoder: the broadcaster's pictures, each in a fragment of its own.
//!
//! A part that viewers fetch holds half a second of pictures; the encoder would get each of them that much later. So it
//! gets them one by one, which costs a hundred bytes for each.
//!
//! The broadcaster never waits for the encoder. When too much waits, whole groups of pictures are left out.

use std::collections::VecDeque;

use bytes::Bytes;

use super::supervisor::Diet;
use crate::cmaf::{Sample, Track, fragment};

/// Bytes that wait for the encoder; then pictures are left out up to the next key frame. Two seconds of the heaviest
/// stream anybody sends are in it.
const MAX_WAITING_BYTES: usize = 32 << 20;
/// Pictures that wait for the encoder; then they are left out in the same way. Two seconds at 240 in a second.
const MAX_WAITING: usize = 480;
/// Length of a picture in milliseconds as long as nobody knows.
const FIRST_GUESS_MS: i64 = 33;
/// Longest length of a picture in milliseconds that is said; the encoder goes by when pictures are shown.
const LONGEST_PICTURE_MS: i64 = 1_000;

/// Ticks of the video track in a millisecond.
const TICKS_PER_MS: i64 = 90;

/// The way to one run of the encoder.
#[derive(Debug)]
pub struct Feed {
    waiting: VecDeque<Bytes>,
    waiting_bytes: usize,
    diet: Diet,
    /// What the decoder needs before it can go on.
    wants_key: bool,
    sequence: u32,
    last_ms: Option<i64>,
}

impl Feed {
    /// Begins with the init segment of the broadcaster's picture, and then waits for a key frame.
    pub fn new(init: Bytes) -> Self {
        Self {
            waiting_bytes: init.len(),
            waiting: VecDeque::from([init]),
            diet: Diet::Everything,
            wants_key: true,
            sequence: 0,
            last_ms: None,
        }
    }

    /// A picture, on the session's time line; false when it is left out.
    pub fn picture(&mut self, at_ms: i64, composition_ms: i32, is_key: bool, data: Bytes) -> bool {
        let is_wanted = is_key || (self.diet == Diet::Everything && !self.wants_key);
        if !is_wanted {
            // Nothing that looks back beyond it makes sense any more.
            self.wants_key = true;
            return false;
        }
        let is_full = self.waiting.len() >= MAX_WAITING
            || self.waiting_bytes.saturating_add(data.len()) > MAX_WAITING_BYTES;
        if is_full {
            self.wants_key = true;
            return false;
        }
        self.wants_key = false;
        self.sequence = self.sequence.wrapping_add(1);
        let since = self.last_ms.map_or(FIRST_GUESS_MS, |last| at_ms - last);
        let lasts_ms = since.clamp(1, LONGEST_PICTURE_MS);
        self.last_ms = Some(at_ms);
        let sample = Sample {
            data,
            duration: u32::try_from(lasts_ms * TICKS_PER_MS).unwrap_or(u32::MAX),
            composition: i32::try_from(i64::from(composition_ms) * TICKS_PER_MS).unwrap_or(0),
            is_sync: is_key,
        };
        let decoded = (at_ms * TICKS_PER_MS).unsigned_abs();
        let written = fragment::write(self.sequence, decoded, Track::Video, &[sample]);
        self.waiting_bytes += written.len();
        self.waiting.push_back(written);
        true
    }

    /// What is taken from now on.
    pub fn eat(&mut self, diet: Diet) {
        self.diet = diet;
    }

    /// What to write next, if anything waits.
    pub fn next_piece(&mut self) -> Option<Bytes> {
        let piece = self.waiting.pop_front()?;
        self.waiting_bytes -= piece.len();
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INIT: &[u8] = b"init";

    fn feed() -> Feed {
        Feed::new(Bytes::from_static(INIT))
    }

    fn give(feed: &mut Feed, at_ms: i64, is_key: bool) -> bool {
        feed.picture(at_ms, 67, is_key, Bytes::from_static(b"picture"))
    }

    #[test]
    fn begins_with_the_init_segment_and_a_key_frame() {
        let mut feed = feed();
        assert!(!give(&mut feed, 10_000, false));
        assert!(give(&mut feed, 10_040, true));
        assert!(give(&mut feed, 10_080, false));
        assert_eq!(feed.next_piece().unwrap(), INIT);
        let key = feed.next_piece().unwrap();
        let sample = |duration, is_sync| Sample {
            data: Bytes::from_static(b"picture"),
            duration,
            composition: 67 * 90,
            is_sync,
        };
        let expected = fragment::write(1, 10_040 * 90, Track::Video, &[sample(33 * 90, true)]);
        assert_eq!(key, expected);
        let second = feed.next_piece().unwrap();
        let expected = fragment::write(2, 10_080 * 90, Track::Video, &[sample(40 * 90, false)]);
        assert_eq!(second, expected);
        assert_eq!(feed.next_piece(), None);
        assert_eq!(feed.waiting_bytes, 0);
    }

    #[test]
    fn a_diet_of_key_frames_ends_at_a_key_frame() {
        let mut feed = feed();
        assert!(give(&mut feed, 0, true));
        feed.eat(Diet::KeyFrames);
        assert!(!give(&mut feed, 40, false));
        assert!(give(&mut feed, 80, true));
        assert!(!give(&mut feed, 120, false));
        feed.eat(Diet::Everything);
        assert!(!give(&mut feed, 160, false), "it looks back");
        assert!(give(&mut feed, 200, true));
        assert!(give(&mut feed, 240, false));
    }

    #[test]
    fn a_diet_that_nothing_was_left_out_for_leaves_no_gap() {
        let mut feed = feed();
        assert!(give(&mut feed, 0, true));
        feed.eat(Diet::KeyFrames);
        feed.eat(Diet::Everything);
        assert!(give(&mut feed, 40, false));
    }

    #[test]
    fn when_too_many_pictures_wait_the_rest_of_the_group_is_left_out() {
        let mut feed = feed();
        assert!(give(&mut feed, 0, true));
        let mut at_ms = 0;
        while give(&mut feed, at_ms + 1, false) {
            at_ms += 1;
        }
        assert_eq!(feed.waiting.len(), MAX_WAITING);
        while feed.next_piece().is_some() {}
        assert!(!give(&mut feed, at_ms + 2, false), "it looks back");
        assert!(give(&mut feed, at_ms + 3, true));
        assert!(give(&mut feed, at_ms + 4, false));
    }

    #[test]
    fn when_too_many_bytes_wait_the_rest_of_the_group_is_left_out() {
        let mut feed = feed();
        let heavy = Bytes::from(vec![0; MAX_WAITING_BYTES / 4]);
        let mut taken = 0;
        while feed.picture(taken, 0, true, heavy.clone()) {
            taken += 1;
        }
        assert_eq!(taken, 3);
        assert!(feed.waiting_bytes <= MAX_WAITING_BYTES);
        assert!(!give(&mut feed, taken, false), "it looks back");
    }
}
