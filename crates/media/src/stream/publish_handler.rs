//! Where publishers ask to be let in.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::engine::{Admission, StreamCommand};
use super::gate::{PublishGate, PublishGrant};
use super::handle::Stream;
use crate::rtmp::{PublishHandler, PublishRefusal, PublishRequest, RefusalCode, Sink};

/// A wrong key is answered this late; with few connections per address that makes guessing hopeless.
const GUESS_DELAY: Duration = Duration::from_secs(3);

/// Answers the publishers of the stream.
#[derive(Debug)]
pub struct StreamPublishHandler {
    stream: Stream,
    gate: Arc<dyn PublishGate>,
}

impl StreamPublishHandler {
    /// Lets in whom the gate admits.
    pub fn new(stream: Stream, gate: Arc<dyn PublishGate>) -> Self {
        Self { stream, gate }
    }

    async fn admit(&self, request: PublishRequest) -> Result<Box<dyn Sink>, PublishRefusal> {
        let Some(grant) = self.gate.admit(&request.key) else {
            metrics::counter!("rillcast_publishers_wrong_key_total").increment(1);
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
    /// Asks the owning task for the publisher's place; one that `yields` can be replaced by anybody else.
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
        // An admission that cannot be sent keeps its answer open: it has to be dropped before anything is waited for.
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
