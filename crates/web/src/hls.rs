//! `/hls/`: playlists, parts and segments, straight from the newest snapshot.
//!
//! These rows of the table are served without the other rows' layers: nothing here compresses (playlists are rendered
//! compressed once), nothing has the common time limit (a player may wait for the next part), and at thousands of
//! requests per second a span and a request id for each would cost more than the answer.

mod rewind;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use http_server::range::{ByteRange, byte_range};
use http_server::{ChainedBody, client};
use media::hls::{
    DeliveryDirectives, DirectivesError, HlsFile, HlsPath, RenderedText, Rendition, RenditionView,
    Segment, Snapshot, of_quality,
};
use media::stream::ViewerRequest;

use crate::plugins::{is_media_guarded, stop_media};
use crate::referrer::is_preview;
use crate::state::App;
use crate::videos;

/// Where media lives.
const PREFIX: &str = "/hls/";
/// What begins with this is of a recording.
const VIDEOS: &str = "videos/";
pub(crate) const PLAYLIST: HeaderValue = HeaderValue::from_static("application/x-mpegURL");
pub(crate) const VIDEO: HeaderValue = HeaderValue::from_static("video/mp4");
pub(crate) const AUDIO: HeaderValue = HeaderValue::from_static("audio/mp4");
pub(crate) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const EVERYBODY: HeaderValue = HeaderValue::from_static("*");
/// Names are never used twice, so what they name never changes.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// While only some may see it: no copy stays with anybody on the way.
pub(crate) const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");
pub(crate) const NEVER: HeaderValue =
    HeaderValue::from_static("no-cache, no-store, must-revalidate");
/// A cache may answer a flood of old tabs for a moment.
pub(crate) const A_MOMENT: HeaderValue = HeaderValue::from_static("max-age=1");
const TIMING_ALLOW_ORIGIN: HeaderName = HeaderName::from_static("timing-allow-origin");

pub(crate) type HlsResult = Result<Response, HlsError>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HlsError {
    /// There is no stream.
    Offline,
    /// No such file, or no longer.
    Gone,
    /// Not one of our names. A cache may confuse it with a differently spelled name, so the answer must not be cached.
    Unreadable,
    /// The query makes no sense.
    Bad(DirectivesError),
    /// What the request waited for did not arrive in time.
    TooLate,
    /// Too many read recordings at once.
    Busy,
}

/// Whether a request can be answered without the route table.
pub(crate) fn is_for_media<B>(request: &http::Request<B>) -> bool {
    request.method() == Method::GET && request.uri().path().starts_with(PREFIX)
}

/// `GET /hls/{*path}`
pub(crate) async fn get(State(app): State<App>, request: Request) -> Response {
    answer(&app, request.into_parts().0).await
}

/// The answer to a GET or HEAD below `/hls/`.
pub(crate) async fn answer(app: &App, request: Parts) -> Response {
    if let Some(stopped) = stop_media(app, &request).await {
        return stopped;
    }
    let path = request.uri.path().strip_prefix(PREFIX).unwrap_or_default();
    if let Some(path) = path.strip_prefix(VIDEOS) {
        // Apart, so that what answers for the live stream stays small.
        let answer = Box::pin(videos::media(app, &request, path));
        return finished(app, answer.await);
    }
    let answer = match HlsPath::parse(path) {
        Some(HlsPath::Master) => master(app, &request),
        Some(HlsPath::Quality(rendition)) => quality(app, &request, rendition),
        Some(HlsPath::Playlist(rendition)) => playlist(app, &request, rendition).await,
        Some(HlsPath::RewindMaster) => Box::pin(rewind::master(app, &request)).await,
        Some(HlsPath::RewindPlaylist(rendition)) => {
            Box::pin(rewind::playlist(app, &request, rendition)).await
        }
        Some(HlsPath::File(rendition, file)) => match media(app, &request, rendition, file).await {
            Err(HlsError::Gone) => Box::pin(rewind::file(app, &request, rendition, file)).await,
            answer => answer,
        },
        None => Err(HlsError::Unreadable),
    };
    finished(app, answer)
}

