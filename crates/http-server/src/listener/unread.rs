//! Handles the rest of a request body after the request was answered.
//!
//! In HTTP/1 the next request follows the body of the previous one. Many clients send head and body in two packets, and
//! a request that is rejected by its head is answered before the second arrives. The connection could then not be
//! reused, and a client that has just sent the next request on it would find it closed.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, Request, Version, header};
use hyper::body::{Body as _, Frame, Incoming, SizeHint};

/// Bytes of a body nobody wants that are read and thrown away; with more, the connection ends with the answer.
const MAX_UNREAD: u64 = 64 * 1024;
/// How long they may take; then the connection ends with the answer as well.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(1);

/// Where the rest of a body goes when its reader drops it.
pub(super) struct UnreadBody {
    rest: Arc<Mutex<Option<BodyRest>>>,
    /// The client sends the body only after a `100 Continue`.
    waits_to_be_asked: bool,
}

struct BodyRest {
    body: Incoming,
    /// Reading has begun, which requested the body.
    is_begun: bool,
}

/// The request for the handler, and where to find what it leaves unread; `None` if there is no body, or if requests do
/// not follow each other.
pub(super) fn lend(request: Request<Incoming>) -> (Request<Body>, Option<UnreadBody>) {
    if request.body().is_end_stream() {
        return (request.map(|_| Body::empty()), None);
    }
    if request.version() > Version::HTTP_11 {
        return (request.map(Body::new), None);
    }
    let unread = UnreadBody {
        rest: Arc::default(),
        waits_to_be_asked: request.headers().contains_key(header::EXPECT),
    };
    let back = Arc::clone(&unread.rest);
    let request = request.map(|body| {
        Body::new(RecoverableBody {
            body: Some(body),
            is_begun: false,
            back,
        })
    });
    (request, Some(unread))
}

impl UnreadBody {
    /// Drains the body for the next request, or says in the answer that the connection will close.
    pub(super) async fn settle(self, response: &mut Response) {
        let rest = {
            let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
            rest.take()
        };
        let Some(rest) = rest else { return };
        // Reading would request the body.
        let is_gone = (rest.is_begun || !self.waits_to_be_asked)
            && rest.body.size_hint().lower() <= MAX_UNREAD
            && tokio::time::timeout(UNREAD_TIMEOUT, drain(rest.body))
                .await
                .unwrap_or(false);
        if !is_gone {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
    }
}

/// Returns whether the body reached its end.
async fn drain(mut body: Incoming) -> bool {
    let mut read = 0;
    loop {
        match poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            None => return true,
            Some(Err(_)) => return false,
            Some(Ok(frame)) => read += frame.data_ref().map_or(0, |data| data.len() as u64),
        }
        if read > MAX_UNREAD {
            return false;
        }
    }
}

/// A body that is handed back when it is dropped before its end.
struct RecoverableBody {
    body: Option<Incoming>,
    is_begun: bool,
    back: Arc<Mutex<Option<BodyRest>>>,
}

impl hyper::body::Body for RecoverableBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.is_begun = true;
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(body).poll_frame(cx);
        if let Poll::Ready(None | Some(Err(_))) = frame {
            self.body = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(SizeHint::default, Incoming::size_hint)
    }
}

impl Drop for RecoverableBody {
    fn drop(&mut self) {
        let is_begun = self.is_begun;
        let body = self.body.take().filter(|body| !body.is_end_stream());
        let rest = body.map(|body| BodyRest { body, is_begun });
        *self.back.lock().unwrap_or_else(PoisonError::into_inner) = rest;
    }
}
