//! What machines say to the one that runs the plugins, byte by byte.
//!
//! Questions about lines and viewers are one message and one answer. A request by HTTP is a conversation of many, each a
//! request with a reply, because bodies are larger than messages: the asker brings its body piece by piece, then fetches
//! the answer piece by piece. So nobody sends what the other one has no room for, and either one notices within one
//! message's time that the other is gone.

use bytes::{BufMut, Bytes, BytesMut};

/// Bytes of a body in one message.
pub const MAX_PIECE_BYTES: usize = 256 * 1024;
/// Bytes of what precedes a body: the first line and the headers, or what stands for them.
pub const MAX_HEAD_BYTES: usize = 192 * 1024;
/// Bytes of a question about a line or a viewer, and of its answer.
pub const MAX_QUESTION_BYTES: usize = 64 * 1024 - 64;

/// Names one conversation; random.
pub type ExchangeId = [u8; 16];

/// What the asker of a conversation says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExchangeAsk {
    /// Begins it.
    Open {
        id: ExchangeId,
        head: Bytes,
        body: Bytes,
        /// There is no more of the body.
        is_whole: bool,
    },
    /// More of the body; pieces are numbered from 1, the one in `Open` is 0.
    More {
        id: ExchangeId,
        number: u32,
        body: Bytes,
        is_last: bool,
    },
    /// Fetches the answer's piece of this number, from 0 on, which comes with the head.
    Next { id: ExchangeId, number: u32 },
    /// Nobody waits for the rest.
    Leave { id: ExchangeId },
}

/// What the machine that runs the plugins says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExchangeReply {
    /// It took the piece, and has room for the next.
    GoOn,
    /// It has nothing yet; the same may be asked again.
    Wait,
    /// The answer begins.
    Head {
        head: Bytes,
        body: Bytes,
        is_whole: bool,
    },
    /// More of the answer.
    Piece {
        number: u32,
        body: Bytes,
        is_last: bool,
    },
    /// There is no such conversation, or it broke.
    Gone,
    /// Too many at once.
    Busy,
    /// The plugins run elsewhere.
    NotHere,
}

/// A question about a viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateAsk {
    /// Whether the plugin answers at all.
    IsReady { slug: String },
    /// What it says about a viewer: the question as its code gets it, and the hash of the viewer's token.
    Viewer {
        slug: String,
        viewer: [u8; 32],
        question: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateReply {
    /// It answers; for `Viewer`, with this.
    Answer(String),
    /// It does not run just now.
    NotRunning,
    /// It failed, or was late.
    Failed,
    NotHere,
}

/// What the filters decide about a line, which is asked as the JSON text that they get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterReply {
    Pass,
    Replace(String),
    Drop(String),
    NotHere,
}

/// Takes a message apart; whatever is left over makes it unreadable.
struct Reader<'a>(&'a Bytes, usize);

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Option<Bytes> {
        let end = self.1.checked_add(count)?;
        let taken = (end <= self.0.len()).then(|| self.0.slice(self.1..end))?;
        self.1 = end;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        <[u8; N]>::try_from(&*self.take(N)?).ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Bytes with their count before them.
    fn counted(&mut self, most: usize) -> Option<Bytes> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= most).then(|| self.take(count))?
    }

    fn text(&mut self, most: usize) -> Option<String> {
        let bytes = self.counted(most)?;
        std::str::from_utf8(&bytes).ok().map(str::to_owned)
    }

    fn is_over(&self) -> bool {
        self.1 == self.0.len()
    }
}

fn begun(kind: u8, bytes: usize) -> BytesMut {
    let mut message = BytesMut::with_capacity(bytes + 32);
    message.put_u8(kind);
    message
}