/// The answer with what all of them say.
fn finished(app: &App, answer: HlsResult) -> Response {
    let mut response = answer.unwrap_or_else(error_response);
    let headers = response.headers_mut();
    if is_media_guarded(app) {
        headers.insert(header::CACHE_CONTROL, PRIVATE);
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERYBODY);
    headers.insert(TIMING_ALLOW_ORIGIN, EVERYBODY);
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

fn error_response(error: HlsError) -> Response {
    let (status, cache, text) = match error {
        HlsError::Offline => (
            StatusCode::NOT_FOUND,
            A_MOMENT,
            "The stream is offline.\n".into(),
        ),
        HlsError::Gone => (
            StatusCode::NOT_FOUND,
            A_MOMENT,
            "404 page not found\n".into(),
        ),
        HlsError::Unreadable => (StatusCode::NOT_FOUND, NEVER, "404 page not found\n".into()),
        HlsError::Bad(why) => (StatusCode::BAD_REQUEST, NEVER, format!("{why}\n")),
        HlsError::TooLate => (
            StatusCode::SERVICE_UNAVAILABLE,
            NEVER,
            "The stream has stopped moving. Try again.\n".into(),
        ),
        HlsError::Busy => (
            StatusCode::SERVICE_UNAVAILABLE,
            NEVER,
            "The server is busy. Try again.\n".into(),
        ),
    };
    respond(status, TEXT, cache, Body::from(text))
}

pub(crate) fn respond(
    status: StatusCode,
    kind: HeaderValue,
    cache: HeaderValue,
    body: Body,
) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    response
}

fn note_viewer(app: &App, request: &Parts) {
    if is_preview(&request.headers) {
        return;
    }
    app.live.stream.note_viewer(&ViewerRequest {
        address: client::address(&app.trusted_proxies, &request.extensions, &request.headers),
        user_agent: client::user_agent(&request.headers),
        session: None,
    });
}

fn master(app: &App, request: &Parts) -> HlsResult {
    let snapshot = app
        .live
        .stream
        .live_snapshot()
        .now()
        .ok_or(HlsError::Offline)?;
    note_viewer(app, request);
    Ok(text(request, &snapshot.master, NEVER))
}

/// For recorders, bookmarks and players that were given the address of one quality: they would otherwise get it without
/// sound.
fn quality(app: &App, request: &Parts, rendition: Rendition) -> HlsResult {
    let snapshot = app
        .live
        .stream
        .live_snapshot()
        .now()
        .ok_or(HlsError::Offline)?;
    note_viewer(app, request);
    let all = str::from_utf8(&snapshot.master.plain).map_err(|_| HlsError::Gone)?;
    let list = of_quality(all, rendition).ok_or(HlsError::Gone)?;
    Ok(respond(StatusCode::OK, PLAYLIST, NEVER, Body::from(list)))
}

