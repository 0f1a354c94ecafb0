//! Plugins on another machine: one of them runs them, and the others ask it.
//!
//! [`PluginsThere`] asks, [`answer_about_plugins`] answers. A request by HTTP is a conversation (`exchange.rs` leads it,
//! `responder.rs` is its other end); a question about a line or a viewer is one message. Who is late or away is treated
//! as a plugin that is: lines pass, nobody new gets in, pages say that the plugin is unavailable.

mod exchange;
mod responder;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::plugins::host::wire::ChatMessage;
use bus::{Bus, BusError, BusMessage, FilterReply, GateAsk, GateReply, Subject, Subscription};
use bytes::{Bytes, BytesMut};
use chat::{FILTER_BUDGET, FilterVerdict};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use http_server::RequestHandler;
use model::Clock;
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;
use web::{App, Parcel, PluginHolder, Unanswered, ViewerJudgement};

use super::{LISTEN_PAUSE, stops_within, ticks};
use exchange::exchange;
use responder::PluginResponder;

/// How long a machine holds a question for which it has nothing yet. Tests have no seconds to wait.
const HOLD: Duration = match cfg!(test) {
    true => Duration::from_millis(20),
    false => Duration::from_secs(5),
};
/// What a conversation begins with.
const REQUEST: u8 = 1;
const ADDITIONS: u8 = 2;
/// Bytes of what all plugins add to a page.
const MAX_ADDITIONS_BYTES: usize = 8 * 1024 * 1024;
/// No plugin takes longer to answer about a viewer.
const VIEWER_PATIENCE: Duration = Duration::from_secs(10);
/// Whether a plugin runs is known at once.
const READY_PATIENCE: Duration = Duration::from_secs(1);
/// How long the answer to that counts.
const READY_FOR: Duration = Duration::from_secs(1);
/// Of what a line may wait for its filters, this is left for what comes after.
const FILTER_REST: Duration = Duration::from_millis(10);
/// After a late answer lines are not held up for so long.
const FILTER_PAUSE: Duration = Duration::from_secs(2);
/// Between two looks for conversations that are over.
const SWEEP: Duration = Duration::from_secs(10);

/// The way to whoever runs the plugins.
pub(crate) trait PluginConnection: fmt::Debug + Send + Sync {
    /// Asks, and waits so long for the answer.
    fn ask(
        &self,
        subject: Subject,
        question: Bytes,
        patience: Duration,
    ) -> BoxFuture<'_, Result<Bytes, BusError>>;

    /// Says something that needs no answer.
    fn tell(&self, subject: Subject, word: Bytes) -> BoxFuture<'_, ()>;
}

impl PluginConnection for Bus {
    fn ask(
        &self,
        subject: Subject,
        question: Bytes,
        patience: Duration,
    ) -> BoxFuture<'_, Result<Bytes, BusError>> {
        Box::pin(async move {
            let answer = self.request(subject, &question, patience).await?;
            Ok(answer.body)
        })
    }

    fn tell(&self, subject: Subject, word: Bytes) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Err(error) = self.publish(subject, &word).await {
                tracing::debug!(%error, "the machine that runs the plugins cannot be told");
            }
        })
    }
}

/// The machine that runs the plugins, as the others see it.
#[derive(Debug)]
pub(crate) struct PluginsThere {
    line: Arc<dyn PluginConnection>,
    clock: Arc<dyn Clock>,
    /// Whether it is this one.
    is_here: watch::Receiver<bool>,
    /// The plugin that was asked for last, whether it answers, and when that was.
    ready: Mutex<Option<(String, bool, Duration)>>,
    /// Milliseconds of [`Clock::uptime`] until when lines pass unasked.
    filter_pause: AtomicU64,
}

impl PluginsThere {
    pub(crate) fn new(
        line: Arc<dyn PluginConnection>,
        clock: Arc<dyn Clock>,
        is_here: watch::Receiver<bool>,
    ) -> Self {
        Self {
            line,
            clock,
            is_here,
            ready: Mutex::default(),
            filter_pause: AtomicU64::new(0),
        }
    }

