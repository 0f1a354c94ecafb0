//! Plugins that run on another machine of a cluster: what is asked there, and what is shown when nobody answers.
//!
//! Requests for plugins are passed on as they came and answered as they would be there; where nobody takes them, they
//! are answered here, where no plugin runs and the database says which ones should.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use ::plugins::installed::PluginManagerError;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use futures_util::{StreamExt, TryStreamExt};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use http_server::RequestHandler;
use http_server::client::PeerInfo;
use serde::{Deserialize, Serialize};

use super::content::contributors;
use super::serve::unavailable;
use crate::problem::Problem;
use crate::state::{App, BodyPieces, Parcel, PluginHolder, Unanswered};

/// Paths of plugins, and of the operator's decisions about them.
const BELOW: [&str; 4] = [
    "/plugins/",
    "/api/plugins/",
    "/api/admin/plugins/",
    "/api/admin/plugin-registry/",
];
const EXACTLY: [&str; 2] = ["/api/admin/plugins", "/api/admin/broken-plugins"];
/// What plugins add to files of ours.
const ADDED_TO: [&str; 2] = ["/pluginstyles.css", "/customjavascript"];

/// Where to pass this request on to, if it is for plugins that run elsewhere.
pub(crate) fn destination(app: &App, path: &str) -> Option<Arc<dyn PluginHolder>> {
    let holder = app.plugins.elsewhere()?;
    let is_for_plugins = BELOW.iter().any(|root| path.starts_with(root))
        || EXACTLY.contains(&path)
        || (ADDED_TO.contains(&path) && !contributors(app).is_empty());
    is_for_plugins.then(|| Arc::clone(holder))
}

/// The answer from where plugins run, or the request, if it is to be answered here.
pub(crate) async fn pass_on(
    holder: Arc<dyn PluginHolder>,
    request: Request,
) -> Result<Response, Request> {
    let (parts, body) = request.into_parts();
    let is_empty = body.is_end_stream();
    let parcel = Parcel {
        head: RequestHead::of(&parts).to_bytes(),
        body: pieces(body, is_empty),
        is_empty,
    };
    match holder.pass_on(parcel).await {
        Ok(answer) => Ok(AnswerHead::unpack(answer).unwrap_or_else(|| lost(&parts))),
        Err(Unanswered::Lost) => Ok(lost(&parts)),
        Err(Unanswered::Untaken(parcel)) => Err(Request::from_parts(parts, whole(parcel))),
    }
}

/// Answers a request that was passed on to this machine, whose handler is [`crate::plugin_handler`]. `None` if it
/// cannot be read.
pub async fn answer_parcel(handler: &RequestHandler, parcel: Parcel) -> Option<Parcel> {
    let request = RequestHead::unpack(parcel)?;
    let (parts, body) = handler(request).await.into_parts();
    let is_empty = body.is_end_stream();
    let head = AnswerHead {
        status: parts.status.as_u16(),
        headers: to_texts(&parts.headers),
    };
    Some(Parcel {
        head: serde_json::to_vec(&head).unwrap_or_default().into(),
        body: pieces(body, is_empty),
        is_empty,
    })
}

/// What is said of a request before its body.
#[derive(Debug, Serialize, Deserialize)]
struct RequestHead {
    method: String,
    uri: String,
    headers: Vec<(String, String)>,
    /// Who sent it, so that it counts as theirs there too.
    peer: Option<SocketAddr>,
    is_tls: bool,
}

impl RequestHead {
    fn of(parts: &Parts) -> Self {
        let peer = parts.extensions.get::<PeerInfo>();
        Self {
            method: parts.method.to_string(),
            uri: parts.uri.to_string(),
            headers: to_texts(&parts.headers),
            peer: peer.map(|known| known.peer),
            is_tls: peer.is_some_and(|known| known.is_tls),
        }
    }

    fn to_bytes(&self) -> Bytes {
        serde_json::to_vec(self).unwrap_or_default().into()
    }

    fn unpack(parcel: Parcel) -> Option<Request> {
        let head: Self = serde_json::from_slice(&parcel.head).ok()?;
        let mut request = Request::new(whole(parcel));
        *request.method_mut() = head.method.parse().ok()?;
        *request.uri_mut() = head.uri.parse::<Uri>().ok()?;
        *request.headers_mut() = from_texts(head.headers)?;
        if let Some(peer) = head.peer {
            let is_tls = head.is_tls;
            request.extensions_mut().insert(PeerInfo { peer, is_tls });
        }
        Some(request)
    }
}

