//! Aligns the pictures of a rung with the source's time line.
//!
//! A publisher's pictures are decoded some time before they are shown, those of a rung at the same time. Segments
//! are cut by decode time, so a rung gets the source's offset between the two: then its key frames are decoded when
//! the source's are, and its segment N holds the same pictures as the source's segment N.

use std::collections::VecDeque;

use super::output::EncodedFrame;

/// Key frames of the source that are remembered, for rungs that are not there yet. One that is further behind than
/// this many was given up long before.
const MAX_KEYS: usize = 256;

/// A key frame of the source.
#[derive(Clone, Copy, Debug)]
struct SourceKeyFrame {
    shown_ms: i64,
    decoded_ms: i64,
    /// The publisher's offset between the two.
    distance_ms: i64,
}

/// The source's key frames, from the view of one rung.
#[derive(Debug, Default)]
pub struct Alignment {
    /// In presentation order; the first is the latest that the rung has reached.
    keys: VecDeque<SourceKeyFrame>,
    last_ms: Option<i64>,
}

/// The position of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePosition {
    /// Decode time.
    pub at_ms: i64,
    /// How much later it is shown.
    pub composition_ms: i32,
    /// Whether the source has a key frame at this position, so that a segment may begin here.
    pub is_aligned: bool,
}

impl Alignment {
    /// Records that the encoder was given a key frame of the source, shown `composition_ms` after it is decoded.
    /// `sent_ms` is the publisher's own offset, which the following pictures have: the first picture after a pause is
    /// decoded where the pause began.
    pub fn key(&mut self, decoded_ms: i64, composition_ms: i32, sent_ms: i32) {
        let shown_ms = decoded_ms + i64::from(composition_ms);
        if self
            .keys
            .back()
            .is_some_and(|last| shown_ms <= last.shown_ms)
        {
            return;
        }
        if self.keys.len() >= MAX_KEYS {
            self.keys.pop_front();
        }
        self.keys.push_back(SourceKeyFrame {
            shown_ms,
            decoded_ms,
            distance_ms: i64::from(sent_ms),
        });
    }

    /// The position of the rung's next picture; `None` before the first key frame.
    pub fn place(&mut self, frame: &EncodedFrame) -> Option<FramePosition> {
        while let Some(next) = self.keys.get(1) {
            if next.shown_ms > frame.at_ms {
                break;
            }
            self.keys.pop_front();
        }
        let key = self
            .keys
            .front()
            .filter(|key| key.shown_ms <= frame.at_ms)?;
        let wanted_ms = if frame.at_ms == key.shown_ms {
            key.decoded_ms
        } else {
            frame.at_ms - key.distance_ms
        };
        // Where the source changes its offset, decode times must not go back.
        let at_ms = self
            .last_ms
            .map_or(wanted_ms, |last| wanted_ms.max(last + 1));
        self.last_ms = Some(at_ms);
        Some(FramePosition {
            at_ms,
            composition_ms: i32::try_from(frame.at_ms - at_ms).unwrap_or(0),
            is_aligned: frame.is_key && frame.at_ms == key.shown_ms,
        })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    fn frame(at_ms: i64, is_key: bool) -> EncodedFrame {
        EncodedFrame {
            at_ms,
            is_key,
            data: Bytes::new(),
        }
    }

    fn placed(at_ms: i64, composition_ms: i32, is_aligned: bool) -> Option<FramePosition> {
        Some(FramePosition {
            at_ms,
            composition_ms,
            is_aligned,
        })
    }

    #[test]
    fn key_frames_are_decoded_when_the_sources_are() {
        let mut rung = Alignment::default();
        rung.key(10_000, 67, 67);
        rung.key(12_000, 67, 67);
        assert_eq!(rung.place(&frame(10_067, true)), placed(10_000, 67, true));
        assert_eq!(rung.place(&frame(10_100, false)), placed(10_033, 67, false));
        assert_eq!(rung.place(&frame(12_067, true)), placed(12_000, 67, true));
        assert_eq!(rung.place(&frame(12_100, false)), placed(12_033, 67, false));
    }

    #[test]
    fn a_key_frame_where_the_source_has_none_begins_nothing() {
        let mut rung = Alignment::default();
        rung.key(10_000, 0, 0);
        rung.place(&frame(10_000, true));
        assert_eq!(rung.place(&frame(11_000, true)), placed(11_000, 0, false));
        rung.key(12_000, 0, 0);
        // A picture at that position that is not a key frame begins nothing either.
        assert_eq!(rung.place(&frame(12_000, false)), placed(12_000, 0, false));
    }

    #[test]
    fn nothing_stands_before_the_first_key_frame() {
        let mut rung = Alignment::default();
        assert_eq!(rung.place(&frame(10_000, true)), None);
        rung.key(10_500, 0, 0);
        assert_eq!(rung.place(&frame(10_400, true)), None);
        assert_eq!(rung.place(&frame(10_500, true)), placed(10_500, 0, true));
    }

    #[test]
    fn decode_times_do_not_go_back_where_the_source_decodes_earlier() {
        let mut rung = Alignment::default();
        rung.key(10_000, 0, 0);
        rung.key(10_900, 100, 100);
        assert_eq!(rung.place(&frame(10_960, false)), placed(10_960, 0, false));
        assert_eq!(rung.place(&frame(11_000, true)), placed(10_961, 39, true));
        assert_eq!(
            rung.place(&frame(11_100, false)),
            placed(11_000, 100, false)
        );
    }

    #[test]
    fn a_key_frame_that_is_decoded_long_before_it_is_shown_takes_no_other_along() {
        let mut rung = Alignment::default();
        rung.key(10_000, 2_067, 67);
        assert_eq!(
            rung.place(&frame(12_067, true)),
            placed(10_000, 2_067, true)
        );
        assert_eq!(rung.place(&frame(12_100, false)), placed(12_033, 67, false));
    }

    proptest! {
        #[test]
        fn pictures_are_shown_when_they_were_and_decoded_one_after_the_other(
            keys in prop::collection::vec((1..5_000i64, 0..500i32), 1..400),
            pictures in prop::collection::vec(1..500i64, 0..200),
        ) {
            let mut rung = Alignment::default();
            let mut decoded_ms = 10_000;
            for (step, composition_ms) in keys {
                decoded_ms += step;
                rung.key(decoded_ms, composition_ms, composition_ms);
                prop_assert!(rung.keys.len() <= MAX_KEYS);
            }
            let (mut shown_ms, mut last) = (10_000, None);
            for step in pictures {
                shown_ms += step;
                let Some(place) = rung.place(&frame(shown_ms, false)) else {
                    continue;
                };
                prop_assert_eq!(place.at_ms + i64::from(place.composition_ms), shown_ms);
                prop_assert!(last.is_none_or(|last| last < place.at_ms));
                last = Some(place.at_ms);
            }
        }
    }
}
