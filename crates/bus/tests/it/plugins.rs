//! Questions about plugins and their answers, by a real NATS.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bus::{
    Bus, BusError, ExchangeAsk, ExchangeReply, MAX_HEAD_BYTES, MAX_PIECE_BYTES, MAX_QUESTION_BYTES,
    Seal, Subject, Subscription,
};
use bytes::Bytes;

use crate::nats::Nats;

/// Nothing takes so long that comes at all.
const DEADLINE: Duration = Duration::from_secs(60);
/// For what is meant to be late.
const SHORT: Duration = Duration::from_millis(50);

/// Hides nothing, but knows what it has sealed for which name.
#[derive(Debug, Default)]
struct TestSeal {
    sealed: AtomicU32,
}

impl Seal for TestSeal {
    fn seal(&self, name: &str, clear: &[u8]) -> Option<Vec<u8>> {
        let number = self.sealed.fetch_add(1, Ordering::Relaxed);
        let id = format!("{number:012}");
        Some([id.as_bytes(), name.as_bytes(), b"|", clear].concat())
    }

    fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let rest = sealed.get(12..)?.strip_prefix(name.as_bytes())?;
        Some(rest.strip_prefix(b"|")?.to_vec())
    }

    fn now(&self) -> i64 {
        0
    }
}

/// Listens, and returns when NATS knows it.
async fn listen(bus: &Bus, subject: Subject) -> Subscription {
    let mut listening = bus.subscribe(subject).await.unwrap();
    loop {
        if bus.publish(subject, b"is it there?").await.is_ok() {
            let heard = tokio::time::timeout(DEADLINE, listening.next()).await;
            assert_eq!(&heard.unwrap().unwrap().body[..], b"is it there?");
            return listening;
        }
    }
}

async fn asked(listening: &mut Subscription) -> bus::BusMessage {
    let heard = tokio::time::timeout(DEADLINE, listening.next()).await;
    heard.unwrap().unwrap()
}

#[tokio::test]
async fn a_conversation_goes_on_piece_by_piece_with_the_largest_of_them() {
    let Some(nats) = Nats::new() else { return };
    let (asker, holder) = (nats.bus().await, nats.bus().await);
    let mut listening = listen(&holder, Subject::PluginHttp).await;
    let head = Bytes::from(vec![b'h'; MAX_HEAD_BYTES]);
    let piece = Bytes::from(vec![b'p'; MAX_PIECE_BYTES]);
    let open = ExchangeAsk::Open {
        id: [3; 16],
        head: head.clone(),
        body: piece.clone(),
        is_whole: true,
    };
    let begins = ExchangeReply::Head {
        head,
        body: piece.clone(),
        is_whole: false,
    };
    let goes_on = |number| ExchangeReply::Piece {
        number,
        body: piece.clone(),
        is_last: number == 2,
    };
    let next = |number| ExchangeAsk::Next {
        id: [3; 16],
        number,
    };
    let said = [(open, begins), (next(1), goes_on(1)), (next(2), goes_on(2))];
    for (ask, reply) in said {
        let question = ask.to_bytes();
        let asking = asker.request(Subject::PluginHttp, &question, DEADLINE);
        let answering = async {
            let heard = asked(&mut listening).await;
            assert_eq!(ExchangeAsk::parse(&heard.body).as_ref(), Some(&ask));
            holder.answer(&heard, &reply.to_bytes()).await.unwrap();
        };
        let (answer, ()) = tokio::join!(asking, answering);
        let answer = ExchangeReply::parse(&answer.unwrap().body);
        assert_eq!(answer.as_ref(), Some(&reply));
    }
}

#[tokio::test]
async fn where_nobody_runs_plugins_that_is_known_at_once() {
    let Some(nats) = Nats::new() else { return };
    let asker = nats.bus().await;
    for subject in [
        Subject::PluginFilter,
        Subject::PluginHttp,
        Subject::PluginGate,
    ] {
        let answer = asker.request(subject, b"hello?", DEADLINE).await;
        assert!(matches!(answer, Err(BusError::Nobody(_))), "{answer:?}");
    }
}

