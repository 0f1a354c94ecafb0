//! Marks of the operator: chapters of a recording that no title made.

use archive::{ArchiveError, LiveLog};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use model::recording::RecordingState;
use serde::Deserialize;
use store::{Chapter, ChapterKind, MAX_CHAPTERS, Recording};
use utoipa::{IntoParams, ToSchema};

use super::admin::{find, problem, title};
use super::shown_span;
use super::wire::{VideoChapter, seconds};
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::state::App;

/// Two places that are not further apart are one, because of the decimals on the wire.
const SAME_PLACE_US: i64 = 1000;

/// What was longer ago than a day counts as a day ago.
const LONGEST_AGO_US: i64 = 86_400_000_000;

/// A mark to be set.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct MarkRequest {
    /// One line, at most 200 characters; a mark without a title can get one later.
    title: String,
    /// Seconds from the beginning of what viewers see; left out it is now, while the stream is recorded.
    #[schema(nullable = false)]
    at: Option<f64>,
}

/// What of a live stream is to be marked.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LiveMarkRequest {
    /// One line, at most 200 characters; a mark without a title can get one later.
    title: String,
    /// How long ago it was: naming a moment takes a while. At most a day.
    seconds_ago: f64,
}

/// Which chapter.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct MarkQuery {
    /// Where it is, as the recording's document says.
    at: f64,
    /// `mark` unless it is said; `title` is where the stream got another title.
    #[serde(default)]
    #[param(required = false)]
    kind: String,
}

/// `POST /api/admin/videos/{id}/marks`: another title for a mark that is there.
pub(crate) async fn add_mark(
    State(app): State<App>,
    Path(id): Path<String>,
    ApiJson(body): ApiJson<MarkRequest>,
) -> Result<Response, Problem> {
    let recording = find(&app, &id).await?;
    let title = title(&body.title)?;
    let span = shown_span(&recording);
    let position = live(&app)
        .filter(|live| live.recording == recording.id && goes_on(&recording))
        .map(|live| live.position_at(app.clock.now().as_millisecond()));
    let end_us = position.map_or(span.end, |position| position.max(span.end));
    let at_us = match (body.at, position) {
        (Some(at), _) => span.start.saturating_add(microseconds(at)?),
        (None, Some(position)) => position.max(span.start),
        (None, None) => {
            let why = "the stream is over: say with \"at\" where the mark is to be";
            return Err(Problem::BadRequest(why.into()));
        }
    };
    if at_us > end_us {
        let why = "\"at\" is after the end";
        return Err(Problem::BadRequest(why.into()));
    }
    add(&app, &recording, title, at_us).await
}

/// `POST /api/admin/record/mark`: marks what is live now.
pub(crate) async fn mark_live(
    State(app): State<App>,
    ApiJson(body): ApiJson<LiveMarkRequest>,
) -> Result<Response, Problem> {
    let title = title(&body.title)?;
    let ago_ms = microseconds(body.seconds_ago)?.min(LONGEST_AGO_US) / 1000;
    let live = live(&app).ok_or_else(|| problem(ArchiveError::NotLive))?;
    let ms = app.clock.now().as_millisecond() - ago_ms;
    let found = app.archive.position_at(&live.recording, ms).await;
    let at_us = found.map_err(problem)?.unwrap_or(0);
    // What is kept only to go back in the stream can be made a recording later.
    let recording = app.store.recording(&live.recording).await?;
    let recording = recording.filter(goes_on);
    let recording = recording.ok_or_else(|| problem(ArchiveError::NotLive))?;
    add(&app, &recording, title, at_us).await
}

/// `DELETE /api/admin/videos/{id}/marks`
pub(crate) async fn remove_mark(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<MarkQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(query) = query.map_err(|error| Problem::BadRequest(error.body_text()))?;
    let kind = match query.kind.as_str() {
        "" => Some(ChapterKind::Mark),
        kind => ChapterKind::parse(kind),
    };
    let kind = kind.ok_or_else(|| {
        let why = "\"kind\" must be \"mark\" or \"title\"";
        Problem::BadRequest(why.into())
    })?;
    let shown_us = microseconds(query.at)?;
    let recording = find(&app, &id).await?;
    let chapters = app.store.chapters(&recording.id).await?;
    let at_us = place_of(&recording, &chapters, kind, shown_us).ok_or_else(no_mark)?;
    let removed = app.store.remove_chapter(&recording.id, kind, at_us);
    match removed.await? {
        true => Ok(done("mark removed")),
        false => Err(no_mark()),
    }
}

