//! The queue of the encoder's input: the publisher's pictures and, if it is encoded, the sound, each frame in
//! a fragment of its own.
//!
//! The parts that viewers fetch hold half a second of pictures, which would delay the encoder by as much. So it gets
//! single pictures, which costs a hundred bytes for each.
//!
//! The publisher never waits for the encoder. If the queue is full, whole groups of pictures are dropped, and sound
//! frame by frame.

use std::collections::VecDeque;

use bytes::Bytes;
use media_formats::cmaf::{Sample, Track, fragment};

use super::supervisor::FeedMode;

/// Bytes that wait for the encoder; then pictures are left out up to the next key frame. Two seconds of the heaviest
/// stream anybody sends are in it.
const MAX_WAITING_BYTES: usize = 32 << 20;
/// Pictures that wait for the encoder; then they are left out in the same way. Two seconds at 240 in a second.
const MAX_WAITING: usize = 480;
/// Frames of sound that wait for the encoder; then those that follow are left out. Two seconds of the shortest frames
/// there are, which are those of Opus with 2.5 ms.
const MAX_WAITING_SOUNDS: usize = 800;
/// Length of a picture in milliseconds as long as nobody knows.
const FIRST_GUESS_MS: i64 = 33;
/// Longest length of a picture in milliseconds that is said; the encoder goes by when pictures are shown.
const LONGEST_PICTURE_MS: i64 = 1_000;

/// Ticks of the video track in a millisecond.
const TICKS_PER_MS: i64 = 90;

/// The input of one run of the encoder.
#[derive(Debug)]
pub struct Feed {
    /// Fragments with their tracks; the init segment has none.
    waiting: VecDeque<(Option<Track>, Bytes)>,
    waiting_bytes: usize,
    waiting_pictures: usize,
    waiting_sounds: usize,
    mode: FeedMode,
    /// Whether the decoder needs a key frame before it can continue.
    wants_key: bool,
    /// Sound before the first picture would begin a time line of its own.
    waits_for_picture: bool,
    sequence: u32,
    last_ms: Option<i64>,
}

impl Feed {
    /// Begins with the init segment of the publisher's picture, with or without the sound, and waits for a key
    /// frame.
    pub fn new(init: Bytes) -> Self {
        Self {
            waiting_bytes: init.len(),
            waiting: VecDeque::from([(None, init)]),
            waiting_pictures: 0,
            waiting_sounds: 0,
            mode: FeedMode::Everything,
            wants_key: true,
            waits_for_picture: true,
            sequence: 0,
            last_ms: None,
        }
    }

    /// Begins with the init segment of the sound, and does not wait.
    pub fn of_sound(init: Bytes) -> Self {
        Self {
            waits_for_picture: false,
            ..Self::new(init)
        }
    }

    /// Queues a picture, on the session's time line; false if it is dropped.
    pub fn picture(&mut self, at_ms: i64, composition_ms: i32, is_key: bool, data: Bytes) -> bool {
        let is_wanted = is_key || (self.mode == FeedMode::Everything && !self.wants_key);
        if !is_wanted {
            // Pictures that refer back beyond it cannot be decoded any more.
            self.wants_key = true;
            return false;
        }
        if self.is_full(Track::Video, data.len()) {
            self.wants_key = true;
            return false;
        }
        self.wants_key = false;
        self.waits_for_picture = false;
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
        self.push(decoded, Track::Video, sample);
        true
    }

    /// Queues a frame of sound, with its position and length in samples; false if it is dropped. No other frame depends
    /// on it, and compared with pictures it is little work.
    pub fn sound(&mut self, place: i64, lasts: u32, data: Bytes) -> bool {
        if self.waits_for_picture || self.is_full(Track::Audio, data.len()) {
            return false;
        }
        let sample = Sample {
            data,
            duration: lasts,
            composition: 0,
            is_sync: true,
        };
        self.push(place.unsigned_abs(), Track::Audio, sample);
        true
    }

    /// Each track has its own limit, so that many short frames of sound do not displace pictures.
    fn is_full(&self, track: Track, bytes: usize) -> bool {
        let is_crowded = match track {
            Track::Video => self.waiting_pictures >= MAX_WAITING,
            Track::Audio => self.waiting_sounds >= MAX_WAITING_SOUNDS,
        };
        is_crowded || self.waiting_bytes.saturating_add(bytes) > MAX_WAITING_BYTES
    }