    /// What the filters say about a line. It passes when nobody says anything in time.
    pub(crate) async fn filter(&self, message: &ChatMessage) -> FilterVerdict {
        let now = millis(self.clock.uptime());
        if now < self.filter_pause.load(Ordering::Relaxed) {
            return FilterVerdict::Pass;
        }
        let Ok(question) = serde_json::to_vec(message) else {
            return FilterVerdict::Pass;
        };
        let patience = FILTER_BUDGET.saturating_sub(FILTER_REST);
        let asked = self
            .line
            .ask(Subject::PluginFilter, question.into(), patience);
        let why = match asked.await {
            Ok(answer) => match FilterReply::parse(&answer) {
                Some(FilterReply::Pass) => return FilterVerdict::Pass,
                Some(FilterReply::Replace(body)) => return FilterVerdict::Replace(body),
                Some(FilterReply::Drop(reason)) => {
                    return FilterVerdict::Drop(Some(reason).filter(|reason| !reason.is_empty()));
                }
                Some(FilterReply::NotHere) => "away",
                None => "unreadable",
            },
            Err(BusError::Late(_)) => {
                // One that is frozen must not slow down every line.
                let until = millis(self.clock.uptime() + FILTER_PAUSE);
                self.filter_pause.store(until, Ordering::Relaxed);
                "late"
            }
            Err(_) => "away",
        };
        metrics::counter!("rillcast_chat_filter_failures_total", "why" => why).increment(1);
        model::stranger_line!(
            warn,
            "chat_filter_there",
            why,
            "the machine that runs the filters did not answer; the message goes through unchanged"
        );
        FilterVerdict::Pass
    }

    async fn ask_gate(&self, ask: &GateAsk, patience: Duration) -> Result<GateReply, BusError> {
        let asked = self
            .line
            .ask(Subject::PluginGate, ask.to_bytes(), patience)
            .await?;
        Ok(GateReply::parse(&asked).unwrap_or(GateReply::Failed))
    }
}

impl PluginHolder for PluginsThere {
    fn is_here(&self) -> bool {
        *self.is_here.borrow()
    }

    fn pass_on(&self, request: Parcel) -> BoxFuture<'static, Result<Parcel, Unanswered>> {
        exchange(Arc::clone(&self.line), REQUEST, request).boxed()
    }

    fn is_ready<'a>(&'a self, slug: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let mut ready = self.ready.lock().await;
            let now = self.clock.uptime();
            if let Some((known, is_ready, at)) = &*ready
                && known == slug
                && now.saturating_sub(*at) < READY_FOR
            {
                return *is_ready;
            }
            let slug = slug.to_owned();
            let ask = GateAsk::IsReady { slug: slug.clone() };
            let reply = self.ask_gate(&ask, READY_PATIENCE).await;
            let is_ready = matches!(reply, Ok(GateReply::Answer(_)));
            *ready = Some((slug, is_ready, self.clock.uptime()));
            is_ready
        })
    }

    fn judge_viewer<'a>(
        &'a self,
        slug: &'a str,
        viewer: [u8; 32],
        question: String,
    ) -> BoxFuture<'a, ViewerJudgement> {
        Box::pin(async move {
            let ask = GateAsk::Viewer {
                slug: slug.to_owned(),
                viewer,
                question,
            };
            match self.ask_gate(&ask, VIEWER_PATIENCE).await {
                Ok(GateReply::Answer(text)) => ViewerJudgement::Answer(text),
                Ok(GateReply::NotRunning | GateReply::NotHere)
                | Err(BusError::Away | BusError::Nobody(_)) => ViewerJudgement::NotRunning,
                Ok(GateReply::Failed) => ViewerJudgement::Failed,
                Err(error) => {
                    model::stranger_line!(
                        warn, "gate_there", plugin = slug, %error,
                        "a viewer could not be checked where the plugins run"
                    );
                    ViewerJudgement::Failed
                }
            }
        })
    }

    fn additions(&self, viewer: String) -> BoxFuture<'static, Option<String>> {
        let line = Arc::clone(&self.line);
        Box::pin(async move {
            let question = Parcel {
                head: viewer.into(),
                body: stream::empty().boxed(),
                is_empty: true,
            };
            let mut answer = exchange(line, ADDITIONS, question).await.ok()?;
            let mut text = BytesMut::new();
            while let Some(piece) = answer.body.next().await {
                let piece = piece.ok()?;
                if text.len() + piece.len() > MAX_ADDITIONS_BYTES {
                    return None;
                }
                text.extend_from_slice(&piece);
            }
            String::from_utf8(text.to_vec()).ok()
        })
    }
}

/// The plugins of this machine, for those that ask.
pub(crate) trait PluginsHere: fmt::Debug + Send + Sync {
    fn serve(&self, request: Parcel) -> BoxFuture<'static, Option<Parcel>>;
    fn additions(&self, viewer: String) -> BoxFuture<'static, Option<String>>;
    fn is_ready(&self, slug: &str) -> bool;
    fn judge_viewer(
        &self,
        slug: String,
        viewer: [u8; 32],
        question: String,
    ) -> BoxFuture<'_, ViewerJudgement>;
    fn filter(&self, message: ChatMessage) -> BoxFuture<'_, FilterVerdict>;
}

