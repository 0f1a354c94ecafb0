//! What is left of a request's body after the request was answered.
//!
//! HTTP/1 sends the next request behind the body of the one before. Many clients send head and body in two packets, and a
//! request that is refused by its head is answered before the second one is there. Then the connection could not be used
//! again, and whoever has just sent the next request on it would find it closed.

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

/// Where the rest of a body is found when its reader has let go of it.
pub(super) struct UnreadBody {
    rest: Arc<Mutex<Option<BodyRest>>>,
    /// The client sends the body only if it is asked to.
    waits_to_be_asked: bool,
}

struct BodyRest {
    body: Incoming,
    /// Somebody has read of it, and so asked for it.
    is_begun: bool,
}

/// The request for whoever answers it, and where to look for what they leave; nothing when there is no body, or where
/// requests do not stand behind each other.
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
    /// Makes room for the next request, or says in the answer that there will be none.
    pub(super) async fn settle(self, response: &mut Response) {
        let rest = {
            let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
            rest.take()
        };
        let Some(rest) = rest else { return };
        // Reading would ask for it.
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

/// Whether it came to its end.
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

/// A body that goes back when it is dropped before its end.
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
