//! Two machines without a network: what one asks, the responder of the other answers, as slowly as the test wants.

use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use bus::{ExchangeAsk, ExchangeReply, MAX_HEAD_BYTES};
use std::io;
use testkit::{ManualClock, eventually};
use tokio::sync::{Notify, mpsc};

use super::*;

/// More than a piece, and no multiple of one.
const LARGE: usize = 700 * 1024 + 7;

/// How the other machine behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Well,
    /// Does what it is asked, and every other reply gets lost.
    Forgetful,
    Late,
    Nobody,
    Away,
}

#[derive(Debug)]
struct FakeConnection {
    responder: PluginResponder,
    mood: Mutex<Mood>,
    asked: AtomicUsize,
}

impl FakeConnection {
    fn is(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl PluginConnection for FakeConnection {
    fn ask(
        &self,
        subject: Subject,
        question: Bytes,
        _: Duration,
    ) -> BoxFuture<'_, Result<Bytes, BusError>> {
        Box::pin(async move {
            let count = self.asked.fetch_add(1, Ordering::SeqCst);
            let mood = *self.mood.lock().unwrap();
            match mood {
                Mood::Late => return Err(BusError::Late("test".into())),
                Mood::Nobody => return Err(BusError::Nobody("test".into())),
                Mood::Away => return Err(BusError::Away),
                Mood::Well | Mood::Forgetful => {}
            }
            let reply = match subject {
                Subject::PluginFilter => self.responder.filter(&question).await.to_bytes(),
                Subject::PluginGate => self.responder.gate(&question).await.to_bytes(),
                _ => self.responder.http(&question).await.to_bytes(),
            };
            match mood == Mood::Forgetful && count % 2 == 1 {
                true => Err(BusError::Late("test".into())),
                false => Ok(reply),
            }
        })
    }

    fn tell(&self, _: Subject, word: Bytes) -> BoxFuture<'_, ()> {
        Box::pin(async move { drop(self.responder.http(&word).await) })
    }
}

/// Plugins that do what a request's head says.
#[derive(Debug, Default)]
struct FakeHere {
    go: Arc<Notify>,
    served: Arc<AtomicUsize>,
}

impl PluginsHere for FakeHere {
    fn serve(&self, mut request: Parcel) -> BoxFuture<'static, Option<Parcel>> {
        self.served.fetch_add(1, Ordering::SeqCst);
        let go = Arc::clone(&self.go);
        Box::pin(async move {
            let text = String::from_utf8(request.head.to_vec()).unwrap();
            let body = match text.as_str() {
                "echo" => {
                    let mut all = BytesMut::new();
                    while let Some(piece) = request.body.next().await {
                        all.extend_from_slice(&piece.ok()?);
                    }
                    vec![Ok(all.freeze())]
                }
                "late" => {
                    go.notified().await;
                    vec![Ok(Bytes::from_static(b"at last"))]
                }
                "refuse" => vec![Ok(Bytes::from_static(b"no"))],
                "break" => vec![
                    Ok(Bytes::from(vec![1; LARGE])),
                    Err(io::Error::other("broken")),
                ],
                "large head" => {
                    request.head = vec![b'h'; MAX_HEAD_BYTES + 1].into();
                    Vec::new()
                }
                _ => return None,
            };
            let is_empty = body.is_empty();
            Some(Parcel {
                head: request.head,
                body: stream::iter(body).boxed(),
                is_empty,
            })
        })
    }

    fn additions(&self, viewer: String) -> BoxFuture<'static, Option<String>> {
        Box::pin(std::future::ready(Some(format!("for {viewer}"))))
    }

    fn is_ready(&self, slug: &str) -> bool {
        slug == "gate"
    }

    fn judge_viewer(
        &self,
        slug: String,
        viewer: [u8; 32],
        question: String,
    ) -> BoxFuture<'_, ViewerJudgement> {
        let judgement = match slug.as_str() {
            "gate" => ViewerJudgement::Answer(format!("{question} {}", viewer[0])),
            "broken" => ViewerJudgement::Failed,
            _ => ViewerJudgement::NotRunning,
        };
        Box::pin(std::future::ready(judgement))
    }

    fn filter(&self, message: ChatMessage) -> BoxFuture<'_, FilterVerdict> {
        let verdict = match message.body.as_str() {
            "bad" => FilterVerdict::Drop(Some("not here".into())),
            "silly" => FilterVerdict::Drop(None),
            "loud" => FilterVerdict::Replace("quiet".into()),
            _ => FilterVerdict::Pass,
        };
        Box::pin(std::future::ready(verdict))
    }
}

