//! `/hls/videos/{id}/…`: lists, bytes and the picture of a recording.
//!
//! A recording's files are shared with nobody: their names say nothing, and what is outside of the part that is shown is
//! in none of the lists and is not sent either.

use archive::{ArchiveError, Blocks};
use axum::body::Body;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, Request, StatusCode, header};
use http_server::client::{self, ClientInfo, PeerInfo};
use http_server::range::{ByteRange, byte_range};
use model::recording::{RecordingId, Visibility};

use super::may_watch;
use crate::hls::{
    A_MOMENT, AUDIO, HlsError, HlsResult, NEVER, PLAYLIST, PRIVATE, TEXT, VIDEO, accepts_gzip, put,
    respond,
};
use crate::state::{App, OpenReplay, ReplayText};

const PICTURE: HeaderValue = HeaderValue::from_static("image/jpeg");
/// The bytes under a name never change, but the recording may be taken back.
const AN_HOUR: HeaderValue = HeaderValue::from_static("public, max-age=3600");
/// It is drawn again when the marks move.
const A_MINUTE: HeaderValue = HeaderValue::from_static("public, max-age=60");
/// Longest path that can name anything here.
const MAX_PATH_BYTES: usize = 64;

/// What of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VideoFile<'a> {
    /// `stream.m3u8`
    Master,
    /// `poster.jpg`
    Poster,
    /// `0/video.m3u8`, `audio/stream.m3u8`
    Playlist(&'a str),
    /// `0/3.mp4`
    Chunk(&'a str, u32),
}

/// Takes the path after `/hls/videos/`. Only our exact names are understood.
fn parse(path: &str) -> Option<(RecordingId, VideoFile<'_>)> {
    if path.len() > MAX_PATH_BYTES {
        return None;
    }
    let (id, rest) = path.split_once('/')?;
    let id = RecordingId::parse(id)?;
    let file = match rest.split_once('/') {
        None if rest == "stream.m3u8" => VideoFile::Master,
        None if rest == "poster.jpg" => VideoFile::Poster,
        None => return None,
        Some((folder, name)) => in_folder(folder, name)?,
    };
    Some((id, file))
}

fn in_folder<'a>(folder: &'a str, name: &str) -> Option<VideoFile<'a>> {
    let list = match folder {
        "audio" | "aac" => "stream.m3u8",
        "0" | "1" | "2" | "3" | "4" | "5" | "6" => "video.m3u8",
        _ => return None,
    };
    if name == list {
        return Some(VideoFile::Playlist(folder));
    }
    let digits = name.strip_suffix(".mp4")?;
    let number: u32 = digits.parse().ok()?;
    // One name for each file: no sign, no zeros before it.
    (number.to_string() == digits).then_some(VideoFile::Chunk(folder, number))
}

/// The answer for a path after `/hls/videos/`.
pub(crate) async fn answer(app: &App, request: &Parts, path: &str) -> HlsResult {
    let (id, file) = parse(path).ok_or(HlsError::Unreadable)?;
    let now = app.clock.uptime();
    let found = app.replays.get(&app.store, &app.archive, &id, now).await;
    let open = found.map_err(failure)?.ok_or(HlsError::Gone)?;
    let is_private = open.recording.visibility == Visibility::Private;
    // Who it is matters only for what is not there for everybody.
    if is_private
        && !may_watch(
            app,
            &open.recording,
            &client_of(app, request),
            &request.headers,
        )
        .await
    {
        return Err(HlsError::Gone);
    }
    let answer = match file {
        VideoFile::Master => text(request, &open, "").await,
        VideoFile::Playlist(rendition) => text(request, &open, rendition).await,
        VideoFile::Chunk(rendition, number) => chunk(app, request, &open, rendition, number).await,
        VideoFile::Poster => poster(app, &id).await,
    };
    let mut response = answer?;
    if is_private {
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, PRIVATE);
    }
    Ok(response)
}

fn failure(error: ArchiveError) -> HlsError {
    match error {
        ArchiveError::Missing(_) | ArchiveError::NotLive => HlsError::Gone,
        ArchiveError::Busy => HlsError::Busy,
        ArchiveError::Store(error) => {
            model::stranger_line!(warn, "database", %error, "a recording cannot be looked up");
            HlsError::Busy
        }
        other => {
            model::stranger_line!(error, "recordings", error = %other, "a recording cannot be read");
            HlsError::Gone
        }
    }
}

/// Media has no layers that would find this out before.
fn client_of(app: &App, request: &Parts) -> ClientInfo {
    let mut known = Request::new(());
    known.uri_mut().clone_from(&request.uri);
    known.headers_mut().clone_from(&request.headers);
    if let Some(peer) = request.extensions.get::<PeerInfo>() {
        known.extensions_mut().insert(*peer);
    }
    client::identify(&app.trusted_proxies, &mut known);
    let client = known.extensions_mut().remove::<ClientInfo>();
    client.expect("identify finds out who asks")
}

