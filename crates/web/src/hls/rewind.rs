//! Going back in the live stream: lists with a longer window, and the files in them that left the memory.

use std::ops::Range;

use archive::{ArchiveError, LiveLog};
use axum::body::Body;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use http_server::ChainedBody;
use http_server::range::{ByteRange, byte_range};
use media::hls::{ChainedText, DeliveryDirectives, HlsFile, Rendition};
use model::settings::table::recording::REWIND_MINUTES;

use super::{
    A_MOMENT, FOR_EVER, HlsError, HlsResult, NEVER, PLAYLIST, TEXT, accepts_gzip, awaited, kind_of,
    note_viewer, patience, put, respond,
};
use crate::state::{App, RewindMoment, RewindRefusal, rewind_log_of};

const SECOND_US: i64 = 1_000_000;
/// What has just left a list can still be fetched: players reload a list after it has changed.
const KEPT_US: i64 = 60 * SECOND_US;

impl From<RewindRefusal> for HlsError {
    fn from(refusal: RewindRefusal) -> Self {
        match refusal {
            RewindRefusal::Offline => Self::Offline,
            RewindRefusal::Gone => Self::Gone,
            RewindRefusal::NotYet => Self::TooLate,
        }
    }
}

/// How far back lists go; `None` if there are none.
fn window_us(app: &App) -> Option<i64> {
    let minutes = *app.settings.now().get(&REWIND_MINUTES);
    (minutes > 0).then(|| i64::from(minutes) * 60 * SECOND_US)
}

fn moment(app: &App) -> Result<RewindMoment, HlsError> {
    Ok(RewindMoment {
        window_us: window_us(app).ok_or(HlsError::Gone)?,
        live_snapshot: app.live.stream.live_snapshot().clone(),
        log: app.archive.live(),
    })
}

/// `GET /hls/rewind.m3u8`
pub(super) async fn master(app: &App, request: &Parts) -> HlsResult {
    let moment = moment(app)?;
    note_viewer(app, request);
    let text = once_logged(&moment, || app.rewind.master(&moment)).await?;
    Ok(chained(request, &text, NEVER))
}

/// `GET /hls/<folder>/rewind.m3u8`
pub(super) async fn playlist(app: &App, request: &Parts, rendition: Rendition) -> HlsResult {
    let directives = DeliveryDirectives::parse(request.uri.query().unwrap_or_default())
        .map_err(HlsError::Bad)?;
    let moment = moment(app)?;
    note_viewer(app, request);
    let mut of_live = directives;
    if let Some(ordinal) = directives.msn {
        let numbers = once_logged(&moment, || app.rewind.numbers(&moment)).await?;
        of_live.msn = Some(numbers.msn_of(ordinal));
    }
    let (_, cache) = awaited(app, rendition, of_live).await?;
    let list = || app.rewind.list(&moment, rendition, directives.wants_delta);
    let text = once_logged(&moment, list).await?;
    Ok(chained(request, &text, cache))
}

/// The answer, once the log has something of this session: it begins a moment after the stream.
async fn once_logged<T, F>(moment: &RewindMoment, ask: impl Fn() -> F) -> Result<T, HlsError>
where
    F: Future<Output = Result<T, RewindRefusal>>,
{
    let now = moment.live_snapshot.now().ok_or(HlsError::Offline)?;
    let mut log = moment.log.clone();
    let answer = async {
        loop {
            log.mark_unchanged();
            match ask().await {
                Err(RewindRefusal::NotYet) => {}
                answer => return answer.map_err(HlsError::from),
            }
            log.changed().await.map_err(|_| HlsError::Gone)?;
        }
    };
    let answer = tokio::time::timeout(patience(&now), answer).await;
    answer.unwrap_or(Err(HlsError::TooLate))
}

