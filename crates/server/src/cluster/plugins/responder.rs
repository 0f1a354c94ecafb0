//! The answering side, on the machine that runs the plugins.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::plugins::host::wire::ChatMessage;
use bus::{
    ExchangeAsk, ExchangeId, ExchangeReply, FilterReply, GateAsk, GateReply, MAX_HEAD_BYTES,
    MAX_PIECE_BYTES, MAX_QUESTION_BYTES,
};
use bytes::{Buf, Bytes, BytesMut};
use chat::FilterVerdict;
use futures_util::{FutureExt, StreamExt, stream};
use model::Clock;
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use web::{BodyPieces, Parcel, ViewerJudgement};

use super::{ADDITIONS, HOLD, PluginsHere, REQUEST};

/// Conversations at once; one more is told to come again. Pages that listen to a plugin have one each.
const MAX_EXCHANGES: usize = 4096;
/// A conversation in which nothing was asked for so long is over: its asker is gone, or reads too slowly.
const MAX_SILENCE: Duration = Duration::from_secs(60);
/// Bytes of answers that are held for those who read slowly, about: each conversation keeps what it said last.
const MAX_HELD_BYTES: usize = 128 * 1024 * 1024;
/// Pieces of answers are never smaller.
const MIN_PIECE_BYTES: usize = 16 * 1024;
/// Pieces of a body that wait for a plugin.
const MAX_WAITING_PIECES: usize = 2;

/// Answers what other machines ask about plugins.
pub(super) struct PluginResponder {
    here: Arc<dyn PluginsHere>,
    clock: Arc<dyn Clock>,
    exchanges: Mutex<HashMap<ExchangeId, Arc<ServedExchange>>>,
}

/// One conversation.
struct ServedExchange {
    /// Milliseconds of [`Clock::uptime`] when something was last asked.
    asked_at: AtomicU64,
    upload: AsyncMutex<RequestUpload>,
    answer: AsyncMutex<AnswerPieces>,
    /// Ends with the conversation, as it does when the one who waits for it hangs up.
    work: AbortHandle,
}

/// The request's body.
struct RequestUpload {
    /// Pieces, and whether each is the last.
    pieces: Option<mpsc::Sender<(Bytes, bool)>>,
    /// The number of the last one that was taken.
    taken: u32,
}

struct AnswerPieces {
    coming: oneshot::Receiver<Option<Parcel>>,
    body: Option<BodyPieces>,
    /// What is left of a piece.
    rest: Bytes,
    is_broken: bool,
    /// What was said last, for those who did not hear it.
    last: Option<(u32, ExchangeReply)>,
}

impl fmt::Debug for PluginResponder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginResponder").finish_non_exhaustive()
    }
}

impl PluginResponder {
    pub(super) fn new(here: Arc<dyn PluginsHere>, clock: Arc<dyn Clock>) -> Self {
        Self {
            here,
            clock,
            exchanges: Mutex::default(),
        }
    }

    /// A piece of a conversation.
    pub(super) async fn http(&self, question: &Bytes) -> ExchangeReply {
        let Some(ask) = ExchangeAsk::parse(question) else {
            return ExchangeReply::Gone;
        };
        match ask {
            ExchangeAsk::Open {
                id,
                head,
                body,
                is_whole,
            } => self.open(id, head, body, is_whole).await,
            ExchangeAsk::More {
                id,
                number,
                body,
                is_last,
            } => match self.exchange(&id) {
                Some(talk) => talk.take(number, body, is_last, self.piece_bytes()).await,
                None => ExchangeReply::Gone,
            },
            ExchangeAsk::Next { id, number } => match self.exchange(&id) {
                Some(talk) => talk.say(number, self.piece_bytes()).await,
                None => ExchangeReply::Gone,
            },
            ExchangeAsk::Leave { id } => {
                self.exchanges().remove(&id);
                ExchangeReply::GoOn
            }
        }
    }

    /// About a viewer.
    pub(super) async fn gate(&self, question: &Bytes) -> GateReply {
        match GateAsk::parse(question) {
            None => GateReply::Failed,
            Some(GateAsk::IsReady { slug }) => match self.here.is_ready(&slug) {
                true => GateReply::Answer(String::new()),
                false => GateReply::NotRunning,
            },
            Some(GateAsk::Viewer {
                slug,
                viewer,
                question,
            }) => match self.here.judge_viewer(slug, viewer, question).await {
                ViewerJudgement::Answer(text) if text.len() <= MAX_QUESTION_BYTES => {
                    GateReply::Answer(text)
                }
                ViewerJudgement::NotRunning => GateReply::NotRunning,
                ViewerJudgement::Answer(_) | ViewerJudgement::Failed => GateReply::Failed,
            },
        }
    }

