//! Sealed messages: only machines with the key of the cluster can read and make them, and each counts once.

use std::collections::{HashSet, VecDeque};
use std::fmt::{self, Write};
use std::sync::Arc;

use bytes::Bytes;

/// What a sealed message begins with.
const ID_BYTES: usize = 12;
/// Before what is said: when it was sealed.
const TIME_BYTES: usize = 8;
/// Milliseconds. Clocks of machines are closer to each other, and no message is on its way for so long.
const COUNTS_FOR: u64 = 20_000;
/// Messages of one subscription that are remembered. Only machines of the cluster can make any.
const MOST_REMEMBERED: usize = 1 << 17;

/// Of one message, and of no other.
pub(crate) type MessageId = [u8; ID_BYTES];

/// Seals with the key that all machines of a cluster have.
pub trait Seal: fmt::Debug + Send + Sync {
    /// For this name only. The first twelve bytes are random, and differ even for the same text.
    fn seal(&self, name: &str, clear: &[u8]) -> Option<Vec<u8>>;

    /// `None` for what was not sealed for this name, or with another key.
    fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>>;

    /// The time in Unix milliseconds.
    fn now(&self) -> i64;
}

/// What is said on a subject as it travels, with what an answer to it must name.
pub(crate) fn close(seal: &dyn Seal, subject: &str, body: &[u8]) -> Option<(Vec<u8>, MessageId)> {
    let mut clear = Vec::with_capacity(TIME_BYTES + body.len());
    clear.extend_from_slice(&seal.now().to_be_bytes());
    clear.extend_from_slice(body);
    let sealed = seal.seal(subject, &clear)?;
    let id: MessageId = sealed.first_chunk().copied()?;
    Some((sealed, id))
}