fn chained(request: &Parts, text: &ChainedText, cache: HeaderValue) -> Response {
    let accepts = request.headers.get(header::ACCEPT_ENCODING);
    let is_gzip = accepts.is_some_and(|value| accepts_gzip(value.as_bytes()));
    let pieces = if is_gzip { &text.gzip } else { &text.plain };
    let body = Body::new(ChainedBody::new(pieces.iter().cloned()));
    let mut response = respond(StatusCode::OK, PLAYLIST, cache, body);
    put(&mut response, header::VARY, "accept-encoding");
    if is_gzip {
        put(&mut response, header::CONTENT_ENCODING, "gzip");
    }
    response
}

/// A file that is no longer in memory.
pub(super) async fn file(
    app: &App,
    request: &Parts,
    rendition: Rendition,
    file: HlsFile,
) -> HlsResult {
    let window_us = window_us(app).ok_or(HlsError::Gone)?;
    let log = app.archive.live().borrow().clone().ok_or(HlsError::Gone)?;
    let snapshot = app.live.stream.live_snapshot().now();
    let snapshot = snapshot.ok_or(HlsError::Gone)?;
    let kept = rewind_log_of(&log.timeline, &snapshot, rendition).ok_or(HlsError::Gone)?;
    let (chunk, bytes) = match file {
        HlsFile::Init { token, version } => {
            let chunk = app.rewind.init(kept, rendition, (token, version));
            let chunk = chunk.ok_or(HlsError::Gone)?;
            (chunk.number, 0..u64::from(chunk.init_len))
        }
        HlsFile::Segment { token, msn } => {
            let segment = app.rewind.segment(kept, rendition, token, msn);
            let segment = segment.ok_or(HlsError::Gone)?;
            // Whoever knew a name once may not go back further for it.
            if segment.end_us() < log.timeline.duration_us - window_us - KEPT_US {
                return Err(HlsError::Gone);
            }
            (segment.chunk, segment.offset..segment.offset + segment.len)
        }
        // They are listed for as long as they are in memory.
        HlsFile::Part { .. } => return Err(HlsError::Gone),
    };
    let place = LoggedFile {
        log: &log,
        folder: &kept.rendition,
        chunk,
        bytes,
    };
    place.read(app, request, kind_of(rendition)).await
}

/// Where the bytes of a file are.
struct LoggedFile<'a> {
    log: &'a LiveLog,
    folder: &'a str,
    chunk: u32,
    /// In the chunk.
    bytes: Range<u64>,
}

impl LoggedFile<'_> {
    /// The file, or the range of it that is asked for.
    async fn read(&self, app: &App, request: &Parts, kind: HeaderValue) -> HlsResult {
        let total = self.bytes.end - self.bytes.start;
        let asked = request.headers.get(header::RANGE);
        let asked = byte_range(asked.and_then(|value| value.to_str().ok()), total);
        let (status, range) = match asked {
            ByteRange::Whole => (StatusCode::OK, 0..total),
            ByteRange::Part { first, last } => (StatusCode::PARTIAL_CONTENT, first..last + 1),
            ByteRange::Impossible => {
                let status = StatusCode::RANGE_NOT_SATISFIABLE;
                let mut response = respond(status, TEXT, A_MOMENT, Body::empty());
                let place = format!("bytes */{total}");
                put(&mut response, header::CONTENT_RANGE, &place);
                return Ok(response);
            }
        };
        let wanted = self.bytes.start + range.start..self.bytes.start + range.end;
        let recording = &self.log.recording;
        let blocks = app.archive.read(recording, self.folder, self.chunk, wanted);
        let blocks = blocks.await.map_err(|error| match error {
            ArchiveError::Busy => HlsError::Busy,
            _ => HlsError::Gone,
        })?;
        let mut response = respond(status, kind, FOR_EVER, Body::from_stream(blocks));
        let len = range.end - range.start;
        put(&mut response, header::CONTENT_LENGTH, &len.to_string());
        put(&mut response, header::ACCEPT_RANGES, "bytes");
        if status == StatusCode::PARTIAL_CONTENT {
            let last = range.end.saturating_sub(1);
            let place = format!("bytes {}-{last}/{total}", range.start);
            put(&mut response, header::CONTENT_RANGE, &place);
        }
        Ok(response)
    }
}
