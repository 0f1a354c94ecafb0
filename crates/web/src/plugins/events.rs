//! `/plugins/<slug>/_sse/<channel>`: event streams from a plugin to pages.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use ::plugins::host::SseConnection;
use ::plugins::host::wire::User;
use ::plugins::permission::Permission;
use ::plugins::runtime::LoadedPlugin;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderName, Method, StatusCode, header};
use serde::Serialize;
use tokio::time::Instant;

use super::host_context::HostContext;
use super::passes::PassHolder;
use super::serve::Visit;
use crate::public::not_found;

/// Proxies close what stays silent for a minute. As often a viewer with a pass is looked up again: who was banned or has
/// signed out hears nothing after ten seconds.
const KEEP_ALIVE: Duration = Duration::from_secs(8);

/// The event that tells a plugin about listeners; the field order is the wire order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SseConnectionEvent<'a> {
    channel: &'a str,
    connection_id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a User>,
}

/// One listening page. The plugin is told when it leaves, however it leaves.
struct PluginEventStream {
    plugin: LoadedPlugin,
    connection: SseConnection,
    about: String,
    is_new: bool,
    /// The viewer behind a pass, and when to check them again.
    holder: Option<(Arc<dyn HostContext>, PassHolder, Instant)>,
}

impl Drop for PluginEventStream {
    fn drop(&mut self) {
        self.plugin.tell("sse.disconnect", &self.about);
    }
}

impl PluginEventStream {
    async fn next(&mut self) -> Option<Bytes> {
        // Sent at once: some proxies hold back the response head until a body follows.
        if std::mem::take(&mut self.is_new) {
            return Some(Bytes::from_static(b": here\n\n"));
        }
        if let Some((host, holder, due)) = &mut self.holder
            && Instant::now() >= *due
        {
            if !host.is_welcome(self.plugin.slug(), holder).await {
                return None;
            }
            *due = Instant::now() + KEEP_ALIVE;
        }
        match tokio::time::timeout(KEEP_ALIVE, self.connection.next()).await {
            Ok(frame) => frame,
            Err(_) => Some(Bytes::from_static(b": still here\n\n")),
        }
    }
}

/// Streams events until the page leaves or the plugin is unloaded.
pub(super) async fn listen(visit: &Visit, channel: &str) -> Response {
    if !visit.plugin.permissions().has(Permission::HttpSse) {
        return not_found().await;
    }
    if visit.parts.method != Method::GET {
        let allow = [(header::ALLOW, "GET")];
        return (StatusCode::METHOD_NOT_ALLOWED, allow).into_response();
    }
    let user = visit.user().await;
    let holder = visit.parts.extensions.get::<PassHolder>().cloned();
    let streams = visit.host.running().streams();
    let connection = match streams.connect(visit.plugin.slug(), channel) {
        Ok(connection) => connection,
        Err(full) => {
            let text = format!("{full}\n");
            return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
        }
    };
    let event = SseConnectionEvent {
        channel,
        connection_id: connection.id,
        user: user.as_ref(),
    };
    // Only texts and a number: serialization cannot fail.
    let about = serde_json::to_string(&event).unwrap_or_default();
    visit.plugin.tell("sse.connect", &about);
    let listening = PluginEventStream {
        plugin: visit.plugin.clone(),
        connection,
        about,
        is_new: true,
        holder: holder.map(|holder| {
            let due = Instant::now() + KEEP_ALIVE;
            (Arc::clone(&visit.host), holder, due)
        }),
    };
    let frames = stream::unfold(listening, |mut listening| async move {
        let frame = listening.next().await?;
        Some((Ok::<_, Infallible>(frame), listening))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        // nginx would otherwise buffer the events.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(frames)).into_response()
}
