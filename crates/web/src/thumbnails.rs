//! Thumbnails of the stream; the logo while offline, and a placeholder with the logo while no thumbnails are drawn.

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, HeaderValue};
use media::thumbnails::ThumbnailKind;

use crate::logo;
use crate::plugins::is_gated;
use crate::problem::Problem;
use crate::state::{App, CachedPicture};

/// `GET /thumbnail.jpg`
pub(crate) async fn thumbnail(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answer(&app, ThumbnailKind::Thumbnail, &headers).await
}

/// `GET /preview.gif`
pub(crate) async fn preview(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answer(&app, ThumbnailKind::Preview, &headers).await
}

async fn answer(app: &App, kind: ThumbnailKind, headers: &HeaderMap) -> Result<Response, Problem> {
    // Behind a gate, no shared cache may keep a copy.
    let cache = HeaderValue::from_static(match is_gated(app) {
        true => "private, no-store",
        false => "public, max-age=20",
    });
    let Some(newest) = app.live.thumbnails.newest(kind) else {
        let logo = logo::drawable(app).await?;
        let is_online = app.live.status.borrow().is_online;
        let shown = match is_online {
            true => app.live.placeholder.with(&logo).await,
            false => logo,
        };
        return Ok(shown.answer_cached(headers, cache));
    };
    let picture = CachedPicture::hashed(kind.content_type(), newest.bytes, &newest.hash);
    Ok(picture.answer_cached(headers, cache))
}
