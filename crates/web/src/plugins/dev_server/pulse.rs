//! `/_dev/pulse`: tells pages that something has changed, so that they reload what they show.

use std::convert::Infallible;
use std::time::Duration;

use ::plugin_tools::dev_server::ChangeCounters;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::{StatusCode, header};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::DevServerState;
use super::state::state_of;

/// Pages that listen at once. One more is turned away until another is closed.
pub(super) const MAX_LISTENING: usize = 16;

/// What nobody tells of, such as calls of a plugin, is noticed after this long.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Things that happen together are told together.
const GATHER: Duration = Duration::from_millis(40);

/// Looks without news between two signs of life, by which a page that has gone is noticed.
const QUIET_LOOKS: u32 = 15;

/// Change counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Pulse {
    /// When the dev server was started; all counters restart with it.
    started: String,
    #[serde(flatten)]
    pub(super) moment: ChangeCounters,
    /// How often the plugin was called: its tables and files change only then.
    calls: u64,
    state: &'static str,
}

impl Pulse {
    pub(super) fn of(server: &DevServerState) -> Self {
        let facts = server.0.dev_server.facts().unwrap_or_default();
        Self {
            started: server.0.started.clone(),
            moment: *server.0.dev_server.sample_server().moment().borrow(),
            calls: facts.calls.total,
            state: state_of(&facts),
        }
    }
}

/// One listening page.
struct DevEventStream {
    server: DevServerState,
    changes: watch::Receiver<ChangeCounters>,
    last_sent: Option<Pulse>,
    _place: OwnedSemaphorePermit,
}

impl DevEventStream {
    async fn next(&mut self) -> Bytes {
        let mut quiet = 0;
        loop {
            self.changes.mark_unchanged();
            let now = Pulse::of(&self.server);
            if self.last_sent.as_ref() != Some(&now) {
                // Only numbers and short texts: serialization cannot fail.
                let text = serde_json::to_string(&now).unwrap_or_default();
                self.last_sent = Some(now);
                return format!("data: {text}\n\n").into();
            }
            if quiet >= QUIET_LOOKS {
                return Bytes::from_static(b": still here\n\n");
            }
            quiet += 1;
            let changed = tokio::time::timeout(LOOK_EVERY, self.changes.changed());
            if changed.await.is_ok() {
                tokio::time::sleep(GATHER).await;
            }
        }
    }
}

/// `GET /_dev/pulse`
pub(super) async fn pulse(State(server): State<DevServerState>) -> Response {
    let Ok(place) = server.0.listening.clone().try_acquire_owned() else {
        let why = format!("{MAX_LISTENING} pages are already listening: close one of them\n");
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    };
    let listening = DevEventStream {
        changes: server.0.dev_server.sample_server().moment(),
        server,
        last_sent: None,
        _place: place,
    };
    let frames = stream::unfold(listening, |mut listening| async move {
        let frame = listening.next().await;
        Some((Ok::<_, Infallible>(frame), listening))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::from_stream(frames)).into_response()
}