/// What the filters of this machine say about a line.
pub(crate) type JudgeLine =
    Arc<dyn Fn(ChatMessage) -> BoxFuture<'static, FilterVerdict> + Send + Sync>;

/// Those of a running server.
pub(crate) struct AppPlugins {
    app: App,
    judge: JudgeLine,
    handler: RequestHandler,
}

impl AppPlugins {
    pub(crate) fn new(app: &App, judge: JudgeLine) -> Self {
        Self {
            app: app.clone(),
            judge,
            handler: web::plugin_handler(app),
        }
    }
}

impl fmt::Debug for AppPlugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AppPlugins(…)")
    }
}

impl PluginsHere for AppPlugins {
    fn serve(&self, request: Parcel) -> BoxFuture<'static, Option<Parcel>> {
        let handler = Arc::clone(&self.handler);
        Box::pin(async move { web::answer_parcel(&handler, request).await })
    }

    fn additions(&self, viewer: String) -> BoxFuture<'static, Option<String>> {
        let app = self.app.clone();
        Box::pin(async move { web::page_additions(&app, &viewer).await })
    }

    fn is_ready(&self, slug: &str) -> bool {
        web::is_plugin_ready(&self.app, slug)
    }

    fn judge_viewer(
        &self,
        slug: String,
        viewer: [u8; 32],
        question: String,
    ) -> BoxFuture<'_, ViewerJudgement> {
        Box::pin(async move { web::judge_viewer(&self.app, &slug, viewer, question).await })
    }

    fn filter(&self, message: ChatMessage) -> BoxFuture<'_, FilterVerdict> {
        (self.judge)(message)
    }
}

/// What other machines ask about plugins.
struct PluginQuestions {
    filter: Subscription,
    http: Subscription,
    gate: Subscription,
}

impl PluginQuestions {
    async fn hear(bus: &Bus) -> Result<Self, BusError> {
        Ok(Self {
            filter: bus.subscribe(Subject::PluginFilter).await?,
            http: bus.subscribe(Subject::PluginHttp).await?,
            gate: bus.subscribe(Subject::PluginGate).await?,
        })
    }
}

/// Answers the other machines while plugins run on this one, until `stop`. Nobody listens on a machine that does not run
/// them, so whoever asks is told at once that nobody does.
pub(crate) async fn answer_about_plugins(
    bus: Bus,
    here: Arc<dyn PluginsHere>,
    clock: Arc<dyn Clock>,
    mut is_here: watch::Receiver<bool>,
    stop: CancellationToken,
) {
    loop {
        let taken = async { is_here.wait_for(|is_here| *is_here).await.map(drop) };
        tokio::select! {
            () = stop.cancelled() => return,
            taken = taken => if taken.is_err() {
                return;
            }
        }
        let questions = match PluginQuestions::hear(&bus).await {
            Ok(questions) => questions,
            Err(error) => {
                tracing::warn!(%error, "other machines cannot reach the plugins of this one");
                if stops_within(&stop, LISTEN_PAUSE).await {
                    return;
                }
                continue;
            }
        };
        let responder = Arc::new(PluginResponder::new(Arc::clone(&here), Arc::clone(&clock)));
        let lost = async { is_here.wait_for(|is_here| !is_here).await.map(drop) };
        tokio::select! {
            () = stop.cancelled() => return,
            _ = lost => {}
            () = answer(&bus, questions, &responder) => {}
        }
    }
}

/// Ends when the connection is given up for good.
async fn answer(bus: &Bus, mut questions: PluginQuestions, responder: &Arc<PluginResponder>) {
    let mut sweeps = ticks(SWEEP);
    loop {
        let (subject, question) = tokio::select! {
            _ = sweeps.tick() => {
                responder.sweep();
                continue;
            }
            question = questions.filter.next() => (Subject::PluginFilter, question),
            question = questions.http.next() => (Subject::PluginHttp, question),
            question = questions.gate.next() => (Subject::PluginGate, question),
        };
        let Some(question) = question else { return };
        // Each by itself: a plugin that is slow holds up nobody else.
        tokio::spawn(answer_one(
            bus.clone(),
            Arc::clone(responder),
            subject,
            question,
        ));
    }
}

async fn answer_one(
    bus: Bus,
    responder: Arc<PluginResponder>,
    subject: Subject,
    question: BusMessage,
) {
    let reply = match subject {
        Subject::PluginFilter => responder.filter(&question.body).await.to_bytes(),
        Subject::PluginGate => responder.gate(&question.body).await.to_bytes(),
        _ => responder.http(&question.body).await.to_bytes(),
    };
    if let Err(error) = bus.answer(&question, &reply).await {
        tracing::debug!(%error, "cannot answer another machine about plugins");
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
