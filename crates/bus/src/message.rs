//! The one byte around every message.

use bytes::{BufMut, Bytes, BytesMut};

/// The format of messages that this version writes. It also reads the one before, so that machines can be brought up to
/// date one by one.
pub const FORMAT: u8 = 1;
/// The oldest format that this version reads.
const OLDEST_FORMAT: u8 = 1;

/// What another machine said.
#[derive(Clone, Debug)]
pub struct BusMessage {
    /// The format it is written in.
    pub format: u8,
    pub body: Bytes,
    /// Where an answer is expected.
    pub(crate) reply: Option<async_nats::Subject>,
    /// What the answer is sealed for; `None` if it is not.
    pub(crate) answer_name: Option<String>,
}

impl BusMessage {
    /// Whether the sender waits for an answer.
    pub fn wants_answer(&self) -> bool {
        self.reply.is_some()
    }

    /// `None` for what is none of ours: empty, too large, or of a format that this version does not know.
    pub(crate) fn parse(
        payload: &Bytes,
        most: usize,
        reply: Option<async_nats::Subject>,
    ) -> Option<Self> {
        let format = *payload.first()?;
        let is_known = (OLDEST_FORMAT..=FORMAT).contains(&format);
        (is_known && payload.len() <= most).then(|| Self {
            format,
            body: payload.slice(1..),
            reply,
            answer_name: None,
        })
    }
}

/// A message as it travels.
pub(crate) fn with_format(body: &[u8]) -> Bytes {
    let mut payload = BytesMut::with_capacity(body.len() + 1);
    payload.put_u8(FORMAT);
    payload.put_slice(body);
    payload.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_its_format_and_comes_back_as_it_was() {
        let payload = with_format(b"hello");
        let read = BusMessage::parse(&payload, 6, None).unwrap();
        assert_eq!((read.format, read.body.as_ref()), (FORMAT, &b"hello"[..]));
        assert!(!read.wants_answer());
        let empty = BusMessage::parse(&with_format(b""), 6, None).unwrap();
        assert!(empty.body.is_empty());
    }

    #[test]
    fn what_is_of_an_unknown_format_too_large_or_empty_is_left_out() {
        for payload in [&[][..], &[0, 1], &[FORMAT + 1, 1], &[FORMAT, 1, 2, 3]] {
            let payload = Bytes::copy_from_slice(payload);
            assert!(
                BusMessage::parse(&payload, 3, None).is_none(),
                "{payload:?}"
            );
        }
    }
}
