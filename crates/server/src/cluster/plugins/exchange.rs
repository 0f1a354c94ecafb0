//! The asking side of a conversation: brings a request piece by piece, then fetches the answer.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bus::Subject;
use bus::{BusError, ExchangeAsk, ExchangeId, ExchangeReply, MAX_HEAD_BYTES, MAX_PIECE_BYTES};
use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use tokio::runtime::Handle;
use tokio::time::timeout;
use web::{BodyPieces, Parcel, Unanswered};

use super::{HOLD, PluginConnection};

/// How long one question waits for its reply: as long as the other machine may hold it, and the way.
const PATIENCE: Duration = HOLD.saturating_add(Duration::from_secs(2));
/// Each question after the first may be asked this often; its reply may get lost.
const TRIES: u32 = 3;
/// Whoever sends a request so slowly may have been answered already.
const SLOW_BODY: Duration = Duration::from_secs(10);

/// One conversation. The other side hears when it is dropped.
#[derive(Debug)]
struct OpenExchange {
    line: Arc<dyn PluginConnection>,
    id: ExchangeId,
}

/// The first part of an answer.
struct AnswerStart {
    head: Bytes,
    body: Bytes,
    is_whole: bool,
}

/// Passes a request of this kind on to whoever runs the plugins.
pub(super) async fn exchange(
    line: Arc<dyn PluginConnection>,
    kind: u8,
    request: Parcel,
) -> Result<Parcel, Unanswered> {
    let mut head = BytesMut::with_capacity(request.head.len() + 1);
    head.put_u8(kind);
    head.put_slice(&request.head);
    if head.len() > MAX_HEAD_BYTES {
        return Err(Unanswered::Untaken(request));
    }
    let talk = OpenExchange {
        line,
        id: random_id(),
    };
    let open = ExchangeAsk::Open {
        id: talk.id,
        head: head.freeze(),
        body: Bytes::new(),
        is_whole: request.is_empty,
    };
    // Asked once: whether it was heard is not known if nothing comes back.
    let Some(reply @ (ExchangeReply::GoOn | ExchangeReply::Wait | ExchangeReply::Head { .. })) =
        talk.say(&open, 1).await
    else {
        return Err(Unanswered::Untaken(request));
    };
    let reply = match reply {
        ExchangeReply::GoOn if !request.is_empty => {
            talk.bring(request.body).await.ok_or(Unanswered::Lost)?
        }
        other => other,
    };
    let beginning = talk.fetch_head(reply).await.ok_or(Unanswered::Lost)?;
    Ok(talk.answer(beginning))
}

impl OpenExchange {
    /// `None` if there is no reply, or none that can be read.
    async fn say(&self, ask: &ExchangeAsk, tries: u32) -> Option<ExchangeReply> {
        for _ in 0..tries {
            let asked = self
                .line
                .ask(Subject::PluginHttp, ask.to_bytes(), PATIENCE)
                .await;
            match asked {
                Ok(reply) => return ExchangeReply::parse(&reply),
                Err(BusError::Late(_)) => {}
                Err(error) => {
                    tracing::debug!(%error, "the machine that runs the plugins cannot be asked");
                    return None;
                }
            }
        }
        None
    }

    async fn next(&self, number: u32) -> Option<ExchangeReply> {
        let id = self.id;
        self.say(&ExchangeAsk::Next { id, number }, TRIES).await
    }

    /// Brings the body; returns what was said to the last piece of it that was wanted.
    async fn bring(&self, mut body: BodyPieces) -> Option<ExchangeReply> {
        let (mut number, mut rest) = (0, Bytes::new());
        loop {
            if rest.is_empty() {
                match timeout(SLOW_BODY, body.next()).await {
                    Ok(Some(bytes)) => rest = bytes.ok()?,
                    Ok(None) => break,
                    Err(_) => match self.next(0).await? {
                        ExchangeReply::Wait => {}
                        reply => return Some(reply),
                    },
                }
                continue;
            }
            let piece = rest.split_to(rest.len().min(MAX_PIECE_BYTES));
            number += 1;
            match self.bring_piece(number, piece, false).await? {
                ExchangeReply::GoOn => {}
                reply => return Some(reply),
            }
        }
        self.bring_piece(number + 1, Bytes::new(), true).await
    }

    async fn bring_piece(&self, number: u32, body: Bytes, is_last: bool) -> Option<ExchangeReply> {
        let more = ExchangeAsk::More {
            id: self.id,
            number,
            body,
            is_last,
        };
        loop {
            match self.say(&more, TRIES).await? {
                ExchangeReply::Wait => {}
                reply => return Some(reply),
            }
        }
    }

    async fn fetch_head(&self, mut reply: ExchangeReply) -> Option<AnswerStart> {
        loop {
            match reply {
                ExchangeReply::Head {
                    head,
                    body,
                    is_whole,
                } => {
                    return Some(AnswerStart {
                        head,
                        body,
                        is_whole,
                    });
                }
                ExchangeReply::GoOn | ExchangeReply::Wait => {}
                _ => return None,
            }
            reply = self.next(0).await?;
        }
    }

    /// The answer, whose further pieces are fetched as its reader takes them.
    fn answer(self, beginning: AnswerStart) -> Parcel {
        let AnswerStart {
            head,
            body,
            is_whole,
        } = beginning;
        let is_empty = is_whole && body.is_empty();
        let body: BodyPieces = match is_whole {
            true => stream::once(std::future::ready(Ok(body))).boxed(),
            false => {
                let first = (!body.is_empty()).then_some(body);
                stream::unfold(Some((self, first, 0)), further_piece).boxed()
            }
        };
        Parcel {
            head,
            body,
            is_empty,
        }
    }
}

/// A conversation whose answer has begun, a piece of it that is there already, and the number of the last one.
type AnswerProgress = Option<(OpenExchange, Option<Bytes>, u32)>;

async fn further_piece(
    reading: AnswerProgress,
) -> Option<(Result<Bytes, io::Error>, AnswerProgress)> {
    let (talk, first, number) = reading?;
    if let Some(first) = first {
        return Some((Ok(first), Some((talk, None, number))));
    }
    let wanted = number.checked_add(1)?;
    loop {
        match talk.next(wanted).await {
            Some(ExchangeReply::Wait) => {}
            Some(ExchangeReply::Piece {
                number,
                body,
                is_last,
            }) if number == wanted => {
                let reading = (!is_last).then_some((talk, None, number));
                return Some((Ok(body), reading));
            }
            _ => {
                let lost = io::Error::other("the rest of a plugin's answer did not come");
                return Some((Err(lost), None));
            }
        }
    }
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        // Outside a runtime nobody can be told, and the other side notices by itself.
        if let Ok(runtime) = Handle::try_current() {
            let (line, id) = (Arc::clone(&self.line), self.id);
            runtime.spawn(async move {
                let leave = ExchangeAsk::Leave { id };
                line.tell(Subject::PluginHttp, leave.to_bytes()).await;
            });
        }
    }
}

fn random_id() -> ExchangeId {
    let mut id = ExchangeId::default();
    let random = access::sha256(access::random_token().expose());
    let (first, _) = random.split_at(id.len());
    id.copy_from_slice(first);
    id
}