/// The same of an answer.
#[derive(Debug, Serialize, Deserialize)]
struct AnswerHead {
    status: u16,
    headers: Vec<(String, String)>,
}

impl AnswerHead {
    fn unpack(parcel: Parcel) -> Option<Response> {
        let head: Self = serde_json::from_slice(&parcel.head).ok()?;
        let mut response = Response::new(whole(parcel));
        *response.status_mut() = StatusCode::from_u16(head.status).ok()?;
        *response.headers_mut() = from_texts(head.headers)?;
        Some(response)
    }
}

/// The answer to a request of which nobody knows how far it came.
fn lost(parts: &Parts) -> Response {
    match parts.uri.path().starts_with("/api/") {
        true => Problem::from(PluginManagerError::Elsewhere).into_response(),
        false => unavailable(),
    }
}

fn pieces(body: Body, is_empty: bool) -> BodyPieces {
    match is_empty {
        true => stream::empty().boxed(),
        false => body.into_data_stream().map_err(io::Error::other).boxed(),
    }
}

fn whole(parcel: Parcel) -> Body {
    match parcel.is_empty {
        true => Body::empty(),
        false => Body::from_stream(parcel.body),
    }
}

/// Values of headers are bytes, and each becomes the character of its number.
fn to_texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| value.as_bytes().iter().copied().map(char::from).collect();
    let headers = headers.iter();
    headers
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect()
}

fn from_texts(texts: Vec<(String, String)>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, text) in texts {
        let bytes: Option<Vec<u8>> = text
            .chars()
            .map(|sign| u8::try_from(u32::from(sign)).ok())
            .collect();
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let value = HeaderValue::from_bytes(&bytes?).ok()?;
        headers.try_append(name, value).ok()?;
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(parts: &Parts) -> Parcel {
        Parcel {
            head: RequestHead::of(parts).to_bytes(),
            body: stream::empty().boxed(),
            is_empty: true,
        }
    }

    #[test]
    fn a_request_arrives_on_another_machine_as_it_came() {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = http::Method::PATCH;
        *request.uri_mut() = Uri::from_static("/plugins/poll/vote?x=%20&y=1");
        let odd = HeaderValue::from_bytes(b"caf\xe9 \xff").unwrap();
        request.headers_mut().append("x-odd", odd.clone());
        let twice = HeaderValue::from_static("again");
        request.headers_mut().append("x-odd", twice.clone());
        let peer = PeerInfo {
            peer: SocketAddr::from(([203, 0, 113, 7], 4321)),
            is_tls: true,
        };
        request.extensions_mut().insert(peer);
        let (parts, _) = request.into_parts();
        let arrived = RequestHead::unpack(head(&parts)).unwrap();
        assert_eq!(arrived.method(), http::Method::PATCH);
        assert_eq!(arrived.uri().to_string(), "/plugins/poll/vote?x=%20&y=1");
        let values: Vec<_> = arrived.headers().get_all("x-odd").iter().collect();
        assert_eq!(values, [&odd, &twice]);
        let known = arrived.extensions().get::<PeerInfo>().unwrap();
        assert_eq!((known.peer, known.is_tls), (peer.peer, true));
    }

    #[test]
    fn a_head_that_cannot_be_read_makes_no_request_and_no_answer() {
        for text in [
            "",
            "{}",
            r#"{"method":"G T","uri":"/","headers":[],"peer":null,"is_tls":false}"#,
            r#"{"method":"GET","uri":"a b","headers":[],"peer":null,"is_tls":false}"#,
            r#"{"method":"GET","uri":"/","headers":[["a b",""]],"peer":null,"is_tls":false}"#,
            r#"{"method":"GET","uri":"/","headers":[["a","\n"]],"peer":null,"is_tls":false}"#,
            r#"{"status":7,"headers":[]}"#,
            r#"{"status":200,"headers":[["a","€"]]}"#,
        ] {
            let parcel = || Parcel {
                head: Bytes::copy_from_slice(text.as_bytes()),
                body: stream::empty().boxed(),
                is_empty: true,
            };
            assert!(RequestHead::unpack(parcel()).is_none(), "{text}");
            assert!(AnswerHead::unpack(parcel()).is_none(), "{text}");
        }
    }
}
