//! What the operator does with recordings.

use std::sync::Arc;

use archive::vod::{Cut, Replay, nearest_mark};
use archive::{ArchiveError, LiveLog};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use model::recording::{RecordingId, RecordingState, Visibility};
use serde::{Deserialize, Deserializer, Serialize};
use store::{Recording, RecordingChange};
use utoipa::ToSchema;

use super::public::VideosQuery;
use super::unknown;
use super::wire::{Video, VideoChapter, VideoDetail, seconds};
use crate::problem::{Problem, done};
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

/// Limit (operators): characters of a recording's title; a longer one is refused.
const MAX_TITLE_CHARS: usize = 200;
/// Limit (operators): characters of a recording's text; a longer one is refused.
const MAX_SUMMARY_CHARS: usize = 10_000;
/// Limit (operators): tags of a recording; more are refused.
const MAX_TAGS: usize = 20;
/// Limit (operators): characters of a recording's tag; a longer one is refused.
const MAX_TAG_CHARS: usize = 60;

/// A recording as the operator sees it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdminRecording)]
pub(crate) struct AdminVideo {
    #[serde(flatten)]
    video: Video,
    /// `recording` while the stream goes on, then `finished`.
    state: &'static str,
    /// The size of its files.
    bytes: u64,
    /// It is not deleted because it is old or to make room.
    is_kept: bool,
    /// The chat of that time is kept as long as the recording.
    keeps_chat: bool,
    /// The length of everything that was recorded, in seconds.
    recorded_duration: f64,
    /// Where viewers see it begin, in seconds from the beginning of everything; `null` for there.
    #[schema(required = true)]
    trim_start: Option<f64>,
    /// Where viewers see it end, in seconds from the beginning of everything; `null` for its end.
    #[schema(required = true)]
    trim_end: Option<f64>,
    /// What is wrong with it; most often nothing.
    errors: Vec<VideoError>,
}

/// What is wrong with a recording.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecordingError)]
pub(crate) struct VideoError {
    /// `files-missing`: files are missing or too short. `files-elsewhere`: none of its files is on this machine.
    code: &'static str,
    /// For people.
    message: String,
}

impl AdminVideo {
    async fn of(app: &App, recording: &Recording) -> Self {
        Self {
            video: Video::of(app, recording).await,
            state: recording.state.name(),
            bytes: recording.bytes,
            is_kept: recording.is_kept,
            keeps_chat: recording.keeps_chat,
            recorded_duration: seconds(recording.duration_us),
            trim_start: recording.trim_start_us.map(seconds),
            trim_end: recording.trim_end_us.map(seconds),
            errors: errors(app, recording).await,
        }
    }
}

/// Looks at its files.
async fn errors(app: &App, recording: &Recording) -> Vec<VideoError> {
    // Those of one that is being written are not there yet when their rows are.
    if recording.state != RecordingState::Finished {
        return Vec::new();
    }
    let error = match app.archive.look_at_files(&recording.id).await {
        Ok(files) if files.missing == 0 => return Vec::new(),
        Ok(files) if files.missing == files.all => VideoError {
            code: "files-elsewhere",
            message: "None of its files is on this machine.".into(),
        },
        Ok(files) => VideoError {
            code: "files-missing",
            message: format!(
                "{} of {} files are missing or too short.",
                files.missing, files.all
            ),
        },
        Err(error) => {
            model::stranger_line!(warn, "recordings", id = %recording.id, %error, "cannot look at the files of a recording");
            return Vec::new();
        }
    };
    vec![error]
}

/// Recordings, newest first, and what else there is to know.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AdminRecordingPage)]
pub(crate) struct AdminVideoPage {
    total: u64,
    results: Vec<AdminVideo>,
    folder: RecordingsFolder,
    /// What is kept of the stream that is live; `null` while there is nothing.
    #[schema(required = true)]
    live: Option<LiveRecording>,
}

/// The folder of recordings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RecordingsFolder {
    /// What all recordings take.
    bytes: u64,
    /// Room left on the disk; `null` where the system does not say.
    #[schema(required = true)]
    free: Option<u64>,
}