struct Machines {
    line: Arc<FakeConnection>,
    there: PluginsThere,
    clock: ManualClock,
    go: Arc<Notify>,
    served: Arc<AtomicUsize>,
    _is_here: watch::Sender<bool>,
}

fn machines() -> Machines {
    let (clock, here) = (ManualClock::default(), FakeHere::default());
    let (go, served) = (Arc::clone(&here.go), Arc::clone(&here.served));
    let line = Arc::new(FakeConnection {
        responder: PluginResponder::new(Arc::new(here), Arc::new(clock.clone())),
        mood: Mutex::new(Mood::Well),
        asked: AtomicUsize::new(0),
    });
    let (_is_here, is_here) = watch::channel(false);
    let asker = Arc::clone(&line) as Arc<dyn PluginConnection>;
    Machines {
        there: PluginsThere::new(asker, Arc::new(clock.clone()), is_here),
        line,
        clock,
        go,
        served,
        _is_here,
    }
}

fn request(head: &str, body: Vec<Bytes>) -> Parcel {
    let is_empty = body.is_empty();
    Parcel {
        head: Bytes::copy_from_slice(head.as_bytes()),
        body: stream::iter(body.into_iter().map(Ok)).boxed(),
        is_empty,
    }
}

async fn read(mut parcel: Parcel) -> Result<Vec<u8>, io::Error> {
    let mut all = Vec::new();
    while let Some(piece) = parcel.body.next().await {
        all.extend_from_slice(&piece?);
    }
    Ok(all)
}

fn large() -> Bytes {
    let numbers = (0..LARGE).map(|number| u8::try_from(number % 251).unwrap());
    numbers.collect()
}

fn line(body: &str) -> ChatMessage {
    ChatMessage {
        body: body.into(),
        ..ChatMessage::default()
    }
}

