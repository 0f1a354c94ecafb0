//! Two queues between the publisher's connection and the task that drives the encoder; neither side ever waits.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::hls::{EncoderEvent, PictureFrame, SoundFrame, SourceEncoder};

/// Pictures and frames of sound that wait in a queue; then whoever puts more there has to do without.
const MAX_QUEUED: usize = 4096;
/// Bytes that wait in a queue.
const MAX_QUEUED_BYTES: usize = 64 << 20;
/// The place of the sound among the bits of what is listed, behind those of all rungs.
const SOUND_BIT: usize = 63;

/// A bounded queue whose reader takes everything at once.
#[derive(Debug)]
pub(super) struct BoundedQueue<T> {
    waiting: Mutex<(VecDeque<T>, usize)>,
    arrived: Notify,
}

impl<T> Default for BoundedQueue<T> {
    fn default() -> Self {
        Self {
            waiting: Mutex::default(),
            arrived: Notify::new(),
        }
    }
}

impl<T> BoundedQueue<T> {
    /// False if the queue is full. Items without bytes are few and always fit.
    pub(super) fn push(&self, item: T, bytes: usize) -> bool {
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let (items, held) = &mut *waiting;
            let is_full =
                items.len() >= MAX_QUEUED || held.saturating_add(bytes) > MAX_QUEUED_BYTES;
            if is_full && bytes > 0 {
                return false;
            }
            *held += bytes;
            items.push_back(item);
        }
        self.arrived.notify_one();
        true
    }

    pub(super) fn take_all(&self) -> VecDeque<T> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *waiting).0
    }

    /// Waits until the queue may have items.
    pub(super) async fn ready(&self) {
        self.arrived.notified().await;
    }
}

/// A frame of the source, in order of arrival.
#[derive(Debug)]
pub(super) enum SourceFrame {
    Picture(PictureFrame),
    Sound(SoundFrame),
}

#[derive(Debug, Default)]
pub(super) struct LinkQueues {
    pub(super) given: BoundedQueue<SourceFrame>,
    pub(super) encoded: BoundedQueue<EncoderEvent>,
    /// A bit for each rung that is listed as a quality, and one for the sound.
    listed: AtomicU64,
}

impl LinkQueues {
    pub(super) fn is_listed(&self, rung: usize) -> bool {
        self.listed.load(Ordering::Relaxed) & bit(rung) != 0
    }

    pub(super) fn is_sound_listed(&self) -> bool {
        self.is_listed(SOUND_BIT)
    }
}

fn bit(rung: usize) -> u64 {
    let place = u32::try_from(rung).unwrap_or(u32::MAX);
    1u64.checked_shl(place).unwrap_or(0)
}

/// The packager's end; dropping it ends the encoder.
#[derive(Debug)]
pub(super) struct EncoderLink {
    queues: Arc<LinkQueues>,
    pub(super) takes_pictures: bool,
    pub(super) takes_sound: bool,
    /// Set when a picture was lost: the following ones cannot be decoded without a key frame.
    wants_key: bool,
    _gone: DropGuard,
}

impl EncoderLink {
    pub(super) fn new(gone: CancellationToken) -> (Self, Arc<LinkQueues>) {
        let queues = Arc::new(LinkQueues::default());
        let link = Self {
            queues: Arc::clone(&queues),
            takes_pictures: true,
            takes_sound: true,
            wants_key: false,
            _gone: gone.drop_guard(),
        };
        (link, queues)
    }
}

impl SourceEncoder for EncoderLink {
    fn give(&mut self, picture: PictureFrame) {
        if !self.takes_pictures || (self.wants_key && !picture.is_key) {
            return;
        }
        let bytes = picture.data.len();
        self.wants_key = !self.queues.given.push(SourceFrame::Picture(picture), bytes);
    }

    fn give_sound(&mut self, sound: SoundFrame) {
        let bytes = sound.data.len();
        if self.takes_sound {
            // If the queue is full the frame is lost, which leaves a gap and no other damage.
            self.queues.given.push(SourceFrame::Sound(sound), bytes);
        }
    }