/// What is kept of the stream that is live.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LiveRecording {
    id: String,
    /// It is there for going back in the stream only, and goes with it.
    is_ring: bool,
    /// Nothing is written for now, because the disk is full.
    is_paused: bool,
    /// Parts that are missing because the disk was too slow or full.
    lost: u64,
}

impl From<&LiveLog> for LiveRecording {
    fn from(log: &LiveLog) -> Self {
        Self {
            id: log.recording.to_string(),
            is_ring: log.is_ring,
            is_paused: log.is_paused,
            lost: log.lost,
        }
    }
}

/// A recording with its chapters, as the operator sees it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AdminRecordingDetail)]
pub(crate) struct AdminVideoDetail {
    #[serde(flatten)]
    video: AdminVideo,
    chapters: Vec<VideoChapter>,
}

impl AdminVideoDetail {
    async fn of(app: &App, recording: &Recording) -> Result<Self, Problem> {
        let VideoDetail { chapters, .. } = VideoDetail::of(app, recording).await?;
        Ok(Self {
            video: AdminVideo::of(app, recording).await,
            chapters,
        })
    }
}

/// `GET /api/admin/videos`
pub(crate) async fn list(
    State(app): State<App>,
    query: Result<Query<VideosQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let query = VideosQuery::read(query, false)?;
    let found = app.store.recordings(query).await?;
    let mut results = Vec::with_capacity(found.recordings.len());
    for recording in &found.recordings {
        results.push(AdminVideo::of(&app, recording).await);
    }
    let live = app
        .archive
        .live()
        .borrow()
        .as_ref()
        .filter(|_| app.archive.is_on_air())
        .map(LiveRecording::from);
    let page = AdminVideoPage {
        total: found.total,
        results,
        folder: RecordingsFolder {
            bytes: app.store.recorded_bytes().await?,
            free: app.archive.guard().free().await,
        },
        live,
    };
    Ok((NO_CACHE, Json(page)).into_response())
}

/// `GET /api/admin/videos/{id}`
pub(crate) async fn item(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let recording = find(&app, &id).await?;
    let detail = AdminVideoDetail::of(&app, &recording).await?;
    Ok((NO_CACHE, Json(detail)).into_response())
}

/// One that the operator sees.
pub(super) async fn find(app: &App, id: &str) -> Result<Recording, Problem> {
    let id = RecordingId::parse(id).ok_or_else(unknown)?;
    let found = app.store.recording(&id).await?;
    let seen = found.filter(|recording| {
        matches!(
            recording.state,
            RecordingState::Recording | RecordingState::Finished
        )
    });
    seen.ok_or_else(unknown)
}

/// Changes of a recording; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = RecordingChange)]
pub(crate) struct VideoChange {
    #[schema(value_type = Option<String>, nullable = false)]
    title: Option<String>,
    #[schema(value_type = Option<String>, nullable = false)]
    summary: Option<String>,
    #[schema(value_type = Option<Vec<String>>, nullable = false)]
    tags: Option<Vec<String>>,
    /// `public`, `unlisted` or `private`
    #[schema(value_type = Option<String>, nullable = false)]
    visibility: Option<Visibility>,
    #[schema(nullable = false)]
    is_kept: Option<bool>,
    /// Seconds from the beginning of everything; moved to the nearest place where a player can begin. `null` for the
    /// beginning.
    #[serde(deserialize_with = "also_null")]
    #[schema(value_type = Option<f64>)]
    trim_start: Option<Option<f64>>,
    /// The same for the end.
    #[serde(deserialize_with = "also_null")]
    #[schema(value_type = Option<f64>)]
    trim_end: Option<Option<f64>>,
}

/// `null` is a value here, and not the same as nothing at all.
fn also_null<'de, D: Deserializer<'de>>(given: D) -> Result<Option<Option<f64>>, D::Error> {
    Option::deserialize(given).map(Some)
}