/// The chapter that viewers see there. A title from before the shown part is at its beginning.
fn place_of(
    recording: &Recording,
    chapters: &[Chapter],
    kind: ChapterKind,
    shown_us: i64,
) -> Option<i64> {
    let start = shown_span(recording).start;
    let is_there = |chapter: &&Chapter| {
        let at_us = match kind {
            ChapterKind::Title => chapter.at_us.max(start),
            ChapterKind::Mark => chapter.at_us,
        };
        chapter.kind == kind && (at_us - start).abs_diff(shown_us) < SAME_PLACE_US.unsigned_abs()
    };
    let mut newest_first = chapters.iter().rev();
    newest_first.find(is_there).map(|chapter| chapter.at_us)
}

fn no_mark() -> Problem {
    Problem::Missing("there is no such chapter".into())
}

/// The log stays for a while after the end.
fn goes_on(recording: &Recording) -> bool {
    matches!(
        recording.state,
        RecordingState::Ring | RecordingState::Recording
    )
}

fn live(app: &App) -> Option<LiveLog> {
    let live = app.archive.live().borrow().clone();
    live.filter(|_| app.archive.is_on_air())
}

fn microseconds(seconds: f64) -> Result<i64, Problem> {
    if seconds.is_nan() || seconds < 0.0 {
        let why = "a time must be in seconds, and not negative";
        return Err(Problem::BadRequest(why.into()));
    }
    // A larger number becomes the largest one.
    Ok((seconds * 1e6).round() as i64)
}

async fn add(
    app: &App,
    recording: &Recording,
    title: String,
    at_us: i64,
) -> Result<Response, Problem> {
    let chapter = Chapter {
        kind: ChapterKind::Mark,
        title,
        at_us,
    };
    let added = app
        .store
        .add_chapter(&recording.id, chapter.clone())
        .await?;
    if !added {
        let why = format!("a recording has {MAX_CHAPTERS} chapters at most");
        return Err(Problem::Conflict(why));
    }
    let start = shown_span(recording).start;
    let told = VideoChapter {
        at: seconds((at_us - start).max(0)),
        title: chapter.title,
        kind: chapter.kind.name(),
    };
    Ok((NO_CACHE, Json(told)).into_response())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::recording::{RecordingId, Visibility};

    use super::*;

    fn trimmed(start_us: i64) -> Recording {
        Recording {
            id: RecordingId::parse("0123456789abcdef").unwrap(),
            stream_id: "s".into(),
            state: RecordingState::Finished,
            title: String::new(),
            summary: String::new(),
            tags: Vec::new(),
            visibility: Visibility::Public,
            is_kept: false,
            keeps_chat: false,
            started_at: Timestamp::UNIX_EPOCH,
            ended_at: None,
            trim_start_us: Some(start_us),
            trim_end_us: None,
            duration_us: 100_000_000,
            bytes: 0,
            deleted_at: None,
        }
    }

    #[test]
    fn a_chapter_is_found_where_viewers_see_it() {
        let chapter = |kind, at_us| Chapter {
            kind,
            title: String::new(),
            at_us,
        };
        let (title, mark) = (ChapterKind::Title, ChapterKind::Mark);
        let chapters = [
            chapter(title, 0),
            chapter(title, 8_000_000),
            chapter(mark, 9_000_000),
            chapter(mark, 12_345_678),
            chapter(title, 15_000_000),
        ];
        let found = |kind, us| place_of(&trimmed(10_000_000), &chapters, kind, us);
        assert_eq!(found(mark, 2_345_678), Some(12_345_678));
        assert_eq!(found(mark, 2_345_000), Some(12_345_678));
        assert_eq!(found(mark, 2_300_000), None);
        assert_eq!(found(title, 5_000_000), Some(15_000_000));
        assert_eq!(found(title, 0), Some(8_000_000), "the last one before");
        assert_eq!(found(mark, 0), None);
    }

    #[test]
    fn a_mark_is_somewhere() {
        assert_eq!(microseconds(1.5).ok(), Some(1_500_000));
        assert_eq!(microseconds(f64::INFINITY).ok(), Some(i64::MAX));
        assert!(microseconds(-0.1).is_err() && microseconds(f64::NAN).is_err());
    }
}
