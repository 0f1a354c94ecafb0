//! Small documents around the player.

use std::cmp::Reverse;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::{HeaderMap, StatusCode, Uri};
use http_server::client::{ClientInfo, user_agent};
use media::stream::ViewerRequest;
use serde::Serialize;
use url::form_urlencoded;
use utoipa::ToSchema;

use super::NO_CACHE;
use crate::referrer::is_preview;
use crate::state::{App, LiveState, Shared};

/// The id that a player made up for itself, to be told apart from others with its address and user agent.
pub(super) fn player_session(uri: &Uri) -> Option<String> {
    let pairs = form_urlencoded::parse(uri.query()?.as_bytes());
    let sent = pairs.into_iter().find(|(name, _)| name == "sid");
    sent.map(|(_, session)| session.into_owned())
}

/// `GET /api/ping`: the caller is watching. Behind a cache this is how a player is seen at all.
pub(crate) async fn ping(
    State(live): State<Shared<LiveState>>,
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if !is_preview(&headers) {
        live.stream.note_viewer(&ViewerRequest {
            address: client.address,
            user_agent: user_agent(&headers),
            session: player_session(&uri).as_deref(),
        });
    }
    (NO_CACHE, StatusCode::OK).into_response()
}

/// A quality that viewers can choose.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Variant)]
pub(crate) struct StreamVariant {
    name: String,
    /// Place in the operator's list.
    index: usize,
    /// In pixels; absent while nobody broadcasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    height: Option<u32>,
    /// Of the picture, in kbit/s; absent where it is the broadcaster's own, and while nobody broadcasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    kbps: Option<u32>,
}

/// `GET /api/video/variants`: the qualities there are, best first. While some are encoded, they are those the stream
/// began with.
pub(crate) async fn variants(State(app): State<App>) -> Response {
    let ladder = app.live.stream.transcoder_status();
    let list = app.variants(ladder.as_deref());
    let report = app.live.stream.report();
    let source_height = report
        .tracks
        .video
        .map(|track| track.config.display_size().1);
    let mut best_first: Vec<_> = list.iter().enumerate().collect();
    best_first
        .sort_by_key(|(_, variant)| (!variant.video_passthrough, Reverse(variant.video_bitrate)));
    let named = best_first.into_iter().map(|(index, variant)| {
        let rungs = ladder.iter().flat_map(|ladder| &ladder.rungs);
        let rung = rungs
            .map(|one| &one.rung)
            .find(|rung| rung.variant == index);
        StreamVariant {
            name: variant.display_name(),
            index,
            height: match rung {
                Some(rung) => Some(rung.height),
                None if variant.video_passthrough => source_height,
                None => None,
            },
            kbps: rung.map(|rung| rung.kbps),
        }
    });
    let named: Vec<StreamVariant> = named.collect();
    (NO_CACHE, Json(named)).into_response()
}