async fn text(request: &Parts, open: &OpenReplay, rendition: &str) -> HlsResult {
    let text = open.text(rendition).await.ok_or(HlsError::Gone)?;
    let ReplayText { plain, gzip } = &*text;
    let accepts = request.headers.get(header::ACCEPT_ENCODING);
    let is_gzip = accepts.is_some_and(|value| accepts_gzip(value.as_bytes()));
    let body = if is_gzip { gzip } else { plain };
    // Other marks or nobody's any more: whoever asks gets what holds now.
    let mut response = respond(StatusCode::OK, PLAYLIST, NEVER, Body::from(body.clone()));
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if is_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

async fn poster(app: &App, id: &RecordingId) -> HlsResult {
    let found = app.archive.poster(id).await.map_err(failure)?;
    let picture = found.ok_or(HlsError::Gone)?;
    Ok(respond(
        StatusCode::OK,
        PICTURE,
        A_MINUTE,
        Body::from(picture),
    ))
}

async fn chunk(
    app: &App,
    request: &Parts,
    open: &OpenReplay,
    rendition: &str,
    number: u32,
) -> HlsResult {
    let chunk = open.replay.chunk(rendition, number).ok_or(HlsError::Gone)?;
    let kind = match rendition {
        "audio" | "aac" => AUDIO,
        _ => VIDEO,
    };
    let total = chunk.bytes;
    let asked = request.headers.get(header::RANGE);
    let asked = byte_range(asked.and_then(|value| value.to_str().ok()), total);
    let (status, range) = match asked {
        ByteRange::Whole => (StatusCode::OK, 0..total),
        ByteRange::Part { first, last } => {
            // A range without an end ends where the shown part does.
            let is_shown = chunk.shown.contains(&first);
            let end = if is_shown { chunk.shown.end } else { total };
            (StatusCode::PARTIAL_CONTENT, first..(last + 1).min(end))
        }
        ByteRange::Impossible => return Ok(not_there(total)),
    };
    let is_part = status == StatusCode::PARTIAL_CONTENT;
    if !chunk.allows(&range) {
        return if is_part {
            Ok(not_there(total))
        } else {
            Err(HlsError::Gone)
        };
    }
    let id = &open.recording.id;
    let read = app.archive.read(id, rendition, number, range.clone()).await;
    let blocks: Blocks = read.map_err(failure)?;
    let mut response = respond(status, kind, AN_HOUR, Body::from_stream(blocks));
    let len = range.end - range.start;
    put(&mut response, header::CONTENT_LENGTH, &len.to_string());
    if is_part {
        let (first, last) = (range.start, range.end.saturating_sub(1));
        let place = format!("bytes {first}-{last}/{total}");
        put(&mut response, header::CONTENT_RANGE, &place);
    }
    let ranges = HeaderValue::from_static("bytes");
    response.headers_mut().insert(header::ACCEPT_RANGES, ranges);
    Ok(response)
}

fn not_there(total: u64) -> Response {
    let status = StatusCode::RANGE_NOT_SATISFIABLE;
    let mut response = respond(status, TEXT, A_MOMENT, Body::empty());
    put(
        &mut response,
        header::CONTENT_RANGE,
        &format!("bytes */{total}"),
    );
    response
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_path_of_a_recording_is_the_only_name_of_its_file(path in "[0-9a-f]{16}/(([0-9]|audio|aac|\\.\\.)/([0-9]{1,3}\\.mp4|(video|stream)\\.m3u8)|stream\\.m3u8|poster\\.jpg|[0-9a-z/.]{0,20})") {
            if let Some((id, file)) = parse(&path) {
                let rest = match file {
                    VideoFile::Master => "stream.m3u8".to_owned(),
                    VideoFile::Poster => "poster.jpg".to_owned(),
                    VideoFile::Playlist(folder @ ("audio" | "aac")) => format!("{folder}/stream.m3u8"),
                    VideoFile::Playlist(folder) => format!("{folder}/video.m3u8"),
                    VideoFile::Chunk(folder, number) => format!("{folder}/{number}.mp4"),
                };
                prop_assert_eq!(format!("{id}/{rest}"), path);
            }
        }
    }

    #[test]
    fn only_the_exact_names_of_a_recordings_files_are_understood() {
        let id = RecordingId::parse("0123456789abcdef").unwrap();
        for (rest, file) in [
            ("stream.m3u8", VideoFile::Master),
            ("poster.jpg", VideoFile::Poster),
            ("0/video.m3u8", VideoFile::Playlist("0")),
            ("audio/stream.m3u8", VideoFile::Playlist("audio")),
            ("aac/0.mp4", VideoFile::Chunk("aac", 0)),
            ("6/120.mp4", VideoFile::Chunk("6", 120)),
        ] {
            let path = format!("{id}/{rest}");
            assert_eq!(parse(&path), Some((id.clone(), file)), "{rest}");
        }
        let long = format!("{id}/0/{}1.mp4", "0".repeat(64));
        for path in [
            "",
            "0123456789abcdef",
            "0123456789abcdef/",
            "0123456789ABCDEF/stream.m3u8",
            "../../etc/passwd/stream.m3u8",
            "0123456789abcdef/../stream.m3u8",
            "0123456789abcdef/0/../1.mp4",
            "0123456789abcdef/../0/1.mp4",
            "0123456789abcdef/..%2f0/1.mp4",
            "0123456789abcdef/0/01.mp4",
            "0123456789abcdef/0/+1.mp4",
            "0123456789abcdef/0/-1.mp4",
            "0123456789abcdef/0/4294967296.mp4",
            "0123456789abcdef/0/1.idx",
            "0123456789abcdef/0/stream.m3u8",
            "0123456789abcdef/audio/video.m3u8",
            "0123456789abcdef/7/1.mp4",
            "0123456789abcdef//stream.m3u8",
            &long,
        ] {
            assert_eq!(parse(path), None, "{path}");
        }
    }
}