/// What answers to a message are sealed for, so that one cannot be passed off as the answer to another.
pub(crate) fn answer_name(subject: &str, id: &MessageId) -> String {
    let mut name = format!("{subject} answer ");
    for byte in id {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// Opens what is said on one subject.
#[derive(Debug)]
pub(crate) struct SealedInbox {
    seal: Arc<dyn Seal>,
    subject: String,
    /// What was sealed earlier was for somebody who listened before.
    began: i64,
    seen: HashSet<MessageId>,
    /// When each was heard.
    in_order: VecDeque<(i64, MessageId)>,
}

impl SealedInbox {
    pub(crate) fn new(seal: Arc<dyn Seal>, subject: String) -> Self {
        Self {
            began: seal.now(),
            seal,
            subject,
            seen: HashSet::new(),
            in_order: VecDeque::new(),
        }
    }

    /// What was said, and what an answer to it is sealed for. `None` for what no machine of the cluster has sealed for
    /// this subject, what was sealed too long ago, and what was heard already.
    pub(crate) fn open(&mut self, sealed: &[u8]) -> Option<(Bytes, String)> {
        let id: MessageId = sealed.first_chunk().copied()?;
        let clear = self.seal.open(&self.subject, sealed)?;
        let at = i64::from_be_bytes(*clear.first_chunk()?);
        let now = self.seal.now();
        if at < self.began || now.abs_diff(at) > COUNTS_FOR || !self.is_new(id, now) {
            return None;
        }
        let body = Bytes::from(clear).slice(TIME_BYTES..);
        Some((body, answer_name(&self.subject, &id)))
    }

    fn is_new(&mut self, id: MessageId, now: i64) -> bool {
        while let Some((heard_at, oldest)) = self.in_order.front().copied() {
            // One of a clock that is ahead counts for so much longer.
            let is_over = now.abs_diff(heard_at) > 2 * COUNTS_FOR;
            if !is_over && self.in_order.len() < MOST_REMEMBERED {
                break;
            }
            self.in_order.pop_front();
            self.seen.remove(&oldest);
        }
        if !self.seen.insert(id) {
            return false;
        }
        self.in_order.push_back((now, id));
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

    use super::*;

    /// Hides nothing, but knows what it has sealed for which name.
    #[derive(Debug, Default)]
    struct FakeSeal {
        time: AtomicI64,
        sealed: AtomicU64,
    }

    impl Seal for FakeSeal {
        fn seal(&self, name: &str, clear: &[u8]) -> Option<Vec<u8>> {
            let number = self.sealed.fetch_add(1, Ordering::SeqCst);
            let id = format!("{number:012}");
            Some([id.as_bytes(), name.as_bytes(), b"|", clear].concat())
        }

        fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
            let rest = sealed.get(ID_BYTES..)?.strip_prefix(name.as_bytes())?;
            Some(rest.strip_prefix(b"|")?.to_vec())
        }

        fn now(&self) -> i64 {
            self.time.load(Ordering::SeqCst)
        }
    }

    fn inbox(subject: &str) -> (Arc<FakeSeal>, SealedInbox) {
        let seal = Arc::new(FakeSeal::default());
        let shared: Arc<dyn Seal> = Arc::<FakeSeal>::clone(&seal);
        (seal, SealedInbox::new(shared, subject.into()))
    }

    #[test]
    fn what_is_said_arrives_once_however_often_it_is_repeated() {
        let (seal, mut inbox) = inbox("rc.main.penalty");
        let (said, id) = close(&*seal, "rc.main.penalty", b"ada").unwrap();
        let (body, answer) = inbox.open(&said).unwrap();
        assert_eq!(&body[..], b"ada");
        assert_eq!(answer, answer_name("rc.main.penalty", &id));
        assert!(inbox.open(&said).is_none());
        let (again, _) = close(&*seal, "rc.main.penalty", b"ada").unwrap();
        assert!(inbox.open(&again).is_some());
    }

    #[test]
    fn what_was_said_on_another_subject_or_by_nobody_of_the_cluster_is_left_out() {
        let (seal, mut inbox) = inbox("rc.main.presence");
        let (other, _) = close(&*seal, "rc.main.penalty", b"ada").unwrap();
        for made_up in [
            &b""[..],
            &b"made up"[..],
            &b"000000000000rc.main.presence|"[..],
            other.as_slice(),
        ] {
            assert!(inbox.open(made_up).is_none());
        }
    }

    #[test]
    fn what_is_old_counts_no_more_even_for_somebody_who_has_just_begun_to_listen() {
        let (seal, mut inbox) = inbox("rc.main.penalty");
        let (early, _) = close(&*seal, "rc.main.penalty", b"ada").unwrap();
        seal.time.store(1, Ordering::SeqCst);
        let shared: Arc<dyn Seal> = Arc::<FakeSeal>::clone(&seal);
        let mut later = SealedInbox::new(shared, "rc.main.penalty".into());
        assert!(later.open(&early).is_none());
        let late = i64::try_from(COUNTS_FOR).unwrap() + 1;
        seal.time.store(late, Ordering::SeqCst);
        assert!(inbox.open(&early).is_none());
    }

    #[test]
    fn there_is_an_end_to_what_is_remembered() {
        let (seal, mut inbox) = inbox("rc.main.penalty");
        for _ in 0..MOST_REMEMBERED + 10 {
            let (said, _) = close(&*seal, "rc.main.penalty", b"").unwrap();
            assert!(inbox.open(&said).is_some());
        }
        assert_eq!(inbox.in_order.len(), MOST_REMEMBERED);
        assert_eq!(inbox.seen.len(), MOST_REMEMBERED);
        let late = 2 * i64::try_from(COUNTS_FOR).unwrap() + 1;
        seal.time.store(late, Ordering::SeqCst);
        let (said, _) = close(&*seal, "rc.main.penalty", b"").unwrap();
        assert!(inbox.open(&said).is_some());
        assert_eq!(inbox.seen.len(), 1);
    }
}