    fn take(&mut self, into: &mut Vec<EncoderEvent>) {
        into.extend(self.queues.encoded.take_all());
    }

    fn note_listed(&mut self, rungs: &[usize], has_sound: bool) {
        let sound = if has_sound { bit(SOUND_BIT) } else { 0 };
        let listed = rungs.iter().fold(sound, |bits, rung| bits | bit(*rung));
        self.queues.listed.store(listed, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn picture(at_ms: i64, is_key: bool) -> PictureFrame {
        PictureFrame {
            at_ms,
            composition_ms: 0,
            sent_ms: 0,
            is_key,
            data: Bytes::from_static(b"picture"),
        }
    }

    #[test]
    fn a_publisher_whose_encoder_does_not_listen_goes_on_with_the_next_key_frame_that_fits() {
        let (mut link, queues) = EncoderLink::new(CancellationToken::new());
        for at_ms in 0..10_000 {
            link.give(picture(at_ms, at_ms % 100 == 0));
        }
        assert_eq!(queues.given.take_all().len(), MAX_QUEUED);
        link.give(picture(10_001, false));
        link.give(picture(10_100, true));
        link.give(picture(10_101, false));
        assert_eq!(times(&queues), [10_100, 10_101]);
    }

    /// The times of the queued frames.
    fn times(queues: &LinkQueues) -> Vec<i64> {
        let waiting = queues.given.take_all();
        let times = waiting.iter().map(|one| match one {
            SourceFrame::Picture(picture) => picture.at_ms,
            SourceFrame::Sound(sound) => sound.at_ms,
        });
        times.collect()
    }

    fn sound(at_ms: i64) -> SoundFrame {
        SoundFrame {
            at_ms,
            end_ms: at_ms + 20,
            place: at_ms * 48,
            lasts: 960,
            data: Bytes::from_static(b"sound"),
        }
    }

    #[test]
    fn picture_and_sound_wait_in_the_order_they_came_in_and_sound_looks_back_at_nothing() {
        let (mut link, queues) = EncoderLink::new(CancellationToken::new());
        link.give(picture(0, true));
        link.give_sound(sound(10));
        link.give(picture(40, false));
        assert_eq!(times(&queues), [0, 10, 40]);
        for at_ms in 0..=10_000 {
            link.give(picture(at_ms, true));
        }
        queues.given.take_all();
        link.give(picture(10_001, false));
        link.give_sound(sound(10_002));
        assert_eq!(times(&queues), [10_002], "a picture was lost");
    }

    #[test]
    fn what_nobody_encodes_is_not_handed_over() {
        let (mut link, queues) = EncoderLink::new(CancellationToken::new());
        link.takes_pictures = false;
        link.give(picture(0, true));
        link.give_sound(sound(10));
        assert_eq!(times(&queues), [10]);
        (link.takes_pictures, link.takes_sound) = (true, false);
        link.give(picture(40, true));
        link.give_sound(sound(50));
        assert_eq!(times(&queues), [40]);
    }

    #[test]
    fn the_encoder_hears_what_is_listed() {
        let (mut link, queues) = EncoderLink::new(CancellationToken::new());
        assert!(!queues.is_listed(0));
        link.note_listed(&[0, 2], false);
        assert_eq!(
            [0, 1, 2, 99].map(|rung| queues.is_listed(rung)),
            [true, false, true, false]
        );
        assert!(!queues.is_sound_listed());
        link.note_listed(&[], true);
        assert!(!queues.is_listed(0));
        assert!(queues.is_sound_listed());
    }

    #[test]
    fn bytes_are_counted_too() {
        let queue = BoundedQueue::default();
        assert!(queue.push((), MAX_QUEUED_BYTES));
        assert!(!queue.push((), 1));
        assert!(queue.push((), 0));
        queue.take_all();
        assert!(queue.push((), 1));
    }

    #[test]
    fn the_encoder_hears_when_nobody_listens_to_it_any_more() {
        let gone = CancellationToken::new();
        let (link, _) = EncoderLink::new(gone.clone());
        assert!(!gone.is_cancelled());
        drop(link);
        assert!(gone.is_cancelled());
    }
}