fn text(request: &Parts, rendered: &RenderedText, cache: HeaderValue) -> Response {
    let accepts = request.headers.get(header::ACCEPT_ENCODING);
    let is_gzip = accepts.is_some_and(|value| accepts_gzip(value.as_bytes()));
    let body = if is_gzip {
        &rendered.gzip
    } else {
        &rendered.plain
    };
    let mut response = respond(StatusCode::OK, PLAYLIST, cache, Body::from(body.clone()));
    response
        .headers_mut()
        .insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if is_gzip {
        response
            .headers_mut()
            .insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Whether the list contains `gzip` without a weight of zero.
pub(crate) fn accepts_gzip(list: &[u8]) -> bool {
    let Ok(list) = std::str::from_utf8(list) else {
        return false;
    };
    list.split(',').any(|entry| {
        let (coding, weight) = entry.split_once(';').unwrap_or((entry, ""));
        let weight = weight.trim().trim_start_matches("q=");
        let is_refused = !weight.is_empty() && weight.trim_matches(['0', '.']).is_empty();
        coding.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

/// How long a player waits for the playlist to advance: three target durations.
fn patience(snapshot: &Snapshot) -> Duration {
    Duration::from_micros(snapshot.targets.hold_back_us().unsigned_abs())
}

async fn playlist(app: &App, request: &Parts, rendition: Rendition) -> HlsResult {
    let directives = DeliveryDirectives::parse(request.uri.query().unwrap_or_default())
        .map_err(HlsError::Bad)?;
    note_viewer(app, request);
    let (view, cache) = awaited(app, rendition, directives).await?;
    Ok(text(request, rendered(&view, directives), cache))
}

/// The rendition once it contains what was requested, and how long the answer may be kept.
async fn awaited(
    app: &App,
    rendition: Rendition,
    directives: DeliveryDirectives,
) -> Result<(Arc<RenditionView>, HeaderValue), HlsError> {
    let live_snapshot = app.live.stream.live_snapshot();
    let now = live_snapshot.now().ok_or(HlsError::Offline)?;
    let (snapshot, view) = match find_view(Some(&now), rendition, directives) {
        Some(found) => found?,
        None => {
            let waited = live_snapshot.until(patience(&now), |snapshot| {
                find_view(snapshot, rendition, directives)
            });
            match waited.await {
                Some(found) => found?,
                // The publisher is away: players keep polling, and an unchanged playlist keeps them calm.
                None if app.is_waiting_for_publisher() => {
                    let now = live_snapshot.now().ok_or(HlsError::Offline)?;
                    let view = now.view(rendition).ok_or(HlsError::Gone)?;
                    return Ok((Arc::clone(view), NEVER));
                }
                None => return Err(HlsError::TooLate),
            }
        }
    };
    let cache = playlist_cache(&snapshot, &view, directives);
    Ok((view, cache))
}

/// The delta update if one was requested and there is something to skip.
fn rendered(view: &RenditionView, directives: DeliveryDirectives) -> &RenderedText {
    let delta = view.delta.as_ref();
    delta
        .filter(|_| directives.wants_delta)
        .unwrap_or(&view.full)
}

type CurrentView = (Arc<Snapshot>, Arc<RenditionView>);

/// The rendition, once it contains what was requested; once ended, it contains everything there will ever be.
fn find_view(
    snapshot: Option<&Arc<Snapshot>>,
    rendition: Rendition,
    directives: DeliveryDirectives,
) -> Option<Result<CurrentView, HlsError>> {
    let Some(snapshot) = snapshot else {
        return Some(Err(HlsError::Offline));
    };
    let Some(view) = snapshot.view(rendition) else {
        return Some(Err(HlsError::Gone));
    };
    let found = || Ok((Arc::clone(snapshot), Arc::clone(view)));
    if snapshot.is_ended {
        return Some(found());
    }
    match directives.is_met(view) {
        Ok(true) => Some(found()),
        Ok(false) => None,
        Err(why) => Some(Err(HlsError::Bad(why))),
    }
}

/// The answer to "when part 3 of segment 12 exists" is the same for every client. The current playlist, even if
/// requested with an old number, is outdated after half a part.
fn playlist_cache(
    snapshot: &Snapshot,
    view: &RenditionView,
    directives: DeliveryDirectives,
) -> HeaderValue {
    let targets = snapshot.targets;
    let us = match (directives.msn, targets.part_us) {
        _ if snapshot.is_ended => return NEVER,
        (Some(msn), _) if msn + 1 >= view.open_msn() => targets.skip_until_us(),
        (_, Some(part)) => part / 2,
        (_, None) => targets.segment_us / 2,
    };
    let value = format!("public, max-age={}", us / 1_000_000);
    HeaderValue::from_str(&value).unwrap_or(NEVER)
}

async fn media(app: &App, request: &Parts, rendition: Rendition, file: HlsFile) -> HlsResult {
    let live_snapshot = app.live.stream.live_snapshot();
    let now = live_snapshot.now().ok_or(HlsError::Gone)?;
    let view = now.view(rendition).ok_or(HlsError::Gone)?;
    let kind = kind_of(rendition);
    match file {
        HlsFile::Init { token, version } => {
            let init = view.init(token, version).ok_or(HlsError::Gone)?;
            Ok(respond(
                StatusCode::OK,
                kind,
                FOR_EVER,
                Body::from(init.bytes.clone()),
            ))
        }
        HlsFile::Segment { token, msn } => {
            let segment = view.segment(token, msn).ok_or(HlsError::Gone)?;
            Ok(ranged(request, segment, kind))
        }
        HlsFile::Part { token, msn, index } => {
            let bytes = match view.part(token, msn, index) {
                Some(part) => part.bytes.clone(),
                None if view.is_next_part(token, msn, index) => {
                    let limit = patience(&now);
                    let coming = live_snapshot.until(limit, |snapshot| {
                        arrived(snapshot, rendition, token, msn, index)
                    });
                    coming.await.flatten().ok_or(HlsError::Gone)?
                }
                None => return Err(HlsError::Gone),
            };
            Ok(respond(StatusCode::OK, kind, FOR_EVER, Body::from(bytes)))
        }
    }
}

fn kind_of(rendition: Rendition) -> HeaderValue {
    match rendition {
        Rendition::Audio | Rendition::Aac => AUDIO,
        Rendition::Main | Rendition::Rung(_) => VIDEO,
    }
}

/// The announced part once it exists; `Some(None)` once it is certain that it never will.
fn arrived(
    snapshot: Option<&Arc<Snapshot>>,
    rendition: Rendition,
    token: u64,
    msn: u64,
    index: usize,
) -> Option<Option<Bytes>> {
    let Some(view) = snapshot.and_then(|snapshot| snapshot.view(rendition)) else {
        return Some(None);
    };
    match view.part(token, msn, index) {
        Some(part) => Some(Some(part.bytes.clone())),
        None if view.is_next_part(token, msn, index)
            && !snapshot.is_some_and(|one| one.is_ended) =>
        {
            None
        }
        None => Some(None),
    }
}

fn ranged(request: &Parts, segment: &Segment, kind: HeaderValue) -> Response {
    let total = segment.len() as u64;
    let asked = request
        .headers
        .get(header::RANGE)
        .and_then(|value| value.to_str().ok());
    let parts = segment.parts.iter().map(|part| part.bytes.clone());
    let mut response = match byte_range(asked, total) {
        ByteRange::Whole => respond(
            StatusCode::OK,
            kind,
            FOR_EVER,
            Body::new(ChainedBody::new(parts)),
        ),
        ByteRange::Part { first, last } => {
            let body = Body::new(ChainedBody::cut(parts, first, last));
            let mut response = respond(StatusCode::PARTIAL_CONTENT, kind, FOR_EVER, body);
            put(
                &mut response,
                header::CONTENT_RANGE,
                &format!("bytes {first}-{last}/{total}"),
            );
            response
        }
        ByteRange::Impossible => {
            let mut response = respond(
                StatusCode::RANGE_NOT_SATISFIABLE,
                TEXT,
                A_MOMENT,
                Body::empty(),
            );
            put(
                &mut response,
                header::CONTENT_RANGE,
                &format!("bytes */{total}"),
            );
            response
        }
    };
    response
        .headers_mut()
        .insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    response
}

pub(crate) fn put(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::accepts_gzip;

    #[test]
    fn gzip_is_sent_only_to_those_who_take_it() {
        for list in ["gzip", "br, gzip", "deflate,GZIP;q=0.5", "gzip;q=1.0"] {
            assert!(accepts_gzip(list.as_bytes()), "{list}");
        }
        for list in ["", "br", "gzip;q=0", "gzip; q=0.000", "identity", "xgzip"] {
            assert!(!accepts_gzip(list.as_bytes()), "{list}");
        }
    }
}
