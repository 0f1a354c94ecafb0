//! The pages of recordings: the list, one to watch, and one to show in a frame.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, StatusCode, Uri, header};
use http_server::client::ClientInfo;
use model::recording::Visibility;
use serde_json::Value;
use store::{Recording, RecordingQuery, StoreError};

use super::wire::VideoDetail;
use super::{find_watched, shown_span};
use crate::hls::PRIVATE;
use crate::language::Language;
use crate::page::{self, DescribedVideo, list_texts, video_texts};
use crate::pages::{Visit, embedded_video, is_player, viewer_page};
use crate::problem::Problem;
use crate::public::not_found;
use crate::state::App;

/// Recordings on the list for readers without scripts.
const LISTED: u32 = 50;

/// `/videos`
pub(crate) async fn list(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let query = RecordingQuery {
        only_public: true,
        limit: LISTED,
        ..RecordingQuery::default()
    };
    let found = app.store.recordings(query).await?.recordings;
    let newest: Vec<DescribedVideo> = found.iter().map(|one| described(one, false)).collect();
    let texts = list_texts(&page::key(&app, &client, Language::of(&headers)), &newest);
    let visit = Visit {
        client: &client,
        uri: &uri,
        headers: &headers,
    };
    Ok(viewer_page(&app, &visit, &texts, None).await)
}

/// `/videos/{id}`
pub(crate) async fn watch(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = find(&app, &id, &client, &headers).await?;
    let key = page::key(&app, &client, Language::of(&headers));
    let visit = Visit {
        client: &client,
        uri: &uri,
        headers: &headers,
    };
    let Some(shown) = found else {
        if is_player(&headers) {
            return Ok(not_found().await);
        }
        // The page itself says that there is none, and leads to those that are there.
        let answer = viewer_page(&app, &visit, &list_texts(&key, &[]), None).await;
        return Ok((StatusCode::NOT_FOUND, answer).into_response());
    };
    if is_player(&headers) {
        let list = format!("/hls/videos/{}/stream.m3u8", shown.recording.id);
        return Ok(Redirect::temporary(&list).into_response());
    }
    let texts = video_texts(&key, &shown.described);
    let answer = viewer_page(&app, &visit, &texts, Some(shown.document)).await;
    Ok(kept_from_strangers(answer, &shown.recording))
}

/// `/embed/video/{id}`: the player alone, for other sites.
pub(crate) async fn embed(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = find(&app, &id, &client, &headers).await?;
    let key = page::key(&app, &client, Language::default());
    let visit = Visit {
        client: &client,
        uri: &uri,
        headers: &headers,
    };
    let Some(shown) = found else {
        let answer = embedded_video(&app, &visit, &list_texts(&key, &[]), Value::Null).await;
        return Ok((StatusCode::NOT_FOUND, answer).into_response());
    };
    let texts = video_texts(&key, &shown.described);
    let answer = embedded_video(&app, &visit, &texts, shown.document).await;
    Ok(kept_from_strangers(answer, &shown.recording))
}

/// What a page about a recording needs.
struct ShownVideo {
    recording: Recording,
    described: DescribedVideo,
    /// For the page's script.
    document: Value,
}

/// `None` for those who may not see it, too.
async fn find(
    app: &App,
    id: &str,
    client: &ClientInfo,
    headers: &HeaderMap,
) -> Result<Option<ShownVideo>, StoreError> {
    let Some(recording) = find_watched(app, id, client, headers).await? else {
        return Ok(None);
    };
    let detail = VideoDetail::of(app, &recording).await?;
    let has_poster = !detail.video.thumbnail.is_empty();
    Ok(Some(ShownVideo {
        described: described(&recording, has_poster),
        // Plain data: it always has a form in JSON.
        document: serde_json::to_value(&detail).unwrap_or_default(),
        recording,
    }))
}

fn described(recording: &Recording, has_poster: bool) -> DescribedVideo {
    let span = shown_span(recording);
    DescribedVideo {
        id: recording.id.to_string(),
        title: recording.title.clone(),
        summary: recording.summary.clone(),
        tags: recording.tags.clone(),
        started_at: recording.started_at.to_string(),
        seconds: (span.end - span.start).unsigned_abs() / 1_000_000,
        has_poster,
        is_listed: recording.visibility == Visibility::Public,
    }
}

/// No copy of a private page stays with anybody.
fn kept_from_strangers(mut page: Response, recording: &Recording) -> Response {
    if recording.visibility == Visibility::Private {
        page.headers_mut().insert(header::CACHE_CONTROL, PRIVATE);
    }
    page
}