    /// About a line.
    pub(super) async fn filter(&self, question: &Bytes) -> FilterReply {
        let Ok(message) = serde_json::from_slice::<ChatMessage>(question) else {
            return FilterReply::Pass;
        };
        match self.here.filter(message).await {
            FilterVerdict::Pass => FilterReply::Pass,
            FilterVerdict::Replace(body) => FilterReply::Replace(body),
            FilterVerdict::Drop(reason) => FilterReply::Drop(reason.unwrap_or_default()),
        }
    }

    /// Ends conversations whose askers are gone.
    pub(super) fn sweep(&self) {
        let now = self.now();
        let longest = u64::try_from(MAX_SILENCE.as_millis()).unwrap_or(u64::MAX);
        self.exchanges().retain(|_, talk| {
            // Whoever waits for a reply holds it, too.
            let is_asked = Arc::strong_count(talk) > 1;
            is_asked || now.saturating_sub(talk.asked_at.load(Ordering::Relaxed)) <= longest
        });
    }

    #[cfg(test)]
    pub(super) fn exchanging(&self) -> usize {
        self.exchanges().len()
    }

    async fn open(
        &self,
        id: ExchangeId,
        head: Bytes,
        body: Bytes,
        is_whole: bool,
    ) -> ExchangeReply {
        if self.exchanges().len() >= MAX_EXCHANGES {
            self.sweep();
        }
        let talk = {
            let mut exchanges = self.exchanges();
            if exchanges.len() >= MAX_EXCHANGES {
                return ExchangeReply::Busy;
            }
            if exchanges.contains_key(&id) {
                return ExchangeReply::Gone;
            }
            let Some(talk) = self.begin(head, body, is_whole) else {
                return ExchangeReply::Gone;
            };
            let talk = Arc::new(talk);
            exchanges.insert(id, Arc::clone(&talk));
            talk
        };
        match is_whole {
            true => talk.say(0, self.piece_bytes()).await,
            false => ExchangeReply::GoOn,
        }
    }

    /// `None` for what this version does not know.
    fn begin(&self, mut head: Bytes, body: Bytes, is_whole: bool) -> Option<ServedExchange> {
        let kind = *head.first()?;
        head.advance(1);
        let (pieces, arriving) = mpsc::channel(MAX_WAITING_PIECES);
        let (answered, coming) = oneshot::channel();
        let is_empty = is_whole && body.is_empty();
        if !is_empty {
            // The first one always has room.
            pieces.try_send((body, is_whole)).ok()?;
        }
        let body = match is_empty {
            true => stream::empty().boxed(),
            false => arriving_body(arriving),
        };
        let request = Parcel {
            head,
            body,
            is_empty,
        };
        let work = match kind {
            REQUEST => self.here.serve(request),
            ADDITIONS => {
                let viewer = String::from_utf8(request.head.to_vec()).ok()?;
                let adding = self.here.additions(viewer);
                async move { adding.await.map(text_parcel) }.boxed()
            }
            _ => return None,
        };
        let work = tokio::spawn(async move {
            // Whoever waited for it may be gone.
            drop(answered.send(work.await));
        });
        Some(ServedExchange {
            asked_at: AtomicU64::new(self.now()),
            upload: AsyncMutex::new(RequestUpload {
                pieces: (!is_whole).then_some(pieces),
                taken: 0,
            }),
            answer: AsyncMutex::new(AnswerPieces {
                coming,
                body: None,
                rest: Bytes::new(),
                is_broken: false,
                last: None,
            }),
            work: work.abort_handle(),
        })
    }

    fn exchange(&self, id: &ExchangeId) -> Option<Arc<ServedExchange>> {
        let talk = self.exchanges().get(id).cloned()?;
        talk.asked_at.store(self.now(), Ordering::Relaxed);
        Some(talk)
    }

    fn exchanges(&self) -> MutexGuard<'_, HashMap<ExchangeId, Arc<ServedExchange>>> {
        self.exchanges
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn piece_bytes(&self) -> usize {
        piece_bytes(self.exchanges().len())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.uptime().as_millis()).unwrap_or(u64::MAX)
    }
}

impl ServedExchange {
    /// Takes a piece of the request's body, if there is room for it, or says the answer that came before its end.
    async fn take(
        &self,
        number: u32,
        body: Bytes,
        is_last: bool,
        piece_bytes: usize,
    ) -> ExchangeReply {
        let mut upload = self.upload.lock().await;
        if number > 0 && number == upload.taken {
            return ExchangeReply::GoOn;
        }
        if upload.taken.checked_add(1) != Some(number) {
            return ExchangeReply::Gone;
        }
        let Some(pieces) = &upload.pieces else {
            return ExchangeReply::Gone;
        };
        match timeout(HOLD, pieces.reserve()).await {
            Ok(Ok(room)) => room.send((body, is_last)),
            // Nobody reads the rest.
            Ok(Err(_)) => return self.say(0, piece_bytes).await,
            Err(_) => return ExchangeReply::Wait,
        }
        upload.taken = number;
        if is_last {
            upload.pieces = None;
        }
        ExchangeReply::GoOn
    }

