//! The accept loop: limits, timeouts, TLS, HTTP/1.1 and HTTP/2 on one port, and a graceful shutdown.
//!
//! `axum::serve` sets no header timeout, so a client that never finishes its header would be kept forever; this loop
//! puts a limit on every phase of a connection.

mod activity;
mod lease;
mod slots;
mod stall_guard;
mod unread;
mod upgrade;
mod version;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::future::BoxFuture;
use http::{StatusCode, header};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::client::{PeerInfo, TrustedProxies};
use crate::tls::Tls;
use activity::{Activity, TimeoutReason};
pub use lease::Lease;
pub use slots::ConnectionLimits;
use slots::ConnectionSlots;
use stall_guard::StallGuard;
pub use upgrade::{OnUpgrade, UpgradedStream, downcast_tcp};
use version::HttpVersion;

/// Limit (clients): time to send the header of a request, and between two requests; then the connection is closed. It
/// does not include the TLS handshake.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// A TLS handshake takes a round trip or two.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Requests in flight on one HTTP/2 connection; a browser seldom has more than a dozen.
const MAX_STREAMS: u32 = 64;
/// Bytes of request header on HTTP/2; HTTP/1 is bounded by its buffer.
const MAX_HEADER_BYTES: u32 = 32 * 1024;
/// Answer bytes buffered for one HTTP/2 stream; with [`MAX_STREAMS`] it bounds what a peer that reads slowly can hold.
const MAX_STREAM_BUFFER: usize = 32 * 1024;
/// Request bytes a peer may send on one stream before we have taken them.
const STREAM_WINDOW: u32 = 64 * 1024;
/// The same for all streams of a connection together.
const CONNECTION_WINDOW: u32 = 256 * 1024;
/// Read buffer of an HTTP/1 connection; a header must fit.
const MAX_HTTP1_BUFFER: usize = 64 * 1024;
/// Keep-alive of HTTP/2: a peer that does not answer a ping is gone.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// What a peer has not taken for this long is thrown away by the system, also after we have closed.
const UNTAKEN_TIMEOUT: Duration = Duration::from_secs(30);
/// After a failed accept (out of file descriptors), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Answers a request, whichever connection it arrived on.
pub type RequestHandler =
    Arc<dyn Fn(http::Request<Body>) -> BoxFuture<'static, Response> + Send + Sync>;

/// How the loop ends.
#[derive(Clone, Debug)]
pub struct Shutdown {
    /// When cancelled, no new connections are accepted; requests under way finish.
    pub requested: CancellationToken,
    /// Connections still open after this time are cut.
    pub grace: Duration,
}

/// Serves until told to stop; returns once every connection has ended.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Tls>,
    handler: RequestHandler,
    trusted: TrustedProxies,
    limits: ConnectionLimits,
    stop: Shutdown,
) {
    let slots = ConnectionSlots::new(&limits, trusted);
    let connections = TaskTracker::new();
    let cut = CancellationToken::new();
    let shared = Arc::new(ServerContext {
        tls,
        handler,
        builder: builder(),
        stop: stop.requested.clone(),
    });
    loop {
        let total = tokio::select! {
            () = stop.requested.cancelled() => break,
            permit = slots.wait_for_capacity() => permit,
        };
        let accepted = tokio::select! {
            () = stop.requested.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => match slots.take(total, peer.ip()) {
                Some(slot) => {
                    let lease = Lease::new(slot, connections.token(), cut.clone());
                    drop(connections.spawn(Arc::clone(&shared).connection(stream, peer, lease)))
                }
                None => metrics::counter!("rillcast_connections_refused_total").increment(1),
            },
            Err(error) => {
                slots::complain(&error);
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(stop.grace, connections.wait())
        .await
        .is_err()
    {
        tracing::warn!(
            connections = connections.len(),
            "cutting connections that did not end in time"
        );
        cut.cancel();
        connections.wait().await;
    }
}

/// What every connection shares.
struct ServerContext {
    tls: Option<Tls>,
    handler: RequestHandler,
    builder: auto::Builder<TokioExecutor>,
    stop: CancellationToken,
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HTTP1_BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADER_BYTES)
        .max_send_buf_size(MAX_STREAM_BUFFER)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(HEADER_TIMEOUT);
    builder
}

/// RFC 9112 §3.2: given two hosts, a proxy and we could pick different ones. HTTP/2 has the host elsewhere.
fn has_one_host<B>(request: &http::Request<B>) -> bool {
    let count = request.headers().get_all(header::HOST).iter().count();
    match request.version() {
        http::Version::HTTP_11 => count == 1,
        _ => count <= 1,
    }
}

/// Serves all requests of one connection.
struct ConnectionService {
    shared: Arc<ServerContext>,
    connection: PeerInfo,
    lease: Arc<Lease>,
    activity: Option<Activity>,
}

impl Service<http::Request<Incoming>> for ConnectionService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, mut request: http::Request<Incoming>) -> Self::Future {
        let activity = self.activity.clone();
        let asked = activity.as_ref().map(Activity::ask);
        request.extensions_mut().insert(self.connection);
        request.extensions_mut().insert(Arc::clone(&self.lease));
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let (request, unread) = unread::lend(request);
            let mut response = if !has_one_host(&request) {
                let text = "a request needs one Host header\n";
                (StatusCode::BAD_REQUEST, text).into_response()
            } else {
                (shared.handler)(request).await
            };
            if let Some(unread) = unread {
                unread.settle(&mut response).await;
            }
            let response = match activity {
                Some(activity) => response.map(|body| activity.watch(body)),
                None => response,
            };
            drop(asked);
            Ok(response)
        })
    }
}

