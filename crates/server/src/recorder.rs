//! Records how many watch and chat, and what goes wrong during a broadcast, for the operator's charts and for the page of
//! each past broadcast.
//!
//! Time in which the stream is off and nobody is in the chat is not recorded, so a server that does nothing writes
//! nothing.

mod incidents;
mod ledger;
mod tally;

use std::time::Duration;

use chat::Room;
use jiff::Timestamp;
use model::StreamState;
use tokio_util::sync::CancellationToken;
use web::App;

use self::incidents::IncidentWatch;
use self::ledger::{Ledger, MeasuredStream};
use self::tally::Tally;

/// Between looks at the stream; changes of its state and of the number of viewers are seen at once.
const LOOK: Duration = Duration::from_secs(5);
/// Looks between counts of the connections to the chat, which go through a list of all of them.
const CHAT_LOOKS: u32 = 3;

/// The broadcast that is on.
#[derive(Debug)]
struct RecordedStream {
    id: String,
    started_at: Timestamp,
    state: StreamState,
    incidents: IncidentWatch,
}

#[derive(Debug)]
struct Recorder {
    app: App,
    chat: Room,
    stream: Option<RecordedStream>,
    tally: Tally,
    ledger: Ledger,
    /// Nothing has been looked at yet.
    is_new: bool,
}

/// Runs until `stop`.
pub(crate) async fn run(app: App, chat: Room, stop: CancellationToken) {
    let mut status = app.live.status.clone();
    let mut recorder = Recorder {
        stream: None,
        tally: Tally::new(app.clock.uptime()),
        ledger: Ledger::new(app.clock.now()),
        is_new: true,
        chat,
        app,
    };
    let mut looks: u32 = 0;
    let mut look = tokio::time::interval(LOOK);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let is_look = tokio::select! {
            () = stop.cancelled() => break,
            changed = status.changed() => match changed {
                Ok(()) => false,
                Err(_) => break,
            },
            _ = look.tick() => true,
        };
        if is_look && looks.is_multiple_of(CHAT_LOOKS) {
            let clients = recorder.chat.connections().await.len();
            let here = u32::try_from(clients).unwrap_or(u32::MAX);
            let elsewhere = recorder.app.chat_clients_elsewhere();
            recorder.tally.chat_clients = here.saturating_add(elsewhere);
        }
        let state = status.borrow_and_update().state;
        recorder.measure();
        let known = recorder.stream.as_ref().map(|stream| stream.state);
        if is_look || known.unwrap_or(StreamState::Offline) != state {
            recorder.look().await;
        }
        looks = looks.wrapping_add(u32::from(is_look));
    }
    recorder.measure();
    recorder.write().await;
}

impl Recorder {
    fn measure(&mut self) {
        let (state, viewers) = {
            let status = self.app.live.status.borrow();
            (status.state, status.viewers)
        };
        // Another server's broadcast is recorded there.
        let is_on = state != StreamState::Offline && !self.app.live.stream.is_mirrored();
        let is_on = is_on || self.tally.chat_clients > 0;
        let (now, uptime) = (self.app.clock.now(), self.app.clock.uptime());
        self.tally.measure(now, uptime, viewers, is_on);
    }

    async fn look(&mut self) {
        let mut report = self.app.live.stream.report();
        if self.app.live.stream.is_mirrored() {
            report.session = None;
        }
        let uptime = self.app.clock.uptime();
        let id = report.session.as_ref().map(|session| session.id.as_str());
        if id != self.stream.as_ref().map(|stream| stream.id.as_str()) {
            // What was measured until now belongs to the broadcast before.
            self.write().await;
            self.stream = report.session.as_ref().map(|session| RecordedStream {
                id: session.id.clone(),
                started_at: session.started_at,
                state: StreamState::Live,
                incidents: IncidentWatch::default(),
            });
            // A broadcast that is there from the start is one that the last process did not end.
            if let Some(stream) = &mut self.stream
                && self.is_new
            {
                stream.state = report.state;
                stream.incidents.restarted();
            }
        } else {
            let now = self.app.clock.now();
            if self.tally.is_due(now) || self.ledger.is_due(now) {
                self.write().await;
            }
        }
        self.is_new = false;
        let Some(stream) = &mut self.stream else {
            return;
        };
        match (stream.state, report.state) {
            (StreamState::Live, StreamState::Waiting) => stream.incidents.lost(),
            (StreamState::Waiting, StreamState::Live) => stream.incidents.returned(),
            _ => {}
        }
        stream.state = report.state;
        stream.incidents.judge(&report.advice, uptime);
        if let Some(ladder) = self.app.live.stream.transcoder_status() {
            stream.incidents.judge_encoder(&ladder.report, uptime);
        }
        let at = self.app.clock.now();
        for incident in stream.incidents.take(at) {
            let noted = self.app.store.note_incident(stream.id.clone(), incident);
            if let Err(error) = noted.await {
                tracing::warn!(%error, "cannot record what went wrong with the stream");
            }
        }
    }

    async fn write(&mut self) {
        let now = self.app.clock.now();
        let visits = self.app.referrers.take();
        let stream = self.stream.as_ref().map(|stream| MeasuredStream {
            id: stream.id.clone(),
            started_at: stream.started_at,
        });
        self.ledger.add(now, self.tally.take(), stream, visits);
        if let Err(error) = self.ledger.settle(&self.app.store).await {
            tracing::warn!(%error, "cannot record how many are watching");
        }
    }
}