/// Nothing here is as long as four gigabytes: larger messages are refused before they are sent.
fn put_counted(message: &mut BytesMut, bytes: &[u8]) {
    message.put_u32(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    message.put_slice(bytes);
}

fn read_whole<T>(
    message: &Bytes,
    read: impl FnOnce(u8, &mut Reader<'_>) -> Option<T>,
) -> Option<T> {
    let mut reader = Reader(message, 0);
    let kind = reader.byte()?;
    let found = read(kind, &mut reader)?;
    reader.is_over().then_some(found)
}

impl ExchangeAsk {
    pub fn to_bytes(&self) -> Bytes {
        let mut message;
        match self {
            Self::Open {
                id,
                head,
                body,
                is_whole,
            } => {
                message = begun(1, head.len() + body.len());
                message.put_slice(id);
                put_counted(&mut message, head);
                put_counted(&mut message, body);
                message.put_u8(u8::from(*is_whole));
            }
            Self::More {
                id,
                number,
                body,
                is_last,
            } => {
                message = begun(2, body.len());
                message.put_slice(id);
                message.put_u32(*number);
                put_counted(&mut message, body);
                message.put_u8(u8::from(*is_last));
            }
            Self::Next { id, number } => {
                message = begun(3, 0);
                message.put_slice(id);
                message.put_u32(*number);
            }
            Self::Leave { id } => {
                message = begun(4, 0);
                message.put_slice(id);
            }
        }
        message.freeze()
    }

    /// `None` for anything else, also with something behind it.
    pub fn parse(message: &Bytes) -> Option<Self> {
        read_whole(message, |kind, reader| {
            let id = reader.array()?;
            Some(match kind {
                1 => Self::Open {
                    id,
                    head: reader.counted(MAX_HEAD_BYTES)?,
                    body: reader.counted(MAX_PIECE_BYTES)?,
                    is_whole: reader.flag()?,
                },
                2 => Self::More {
                    id,
                    number: reader.number()?,
                    body: reader.counted(MAX_PIECE_BYTES)?,
                    is_last: reader.flag()?,
                },
                3 => Self::Next {
                    id,
                    number: reader.number()?,
                },
                4 => Self::Leave { id },
                _ => return None,
            })
        })
    }
}

impl ExchangeReply {
    pub fn to_bytes(&self) -> Bytes {
        let kind = match self {
            Self::GoOn => 1,
            Self::Wait => 2,
            Self::Head {
                head,
                body,
                is_whole,
            } => {
                let mut message = begun(3, head.len() + body.len());
                put_counted(&mut message, head);
                put_counted(&mut message, body);
                message.put_u8(u8::from(*is_whole));
                return message.freeze();
            }
            Self::Piece {
                number,
                body,
                is_last,
            } => {
                let mut message = begun(4, body.len());
                message.put_u32(*number);
                put_counted(&mut message, body);
                message.put_u8(u8::from(*is_last));
                return message.freeze();
            }
            Self::Gone => 5,
            Self::Busy => 6,
            Self::NotHere => 7,
        };
        begun(kind, 0).freeze()
    }

    /// `None` for anything else, also with something behind it.
    pub fn parse(message: &Bytes) -> Option<Self> {
        read_whole(message, |kind, reader| {
            Some(match kind {
                1 => Self::GoOn,
                2 => Self::Wait,
                3 => Self::Head {
                    head: reader.counted(MAX_HEAD_BYTES)?,
                    body: reader.counted(MAX_PIECE_BYTES)?,
                    is_whole: reader.flag()?,
                },
                4 => Self::Piece {
                    number: reader.number()?,
                    body: reader.counted(MAX_PIECE_BYTES)?,
                    is_last: reader.flag()?,
                },
                5 => Self::Gone,
                6 => Self::Busy,
                7 => Self::NotHere,
                _ => return None,
            })
        })
    }
}

impl GateAsk {
    pub fn to_bytes(&self) -> Bytes {
        match self {
            Self::IsReady { slug } => {
                let mut message = begun(1, slug.len());
                put_counted(&mut message, slug.as_bytes());
                message.freeze()
            }
            Self::Viewer {
                slug,
                viewer,
                question,
            } => {
                let mut message = begun(2, slug.len() + question.len() + viewer.len());
                put_counted(&mut message, slug.as_bytes());
                message.put_slice(viewer);
                put_counted(&mut message, question.as_bytes());
                message.freeze()
            }
        }
    }

    /// `None` for anything else, also with something behind it.
    pub fn parse(message: &Bytes) -> Option<Self> {
        read_whole(message, |kind, reader| {
            let slug = reader.text(MAX_QUESTION_BYTES)?;
            Some(match kind {
                1 => Self::IsReady { slug },
                2 => Self::Viewer {
                    slug,
                    viewer: reader.array()?,
                    question: reader.text(MAX_QUESTION_BYTES)?,
                },
                _ => return None,
            })
        })
    }
}

impl GateReply {
    pub fn to_bytes(&self) -> Bytes {
        let kind = match self {
            Self::Answer(text) => {
                let mut message = begun(1, text.len());
                put_counted(&mut message, text.as_bytes());
                return message.freeze();
            }
            Self::NotRunning => 2,
            Self::Failed => 3,
            Self::NotHere => 4,
        };
        begun(kind, 0).freeze()
    }

    /// `None` for anything else, also with something behind it.
    pub fn parse(message: &Bytes) -> Option<Self> {
        read_whole(message, |kind, reader| {
            Some(match kind {
                1 => Self::Answer(reader.text(MAX_QUESTION_BYTES)?),
                2 => Self::NotRunning,
                3 => Self::Failed,
                4 => Self::NotHere,
                _ => return None,
            })
        })
    }
}

impl FilterReply {
    pub fn to_bytes(&self) -> Bytes {
        let (kind, text) = match self {
            Self::Pass => (1, None),
            Self::Replace(body) => (2, Some(body)),
            Self::Drop(reason) => (3, Some(reason)),
            Self::NotHere => (4, None),
        };
        let mut message = begun(kind, text.map_or(0, String::len));
        if let Some(text) = text {
            put_counted(&mut message, text.as_bytes());
        }
        message.freeze()
    }

    /// `None` for anything else, also with something behind it.
    pub fn parse(message: &Bytes) -> Option<Self> {
        read_whole(message, |kind, reader| {
            Some(match kind {
                1 => Self::Pass,
                2 => Self::Replace(reader.text(MAX_QUESTION_BYTES)?),
                3 => Self::Drop(reader.text(MAX_QUESTION_BYTES)?),
                4 => Self::NotHere,
                _ => return None,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn some_bytes() -> impl Strategy<Value = Bytes> {
        vec(any::<u8>(), 0..200).prop_map(Bytes::from)
    }

    fn asks() -> impl Strategy<Value = ExchangeAsk> {
        let id = any::<ExchangeId>;
        prop_oneof![
            (id(), some_bytes(), some_bytes(), any::<bool>()).prop_map(
                |(id, head, body, is_whole)| ExchangeAsk::Open {
                    id,
                    head,
                    body,
                    is_whole
                }
            ),
            (id(), any::<u32>(), some_bytes(), any::<bool>()).prop_map(
                |(id, number, body, is_last)| ExchangeAsk::More {
                    id,
                    number,
                    body,
                    is_last
                }
            ),
            (id(), any::<u32>()).prop_map(|(id, number)| ExchangeAsk::Next { id, number }),
            id().prop_map(|id| ExchangeAsk::Leave { id }),
        ]
    }

    fn replies() -> impl Strategy<Value = ExchangeReply> {
        prop_oneof![
            Just(ExchangeReply::GoOn),
            Just(ExchangeReply::Wait),
            Just(ExchangeReply::Gone),
            Just(ExchangeReply::Busy),
            Just(ExchangeReply::NotHere),
            (some_bytes(), some_bytes(), any::<bool>()).prop_map(|(head, body, is_whole)| {
                ExchangeReply::Head {
                    head,
                    body,
                    is_whole,
                }
            }),
            (any::<u32>(), some_bytes(), any::<bool>()).prop_map(|(number, body, is_last)| {
                ExchangeReply::Piece {
                    number,
                    body,
                    is_last,
                }
            }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_said_in_a_conversation_arrives_as_it_was(ask in asks(), reply in replies()) {
            prop_assert_eq!(ExchangeAsk::parse(&ask.to_bytes()), Some(ask));
            prop_assert_eq!(ExchangeReply::parse(&reply.to_bytes()), Some(reply));
        }

        #[test]
        fn questions_and_verdicts_arrive_as_they_were(
            slug in "\\PC{0,40}", text in "\\PC{0,200}", viewer in any::<[u8; 32]>(),
        ) {
            for ask in [
                GateAsk::IsReady { slug: slug.clone() },
                GateAsk::Viewer { slug: slug.clone(), viewer, question: text.clone() },
            ] {
                prop_assert_eq!(GateAsk::parse(&ask.to_bytes()), Some(ask));
            }
            for reply in [
                GateReply::Answer(text.clone()), GateReply::NotRunning, GateReply::Failed, GateReply::NotHere,
            ] {
                prop_assert_eq!(GateReply::parse(&reply.to_bytes()), Some(reply));
            }
            for reply in [
                FilterReply::Pass, FilterReply::Replace(text.clone()), FilterReply::Drop(text.clone()),
                FilterReply::NotHere,
            ] {
                prop_assert_eq!(FilterReply::parse(&reply.to_bytes()), Some(reply));
            }
        }

        #[test]
        fn what_is_cut_off_or_has_something_behind_it_is_not_read(ask in asks(), extra in any::<u8>()) {
            let whole = ask.to_bytes();
            for end in 0..whole.len() {
                prop_assert_eq!(ExchangeAsk::parse(&whole.slice(..end)), None);
            }
            let mut longer = whole.to_vec();
            longer.push(extra);
            prop_assert_eq!(ExchangeAsk::parse(&Bytes::from(longer)), None);
        }

        #[test]
        fn no_bytes_make_a_reader_panic_and_what_is_read_is_written_alike(bytes in vec(any::<u8>(), 0..80)) {
            let bytes = Bytes::from(bytes);
            if let Some(read) = ExchangeAsk::parse(&bytes) {
                prop_assert_eq!(read.to_bytes(), bytes.clone());
            }
            if let Some(read) = ExchangeReply::parse(&bytes) {
                prop_assert_eq!(read.to_bytes(), bytes.clone());
            }
            if let Some(read) = GateAsk::parse(&bytes) {
                prop_assert_eq!(read.to_bytes(), bytes.clone());
            }
            if let Some(read) = GateReply::parse(&bytes) {
                prop_assert_eq!(read.to_bytes(), bytes.clone());
            }
            if let Some(read) = FilterReply::parse(&bytes) {
                prop_assert_eq!(read.to_bytes(), bytes);
            }
        }
    }

    #[test]
    fn a_piece_that_is_too_large_is_not_read() {
        let piece = |bytes: usize| ExchangeReply::Piece {
            number: 1,
            body: Bytes::from(vec![0; bytes]),
            is_last: true,
        };
        let most = piece(MAX_PIECE_BYTES);
        assert_eq!(ExchangeReply::parse(&most.to_bytes()), Some(most));
        let more = piece(MAX_PIECE_BYTES + 1);
        assert_eq!(ExchangeReply::parse(&more.to_bytes()), None);
    }
}