impl ServerContext {
    async fn connection(self: Arc<Self>, stream: TcpStream, peer: SocketAddr, lease: Arc<Lease>) {
        tokio::select! {
            () = lease.cut() => {}
            () = self.talk(stream, peer, &lease) => {}
        }
    }

    async fn talk(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr, lease: &Arc<Lease>) {
        // Chat lines and playlists are small; waiting to batch them only adds delay.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY");
        }
        // Without this, the system would keep probing a peer that reads nothing for minutes after we have let go of it,
        // and keep its send buffer as long.
        let socket = SockRef::from(&stream);
        if let Err(error) = socket.set_tcp_user_timeout(Some(UNTAKEN_TIMEOUT)) {
            tracing::debug!(%error, "no TCP_USER_TIMEOUT");
        }
        // Every phase is boxed: a connection lives for hours in the last one, and would otherwise reserve memory for
        // all of them.
        let Some(tls) = &self.tls else {
            let is_tls = false;
            return self
                .boxed_http(stream, PeerInfo { peer, is_tls }, lease)
                .await;
        };
        let handshake = Box::pin(tls.accept(stream));
        match tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake).await {
            Ok(Ok(stream)) => {
                let is_tls = true;
                self.boxed_http(stream, PeerInfo { peer, is_tls }, lease)
                    .await;
            }
            Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
            Err(_) => tracing::debug!(%peer, "TLS handshake took too long"),
        }
    }

    /// Not async, so that none of it is kept in the caller's future.
    fn boxed_http<'a, S>(
        self: &'a Arc<Self>,
        stream: S,
        connection: PeerInfo,
        lease: &Arc<Lease>,
    ) -> BoxFuture<'a, ()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        Box::pin(self.http(stream, connection, Arc::clone(lease)))
    }

    async fn http<S>(self: &Arc<Self>, stream: S, connection: PeerInfo, lease: Arc<Lease>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // hyper's own detection has no timeout: a client that sends nothing, or half a preface, would stay.
        let detected = tokio::time::timeout(HEADER_TIMEOUT, Box::pin(version::detect(stream)));
        let (version, stream) = tokio::select! {
            () = self.stop.cancelled() => return,
            detected = detected => match detected {
                Ok(Ok(detected)) => detected,
                Ok(Err(_)) | Err(_) => return,
            },
        };
        let builder = match version {
            HttpVersion::Http1 => self.builder.clone().http1_only(),
            HttpVersion::Http2 => self.builder.clone().http2_only(),
        };
        let activity = Activity::new();
        let service = ConnectionService {
            shared: Arc::clone(self),
            connection,
            lease,
            // HTTP/1 is covered by its header timeout and the limit on stalled writes.
            activity: (version == HttpVersion::Http2).then(|| activity.clone()),
        };
        let io = TokioIo::new(StallGuard::new(stream, activity.received()));
        let serving = builder.serve_connection_with_upgrades(io, service);
        tokio::pin!(serving);
        let ended = tokio::select! {
            ended = serving.as_mut() => ended,
            () = self.stop.cancelled() => {
                serving.as_mut().graceful_shutdown();
                serving.await
            }
            quiet = activity.quiet(), if version == HttpVersion::Http2 => {
                serving.as_mut().graceful_shutdown();
                // A peer that reads nothing will not read our GOAWAY either.
                let patience = if quiet == TimeoutReason::Idle { HEADER_TIMEOUT } else { Duration::ZERO };
                match tokio::time::timeout(patience, serving).await {
                    Ok(ended) => ended,
                    Err(_) => return,
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(peer = %connection.peer, error, "connection ended early");
        }
    }
}