#[tokio::test]
async fn a_late_answer_is_given_up_and_not_taken_for_that_to_the_next_question() {
    let Some(nats) = Nats::new() else { return };
    let (asker, holder) = (nats.bus().await, nats.bus().await);
    let mut listening = listen(&holder, Subject::PluginGate).await;
    let answer = asker.request(Subject::PluginGate, b"first", SHORT).await;
    assert!(matches!(answer, Err(BusError::Late(_))), "{answer:?}");
    let first = asked(&mut listening).await;
    assert_eq!(&first.body[..], b"first");
    let asking = asker.request(Subject::PluginGate, b"second", DEADLINE);
    let answering = async {
        let second = asked(&mut listening).await;
        holder.answer(&first, b"to the first").await.unwrap();
        holder.answer(&second, b"to the second").await.unwrap();
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert_eq!(&answer.unwrap().body[..], b"to the second");
}

#[tokio::test]
async fn a_question_or_an_answer_that_is_too_large_is_not_read() {
    let Some(nats) = Nats::new() else { return };
    let (asker, holder) = (nats.bus().await, nats.bus().await);
    let mut listening = listen(&holder, Subject::PluginFilter).await;
    let huge = vec![1; 2 * MAX_QUESTION_BYTES];
    let refused = asker.request(Subject::PluginFilter, &huge, DEADLINE).await;
    assert!(matches!(refused, Err(BusError::TooLarge { .. })));
    // Somebody who does not keep to that.
    let stranger = async_nats::connect(nats.server.as_str()).await.unwrap();
    let subject = format!("rc.{}.plugin.filter", nats.cluster);
    stranger
        .publish(subject, huge.clone().into())
        .await
        .unwrap();
    stranger.flush().await.unwrap();
    let asking = asker.request(Subject::PluginFilter, b"fine", DEADLINE);
    let answering = async {
        let heard = asked(&mut listening).await;
        assert_eq!(&heard.body[..], b"fine");
        holder.answer(&heard, &huge).await.unwrap();
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert!(matches!(answer, Err(BusError::Foreign(_))), "{answer:?}");
}

#[tokio::test]
async fn who_has_no_key_is_not_heard_cannot_repeat_what_was_said_and_cannot_answer() {
    let Some(nats) = Nats::new() else { return };
    let seal: Arc<dyn Seal> = Arc::new(TestSeal::default());
    let asker = nats.bus().await.sealing_with(Arc::clone(&seal));
    let holder = nats.bus().await.sealing_with(seal);
    let stranger = nats.bus().await;
    let mut overheard = listen(&stranger, Subject::PluginGate).await;
    let mut listening = listen(&holder, Subject::PluginGate).await;
    let recorded = asked(&mut overheard).await.body;
    assert_ne!(&recorded[..], b"is it there?");
    for said in [&recorded[..], &b"made up"[..]] {
        stranger.publish(Subject::PluginGate, said).await.unwrap();
        assert_eq!(&asked(&mut overheard).await.body[..], said);
    }
    let asking = asker.request(Subject::PluginGate, b"fine", DEADLINE);
    let answering = async {
        let heard = asked(&mut listening).await;
        assert_eq!(&heard.body[..], b"fine");
        holder.answer(&heard, b"yes").await.unwrap();
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert_eq!(&answer.unwrap().body[..], b"yes");
    asked(&mut overheard).await;

    let asking = asker.request(Subject::PluginGate, b"again", DEADLINE);
    let answering = async {
        let question = asked(&mut overheard).await;
        stranger.answer(&question, b"yes").await.unwrap();
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert!(matches!(answer, Err(BusError::Foreign(_))), "{answer:?}");
}