#[tokio::test]
async fn a_request_and_its_answer_arrive_whole_however_large_they_are() {
    let machines = machines();
    let body = vec![Bytes::new(), large(), Bytes::from_static(b"end")];
    let sent = [&large()[..], b"end"].concat();
    let answer = machines.there.pass_on(request("echo", body)).await;
    let answer = answer.unwrap();
    assert_eq!(&answer.head[..], b"echo");
    assert_eq!(read(answer).await.unwrap(), sent);
    let answer = machines.there.pass_on(request("echo", Vec::new())).await;
    assert!(read(answer.unwrap()).await.unwrap().is_empty());
    let responder = &machines.line.responder;
    eventually("nothing is left", async || {
        (responder.exchanging() == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn replies_that_get_lost_are_asked_for_again_and_nothing_is_done_twice() {
    let machines = machines();
    machines.line.is(Mood::Forgetful);
    let body = vec![large()];
    let answer = machines.there.pass_on(request("echo", body)).await.unwrap();
    assert_eq!(read(answer).await.unwrap(), large());
    assert_eq!(machines.served.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_request_that_nobody_takes_comes_back_untouched() {
    let machines = machines();
    for mood in [Mood::Nobody, Mood::Away, Mood::Late] {
        machines.line.is(mood);
        let asked = request("echo", vec![large()]);
        let Err(Unanswered::Untaken(back)) = machines.there.pass_on(asked).await else {
            panic!("somebody took it: {mood:?}");
        };
        assert_eq!(read(back).await.unwrap(), large());
    }
    machines.line.is(Mood::Well);
    let long = "h".repeat(MAX_HEAD_BYTES);
    let back = machines.there.pass_on(request(&long, Vec::new())).await;
    assert!(matches!(back, Err(Unanswered::Untaken(_))));
    assert_eq!(machines.served.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_answer_may_take_longer_than_one_question_is_held() {
    let machines = machines();
    let asking = machines.there.pass_on(request("late", Vec::new()));
    let go = async {
        eventually("it asked again", async || {
            (machines.line.asked() > 3).then_some(())
        })
        .await;
        machines.go.notify_one();
    };
    let (answer, ()) = tokio::join!(asking, go);
    assert_eq!(read(answer.unwrap()).await.unwrap(), b"at last");
}

#[tokio::test]
async fn who_answers_without_reading_the_whole_request_is_heard() {
    let machines = machines();
    let body = vec![large(); 3];
    let answer = machines.there.pass_on(request("refuse", body)).await;
    assert_eq!(read(answer.unwrap()).await.unwrap(), b"no");
}

#[tokio::test]
async fn an_answer_that_breaks_is_not_taken_for_a_shorter_one() {
    let machines = machines();
    let answer = machines.there.pass_on(request("break", Vec::new())).await;
    assert!(read(answer.unwrap()).await.is_err());
    for head in ["large head", "nothing"] {
        let answer = machines.there.pass_on(request(head, Vec::new())).await;
        assert!(
            matches!(answer, Err(Unanswered::Untaken(_) | Unanswered::Lost)),
            "{head}"
        );
    }
}

#[tokio::test]
async fn a_conversation_in_which_nothing_is_said_is_over_after_a_minute() {
    let machines = machines();
    let responder = &machines.line.responder;
    let open = ExchangeAsk::Open {
        id: [1; 16],
        head: Bytes::from_static(b"\x01echo"),
        body: Bytes::from_static(b"the beginning"),
        is_whole: false,
    };
    assert_eq!(responder.http(&open.to_bytes()).await, ExchangeReply::GoOn);
    // Named twice, it would be another's.
    assert_eq!(responder.http(&open.to_bytes()).await, ExchangeReply::Gone);
    assert_eq!(responder.exchanging(), 1);
    machines.clock.advance(Duration::from_secs(60));
    responder.sweep();
    assert_eq!(responder.exchanging(), 1);
    machines.clock.advance(Duration::from_secs(1));
    responder.sweep();
    assert_eq!(responder.exchanging(), 0);
    let next = ExchangeAsk::Next {
        id: [1; 16],
        number: 0,
    };
    assert_eq!(responder.http(&next.to_bytes()).await, ExchangeReply::Gone);
}

#[tokio::test]
async fn a_request_that_breaks_off_is_not_taken_for_a_shorter_one() {
    let (pieces, arriving) = mpsc::channel(1);
    let mut body = responder::arriving_body(arriving);
    let first = (Bytes::from_static(b"the beginning"), false);
    pieces.send(first).await.unwrap();
    assert_eq!(&body.next().await.unwrap().unwrap()[..], b"the beginning");
    drop(pieces);
    assert!(body.next().await.unwrap().is_err());
    assert!(body.next().await.is_none());
}

#[tokio::test]
async fn pieces_out_of_turn_and_what_cannot_be_read_are_refused() {
    let machines = machines();
    let responder = &machines.line.responder;
    for rubbish in [&b""[..], b"\xff", &[1; 5], &[9; 40]] {
        let rubbish = Bytes::copy_from_slice(rubbish);
        assert_eq!(responder.http(&rubbish).await, ExchangeReply::Gone);
        assert_eq!(responder.gate(&rubbish).await, GateReply::Failed);
        assert_eq!(responder.filter(&rubbish).await, FilterReply::Pass);
    }
    let id = [2; 16];
    let open = |head: &'static [u8]| ExchangeAsk::Open {
        id,
        head: Bytes::from_static(head),
        body: Bytes::new(),
        is_whole: false,
    };
    for unknown in [&b""[..], b"\x07echo"] {
        let reply = responder.http(&open(unknown).to_bytes()).await;
        assert_eq!(reply, ExchangeReply::Gone);
    }
    let begun = responder.http(&open(b"\x01echo").to_bytes()).await;
    assert_eq!(begun, ExchangeReply::GoOn);
    for number in [0, 2, u32::MAX] {
        let more = ExchangeAsk::More {
            id,
            number,
            body: Bytes::new(),
            is_last: false,
        };
        assert_eq!(responder.http(&more.to_bytes()).await, ExchangeReply::Gone);
        if number > 0 {
            let next = ExchangeAsk::Next { id, number };
            assert_eq!(responder.http(&next.to_bytes()).await, ExchangeReply::Gone);
        }
    }
}

#[tokio::test]
async fn a_line_passes_unchanged_when_its_filters_are_late_or_away() {
    let machines = machines();
    let there = &machines.there;
    let reason = Some("not here".to_owned());
    assert_eq!(
        there.filter(&line("bad")).await,
        FilterVerdict::Drop(reason)
    );
    assert_eq!(
        there.filter(&line("silly")).await,
        FilterVerdict::Drop(None)
    );
    let quiet = FilterVerdict::Replace("quiet".into());
    assert_eq!(there.filter(&line("loud")).await, quiet);
    for mood in [Mood::Nobody, Mood::Away] {
        machines.line.is(mood);
        assert_eq!(there.filter(&line("loud")).await, FilterVerdict::Pass);
    }
    machines.line.is(Mood::Late);
    assert_eq!(there.filter(&line("loud")).await, FilterVerdict::Pass);
    machines.line.is(Mood::Well);
    let asked = machines.line.asked();
    assert_eq!(there.filter(&line("loud")).await, FilterVerdict::Pass);
    assert_eq!(machines.line.asked(), asked, "lines are not held up");
    machines.clock.advance(FILTER_PAUSE);
    assert_eq!(there.filter(&line("loud")).await, quiet);
}

#[tokio::test]
async fn nobody_new_gets_in_while_the_machine_that_runs_the_sign_in_is_late_or_away() {
    let machines = machines();
    let there = &machines.there;
    assert!(there.is_ready("gate").await);
    let asked = machines.line.asked();
    machines.line.is(Mood::Nobody);
    assert!(there.is_ready("gate").await, "as a moment ago");
    assert_eq!(machines.line.asked(), asked);
    for mood in [Mood::Nobody, Mood::Away, Mood::Late] {
        machines.clock.advance(READY_FOR);
        machines.line.is(mood);
        assert!(!there.is_ready("gate").await, "{mood:?}");
    }
    let judge = async |slug: &'static str| there.judge_viewer(slug, [7; 32], "who".into()).await;
    assert_eq!(judge("gate").await, ViewerJudgement::Failed, "late");
    machines.line.is(Mood::Away);
    assert_eq!(judge("gate").await, ViewerJudgement::NotRunning);
    machines.line.is(Mood::Well);
    assert_eq!(judge("gate").await, ViewerJudgement::Answer("who 7".into()));
    assert_eq!(judge("broken").await, ViewerJudgement::Failed);
    assert_eq!(judge("gone").await, ViewerJudgement::NotRunning);
    assert!(!there.is_ready("gone").await);
}

#[tokio::test]
async fn what_plugins_add_to_the_page_comes_from_where_they_run() {
    let machines = machines();
    let added = machines.there.additions("ann".into()).await;
    assert_eq!(added.as_deref(), Some("for ann"));
    machines.line.is(Mood::Nobody);
    assert_eq!(machines.there.additions("ann".into()).await, None);
}
