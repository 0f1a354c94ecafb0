//! Pictures of the stream; the logo while there is none, and the logo on a stage while nobody draws any.

mod stage;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, HeaderValue};
use media::stills::Kind;

pub(crate) use self::stage::Stage;
use crate::app::App;
use crate::logo;
use crate::pictures::Picture;
use crate::plugins::is_gated;
use crate::problem::Problem;

/// `GET /thumbnail.jpg`
pub(crate) async fn thumbnail(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answer(&app, Kind::Thumbnail, &headers).await
}

/// `GET /preview.gif`
pub(crate) async fn preview(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answer(&app, Kind::Preview, &headers).await
}

async fn answer(app: &App, kind: Kind, headers: &HeaderMap) -> Result<Response, Problem> {
    // Whoever had to sign in to see it leaves no copy for others on the way.
    let cache = HeaderValue::from_static(match is_gated(app) {
        true => "private, no-store",
        false => "public, max-age=20",
    });
    let Some(still) = app.stills.newest(kind) else {
        let logo = logo::drawable(app).await?;
        let is_online = app.stream.borrow().is_online;
        let shown = match is_online {
            true => app.stage.with(&logo).await,
            false => logo,
        };
        return Ok(shown.answer_cached(headers, cache));
    };
    let picture = Picture::hashed(kind.content_type(), still.bytes, &still.hash);
    Ok(picture.answer_cached(headers, cache))
}