/// `PATCH /api/admin/videos/{id}`
pub(crate) async fn change(
    State(app): State<App>,
    Path(id): Path<String>,
    ApiJson(body): ApiJson<VideoChange>,
) -> Result<Response, Problem> {
    let recording = find(&app, &id).await?;
    let (trim_start_us, trim_end_us) = marks(&app, &recording, &body).await?;
    let change = RecordingChange {
        title: body.title.as_deref().map(title).transpose()?,
        summary: body.summary.as_deref().map(summary).transpose()?,
        tags: body.tags.map(tags).transpose()?,
        visibility: body.visibility,
        is_kept: body.is_kept,
        trim_start_us,
        trim_end_us,
    };
    let now = app.clock.now();
    let changed = app.store.change_recording(&recording.id, change, now).await;
    app.replays.forget(&recording.id);
    let before = recording;
    let recording = changed?.ok_or_else(unknown)?;
    let marks = |recording: &Recording| (recording.trim_start_us, recording.trim_end_us);
    if marks(&before) != marks(&recording) {
        let redrawn = app.archive.redraw_poster(&recording.id).await;
        redrawn.map_err(problem)?;
    }
    let detail = AdminVideoDetail::of(&app, &recording).await?;
    Ok((NO_CACHE, Json(detail)).into_response())
}

pub(super) fn title(text: &str) -> Result<String, Problem> {
    let text = text.trim().to_owned();
    if text.chars().any(char::is_control) {
        return Err(Problem::BadRequest("the title must be one line".into()));
    }
    at_most(text, MAX_TITLE_CHARS)
}

fn summary(text: &str) -> Result<String, Problem> {
    if text.contains('\0') {
        let why = "the summary must not contain NUL characters";
        return Err(Problem::BadRequest(why.into()));
    }
    at_most(text.trim().to_owned(), MAX_SUMMARY_CHARS)
}

fn at_most(text: String, most: usize) -> Result<String, Problem> {
    if text.chars().count() <= most {
        return Ok(text);
    }
    let sentence = sentences::RECORDING_TEXT.with([(most as u64).into()]);
    Err(Problem::BadRequest(sentence.english()).worded(sentence))
}

/// Each once, as they were written first.
fn tags(given: Vec<String>) -> Result<Vec<String>, Problem> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given {
        let tag = tag.trim().trim_start_matches('#').trim().to_owned();
        let is_known = tags
            .iter()
            .any(|known| known.to_lowercase() == tag.to_lowercase());
        if tag.is_empty() || is_known {
            continue;
        }
        let is_line = !tag.chars().any(char::is_control);
        if !is_line || tag.chars().count() > MAX_TAG_CHARS || tags.len() == MAX_TAGS {
            let most = [MAX_TAGS as u64, MAX_TAG_CHARS as u64].map(Into::into);
            let sentence = sentences::RECORDING_TAGS.with(most);
            return Err(Problem::BadRequest(sentence.english()).worded(sentence));
        }
        tags.push(tag);
    }
    Ok(tags)
}

/// A mark to be set, or taken away, or left.
type Mark = Option<Option<i64>>;

/// Both marks, at places where a player can begin, and something between them.
async fn marks(
    app: &App,
    recording: &Recording,
    body: &VideoChange,
) -> Result<(Mark, Mark), Problem> {
    if body.trim_start.is_none() && body.trim_end.is_none() {
        return Ok((None, None));
    }
    if recording.state != RecordingState::Finished {
        return Err(running());
    }
    let timeline = app.archive.timeline(&recording.id).await.map_err(problem)?;
    let whole = Replay::new(Arc::clone(&timeline), Cut::default()).ok_or_else(unknown)?;
    let set = |wanted: f64| {
        // Larger numbers become the largest one, and what is no number the beginning.
        let us = (wanted * 1e6) as i64;
        nearest_mark(&timeline, us)
    };
    // The ends themselves need no mark.
    let start = body.trim_start.map(|wanted| wanted.and_then(set));
    let start = start.map(|mark| mark.filter(|us| *us > whole.start_us()));
    let end = body.trim_end.map(|wanted| wanted.and_then(set));
    let end = end.map(|mark| mark.filter(|us| *us < whole.end_us()));
    let cut = Cut {
        start_us: start.unwrap_or(recording.trim_start_us),
        end_us: end.unwrap_or(recording.trim_end_us),
    };
    if Replay::new(Arc::clone(&timeline), cut).is_none() {
        let sentence = sentences::RECORDING_MARKS.plain();
        return Err(Problem::BadRequest(sentence.english()).worded(sentence));
    }
    Ok((start, end))
}