    fn waiting_of(&mut self, track: Track) -> &mut usize {
        match track {
            Track::Video => &mut self.waiting_pictures,
            Track::Audio => &mut self.waiting_sounds,
        }
    }

    fn push(&mut self, decoded: u64, track: Track, sample: Sample) {
        self.sequence = self.sequence.wrapping_add(1);
        let written = fragment::write_together(self.sequence, decoded, track, &[sample]);
        self.waiting_bytes += written.len();
        *self.waiting_of(track) += 1;
        self.waiting.push_back((Some(track), written));
    }

    /// Sets which pictures are queued from now on.
    pub fn set_mode(&mut self, mode: FeedMode) {
        self.mode = mode;
    }

    /// The next piece to write, if any.
    pub fn next_piece(&mut self) -> Option<Bytes> {
        let (track, piece) = self.waiting.pop_front()?;
        self.waiting_bytes -= piece.len();
        if let Some(track) = track {
            *self.waiting_of(track) -= 1;
        }
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
        feed.set_mode(FeedMode::KeyFrames);
        assert!(!give(&mut feed, 40, false));
        assert!(give(&mut feed, 80, true));
        assert!(!give(&mut feed, 120, false));
        feed.set_mode(FeedMode::Everything);
        assert!(!give(&mut feed, 160, false), "it looks back");
        assert!(give(&mut feed, 200, true));
        assert!(give(&mut feed, 240, false));
    }

    #[test]
    fn a_diet_that_nothing_was_left_out_for_leaves_no_gap() {
        let mut feed = feed();
        assert!(give(&mut feed, 0, true));
        feed.set_mode(FeedMode::KeyFrames);
        feed.set_mode(FeedMode::Everything);
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
        assert_eq!(feed.waiting_pictures, MAX_WAITING);
        while feed.next_piece().is_some() {}
        assert_eq!(feed.waiting_pictures, 0);
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

    fn hear(feed: &mut Feed, place: i64) -> bool {
        feed.sound(place, 960, Bytes::from_static(b"sound"))
    }

    #[test]
    fn sound_begins_with_the_picture_and_comes_in_turns_with_it() {
        let mut feed = feed();
        assert!(!hear(&mut feed, 480_000), "before the picture");
        assert!(give(&mut feed, 10_000, true));
        assert!(hear(&mut feed, 480_960));
        assert!(give(&mut feed, 10_040, false));
        feed.next_piece();
        feed.next_piece();
        let sample = Sample {
            data: Bytes::from_static(b"sound"),
            duration: 960,
            composition: 0,
            is_sync: true,
        };
        let expected = fragment::write_together(2, 480_960, Track::Audio, &[sample]);
        assert_eq!(feed.next_piece().unwrap(), expected);
        assert!(feed.next_piece().is_some());
        assert_eq!(feed.next_piece(), None);
    }

    #[test]
    fn sound_is_given_whole_while_pictures_are_on_a_diet() {
        let mut feed = feed();
        assert!(give(&mut feed, 0, true));
        feed.set_mode(FeedMode::KeyFrames);
        assert!(!give(&mut feed, 40, false));
        assert!(hear(&mut feed, 0) && hear(&mut feed, 960));
    }

    #[test]
    fn sound_alone_waits_for_no_picture_and_is_bounded() {
        let mut feed = Feed::of_sound(Bytes::from_static(INIT));
        let mut place = 0;
        while hear(&mut feed, place) {
            place += 960;
        }
        assert_eq!(feed.waiting_sounds, MAX_WAITING_SOUNDS);
        assert_eq!(feed.next_piece().unwrap(), INIT);
        assert!(!hear(&mut feed, place), "the init segment is no sound");
        feed.next_piece();
        assert!(hear(&mut feed, place));
    }

    #[test]
    fn short_frames_of_sound_keep_no_picture_out() {
        let mut feed = feed();
        assert!(give(&mut feed, 0, true));
        // A second and a half of Opus with 2.5 ms in a frame, and of the pictures beside it.
        for frame in 0..600 {
            assert!(hear(&mut feed, frame * 120));
            if frame % 16 == 15 {
                assert!(give(&mut feed, (frame + 1) * 5 / 2, false), "{frame}");
            }
        }
        let mut place = 72_000;
        while hear(&mut feed, place) {
            place += 120;
        }
        assert!(give(&mut feed, 1_540, false), "where no more sound fits");
    }
}