    /// Says the answer's piece of this number, which has at most so many bytes.
    async fn say(&self, number: u32, piece_bytes: usize) -> ExchangeReply {
        let mut answer = self.answer.lock().await;
        let wanted = match &answer.last {
            Some((said, reply)) if *said == number => return reply.clone(),
            Some((said, _)) => said.checked_add(1),
            None => Some(0),
        };
        if wanted != Some(number) {
            return ExchangeReply::Gone;
        }
        let said = timeout(HOLD, answer.piece(number, piece_bytes)).await;
        match said {
            Ok(Some(reply)) => {
                answer.last = Some((number, reply.clone()));
                reply
            }
            Ok(None) => ExchangeReply::Gone,
            Err(_) => ExchangeReply::Wait,
        }
    }
}

impl Drop for ServedExchange {
    fn drop(&mut self) {
        self.work.abort();
    }
}

impl AnswerPieces {
    /// The next piece; `None` if the answer broke. May be given up at any time.
    async fn piece(&mut self, number: u32, most: usize) -> Option<ExchangeReply> {
        if self.is_broken {
            return None;
        }
        if number == 0 {
            let parcel = (&mut self.coming).await.ok().flatten();
            let parcel = parcel.filter(|parcel| parcel.head.len() <= MAX_HEAD_BYTES);
            self.is_broken = parcel.is_none();
            let parcel = parcel?;
            self.body = (!parcel.is_empty).then_some(parcel.body);
            // Listeners want to know that they listen before anything happens, so nothing is waited for here.
            let (body, is_whole) = self.gather(most);
            return Some(ExchangeReply::Head {
                head: parcel.head,
                body,
                is_whole,
            });
        }
        if self.rest.is_empty() {
            let next = self.body.as_mut()?.next().await;
            match next {
                Some(Ok(bytes)) => self.rest = bytes,
                Some(Err(_)) => {
                    self.is_broken = true;
                    return None;
                }
                None => self.body = None,
            }
        }
        let (body, is_last) = self.gather(most);
        Some(ExchangeReply::Piece {
            number,
            body,
            is_last,
        })
    }

    /// What is there already, up to this size, and whether that is the end.
    fn gather(&mut self, most: usize) -> (Bytes, bool) {
        let mut piece = BytesMut::new();
        loop {
            let room = most - piece.len();
            let part = self.rest.split_to(self.rest.len().min(room));
            piece.extend_from_slice(&part);
            if piece.len() == most {
                break;
            }
            let Some(body) = &mut self.body else { break };
            let next = body.next().now_or_never();
            match next {
                Some(Some(Ok(bytes))) => self.rest = bytes,
                Some(Some(Err(_))) => {
                    self.is_broken = true;
                    self.body = None;
                }
                Some(None) => self.body = None,
                None => break,
            }
        }
        let is_last = self.body.is_none() && self.rest.is_empty() && !self.is_broken;
        (piece.freeze(), is_last)
    }
}

/// A body whose pieces are still on their way. One whose last piece never comes is no shorter body, but a broken one.
pub(super) fn arriving_body(pieces: mpsc::Receiver<(Bytes, bool)>) -> BodyPieces {
    let body = stream::unfold(Some(pieces), |pieces| async move {
        let mut pieces = pieces?;
        Some(match pieces.recv().await {
            Some((bytes, is_last)) => (Ok(bytes), (!is_last).then_some(pieces)),
            None => (Err(io::Error::from(io::ErrorKind::UnexpectedEof)), None),
        })
    });
    body.boxed()
}

/// How much is said at once while there are so many conversations.
fn piece_bytes(exchanges: usize) -> usize {
    (MAX_HELD_BYTES / exchanges.max(1)).clamp(MIN_PIECE_BYTES, MAX_PIECE_BYTES)
}

fn text_parcel(text: String) -> Parcel {
    Parcel {
        head: Bytes::new(),
        body: stream::once(std::future::ready(Ok(Bytes::from(text)))).boxed(),
        is_empty: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_conversations_there_are_the_less_each_of_them_holds() {
        for count in 0..=MAX_EXCHANGES {
            let held = count * piece_bytes(count);
            assert!(held <= MAX_HELD_BYTES, "{count} hold {held} bytes");
        }
        assert_eq!(piece_bytes(1), MAX_PIECE_BYTES);
        assert!(piece_bytes(MAX_EXCHANGES) >= MIN_PIECE_BYTES);
    }
}