fn running() -> Problem {
    let sentence = sentences::RECORDING_RUNNING.plain();
    Problem::Conflict(sentence.english()).worded(sentence)
}

pub(super) fn problem(error: ArchiveError) -> Problem {
    match error {
        ArchiveError::Missing(_) => unknown(),
        ArchiveError::Busy => Problem::Unavailable(error.to_string()),
        ArchiveError::NotLive => {
            let problem = Problem::BadRequest(error.to_string());
            problem.worded(sentences::NOT_LIVE.plain())
        }
        ArchiveError::Store(error) => error.into(),
        other => {
            model::stranger_line!(error, "recordings", error = %other, "a recording cannot be read");
            Problem::Internal
        }
    }
}

/// `DELETE /api/admin/videos/{id}`
pub(crate) async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let recording = find(&app, &id).await?;
    if recording.state == RecordingState::Recording {
        return Err(running());
    }
    let deleted = app.store.delete_recording(&recording.id, app.clock.now());
    let deleted = deleted.await;
    app.replays.forget(&recording.id);
    match deleted? {
        true => Ok(done("recording deleted")),
        false => Err(unknown()),
    }
}

/// `POST /api/admin/videos/record`: records the stream that is live, whatever the settings say.
pub(crate) async fn record(State(app): State<App>) -> Result<Response, Problem> {
    app.archive.record_this_one().map_err(problem)?;
    Ok(done("the stream is being recorded"))
}

/// `DELETE /api/admin/videos/record`: what was recorded stays.
pub(crate) async fn stop_recording(State(app): State<App>) -> Result<Response, Problem> {
    app.archive.stop_recording().map_err(problem)?;
    Ok(done("the stream is recorded no longer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_and_null_are_different_changes_of_a_mark() {
        let read = |text: &str| serde_json::from_str::<VideoChange>(text).unwrap();
        assert_eq!(read("{}").trim_start, None);
        assert_eq!(read("{\"trimStart\":null}").trim_start, Some(None));
        assert_eq!(read("{\"trimEnd\":1.5}").trim_end, Some(Some(1.5)));
        let words = read("{\"title\":\"x\",\"visibility\":\"unlisted\",\"isKept\":true}");
        assert_eq!(words.visibility, Some(Visibility::Unlisted));
        assert_eq!(
            (words.title.as_deref(), words.is_kept),
            (Some("x"), Some(true))
        );
        assert!(serde_json::from_str::<VideoChange>("{\"visibility\":\"secret\"}").is_err());
    }

    #[test]
    fn a_tag_is_there_once_and_without_its_sign() {
        let list = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
        let kept = tags(list(&["#Soup", " soup ", "", "Bread", "#"])).unwrap();
        assert_eq!(kept, ["Soup", "Bread"]);
        assert!(tags(list(&["two\nlines"])).is_err());
        assert!(tags(list(&["x".repeat(MAX_TAG_CHARS + 1).as_str()])).is_err());
        let many: Vec<String> = (0..=MAX_TAGS).map(|n| n.to_string()).collect();
        assert!(tags(many).is_err());
    }

    #[test]
    fn titles_are_one_line_and_texts_have_a_length() {
        assert_eq!(title("  Cooking ").unwrap(), "Cooking");
        assert!(title("a\nb").is_err());
        assert!(title(&"ä".repeat(MAX_TITLE_CHARS)).is_ok());
        assert!(title(&"ä".repeat(MAX_TITLE_CHARS + 1)).is_err());
        assert_eq!(summary("a\nb\n").unwrap(), "a\nb");
        assert!(summary("a\0").is_err());
        assert!(summary(&"a".repeat(MAX_SUMMARY_CHARS + 1)).is_err());
    }
}
