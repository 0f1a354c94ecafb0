//! Answers publishers that ask to publish.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::engine::{Admission, StreamCommand};
use super::gate::{PublishGate, PublishGrant};
use super::handle::Stream;
use crate::rtmp::{PublishHandler, PublishRefusal, PublishRequest, RefusalCode, Sink};

/// Limit (broadcasters): delay of the answer to a wrong stream key; until then the connection stays open and counts.
/// With few connections per address that makes guessing hopeless.
const GUESS_DELAY: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub struct StreamPublishHandler {
    stream: Stream,
    gate: Arc<dyn PublishGate>,
}

impl StreamPublishHandler {
    /// Accepts publishers that the gate admits.
    pub fn new(stream: Stream, gate: Arc<dyn PublishGate>) -> Self {
        Self { stream, gate }
    }

    async fn admit(&self, request: PublishRequest) -> Result<Box<dyn Sink>, PublishRefusal> {
        let Some(grant) = self.gate.admit(&request.key) else {
            metrics::counter!("rillcast_publishers_wrong_key_total").increment(1);
            self.stream.note_wrong_key();
            return Err(PublishRefusal {
                code: RefusalCode::BadKey,
                reason: "Wrong stream key. Copy the key from the server's admin page.".into(),
                delay: GUESS_DELAY,
            });
        };
        self.stream.admit(request, grant, false).await
    }
}

impl Stream {
    /// Asks the owning task to become the publisher; one that `yields` can be replaced by any other.
    pub(crate) async fn admit(
        &self,
        request: PublishRequest,
        grant: PublishGrant,
        yields: bool,
    ) -> Result<Box<dyn Sink>, PublishRefusal> {
        let refusal = |code, reason: String| PublishRefusal {
            code,
            reason,
            delay: Duration::ZERO,
        };
        let (answer, answered) = oneshot::channel();
        let admission = Admission {
            request,
            grant,
            yields,
            answer,
        };
        let stopping = || refusal(RefusalCode::Stopping, "The server is stopping.".into());
        // An unsent admission keeps its answer channel open: it has to be dropped before waiting for anything.
        if self
            .inbox
            .send(StreamCommand::Publish(admission))
            .await
            .is_err()
        {
            return Err(stopping());
        }
        match answered.await {
            Ok(Ok(publication)) => Ok(publication),
            Ok(Err(reason)) => Err(refusal(RefusalCode::Busy, reason)),
            Err(_) => Err(stopping()),
        }
    }
}

impl PublishHandler for StreamPublishHandler {
    fn publish(
        &self,
        request: PublishRequest,
    ) -> BoxFuture<'_, Result<Box<dyn Sink>, PublishRefusal>> {
        Box::pin(self.admit(request))
    }
}
