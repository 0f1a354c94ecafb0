//! Recordings on the wire.

use jiff::Timestamp;
use model::recording::Visibility;
use serde::Serialize;
use store::{Chapter, Recording};
use utoipa::ToSchema;

use super::shown_span;
use crate::state::App;

/// A recording as viewers see it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Recording)]
pub(crate) struct Video {
    pub(super) id: String,
    /// May be empty.
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) tags: Vec<String>,
    /// When the stream began.
    pub(super) started_at: Timestamp,
    /// Seconds.
    pub(super) duration: f64,
    /// `public`, `unlisted` or `private`
    pub(super) visibility: &'static str,
    /// The address of a picture; empty if there is none.
    pub(super) thumbnail: String,
    /// The address of the HLS playlist.
    pub(super) playlist: String,
    /// Whether the chat of that time is kept with it.
    pub(super) has_chat: bool,
}

impl Video {
    pub(super) async fn of(app: &App, recording: &Recording) -> Self {
        let id = &recording.id;
        let span = shown_span(recording);
        let thumbnail = match app.archive.has_poster(id).await {
            true => poster_path(id.as_str()),
            false => String::new(),
        };
        Self {
            id: id.to_string(),
            title: recording.title.clone(),
            summary: recording.summary.clone(),
            tags: recording.tags.clone(),
            started_at: recording.started_at,
            duration: seconds(span.end - span.start),
            visibility: visibility(recording.visibility),
            thumbnail,
            playlist: format!("/hls/videos/{id}/stream.m3u8"),
            has_chat: recording.keeps_chat,
        }
    }
}

/// Recordings, newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecordingPage)]
pub(crate) struct VideoPage {
    pub(super) total: u64,
    pub(super) results: Vec<Video>,
}

/// A recording with its chapters.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecordingDetail)]
pub(crate) struct VideoDetail {
    #[serde(flatten)]
    pub(super) video: Video,
    pub(super) chapters: Vec<VideoChapter>,
}

impl VideoDetail {
    pub(super) async fn of(app: &App, recording: &Recording) -> Result<Self, store::StoreError> {
        let chapters = app.store.chapters(&recording.id).await?;
        Ok(Self {
            video: Video::of(app, recording).await,
            chapters: shown_chapters(recording, chapters),
        })
    }
}

/// A place in a recording that has a name.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = RecordingChapter)]
pub(crate) struct VideoChapter {
    /// Seconds from the beginning of what is shown.
    pub(super) at: f64,
    pub(super) title: String,
    /// `title`: the stream got this title. `mark`: the operator set a mark.
    pub(super) kind: &'static str,
}

/// The chapters of what is shown. The title that the stream had at its beginning is the first.
pub(super) fn shown_chapters(recording: &Recording, chapters: Vec<Chapter>) -> Vec<VideoChapter> {
    let span = shown_span(recording);
    let is_before = |chapter: &Chapter| chapter.at_us <= span.start;
    let is_title = |chapter: &Chapter| chapter.kind == store::ChapterKind::Title;
    let first = chapters
        .iter()
        .rposition(|chapter| is_before(chapter) && is_title(chapter));
    let shown = chapters.into_iter().enumerate().filter(|(place, chapter)| {
        Some(*place) == first || (chapter.at_us >= span.start && chapter.at_us < span.end)
    });
    shown
        .map(|(_, chapter)| VideoChapter {
            at: seconds((chapter.at_us - span.start).max(0)),
            title: chapter.title,
            kind: chapter.kind.name(),
        })
        .collect()
}

pub(super) fn poster_path(id: &str) -> String {
    format!("/hls/videos/{id}/poster.jpg")
}

pub(super) fn visibility(visibility: Visibility) -> &'static str {
    visibility.name()
}

/// Exact for every recording that fits on a disk.
pub(super) fn seconds(us: i64) -> f64 {
    us as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use model::recording::{RecordingId, RecordingState};
    use store::ChapterKind;

    use super::*;

    fn recording(trim: (Option<i64>, Option<i64>)) -> Recording {
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
            trim_start_us: trim.0,
            trim_end_us: trim.1,
            duration_us: 100_000_000,
            bytes: 0,
            deleted_at: None,
        }
    }

    fn chapter(kind: ChapterKind, title: &str, at_s: i64) -> Chapter {
        Chapter {
            kind,
            title: title.into(),
            at_us: at_s * 1_000_000,
        }
    }

    #[test]
    fn times_count_from_where_the_shown_part_begins() {
        let chapters = vec![
            chapter(ChapterKind::Title, "before", 0),
            chapter(ChapterKind::Title, "at the beginning", 10),
            chapter(ChapterKind::Mark, "cut away", 15),
            chapter(ChapterKind::Mark, "inside", 30),
            chapter(ChapterKind::Title, "behind", 60),
        ];
        let cut = recording((Some(20_000_000), Some(60_000_000)));
        let shown = shown_chapters(&cut, chapters.clone());
        let told: Vec<(f64, &str)> = shown
            .iter()
            .map(|chapter| (chapter.at, chapter.title.as_str()))
            .collect();
        assert_eq!(told, [(0.0, "at the beginning"), (10.0, "inside")]);
        let whole = shown_chapters(&recording((None, None)), chapters);
        assert_eq!(whole.len(), 5);
    }

    #[test]
    fn marks_outside_of_a_recording_are_its_ends() {
        let span = |start, end| shown_span(&recording((start, end)));
        assert_eq!(span(None, None), 0..100_000_000);
        assert_eq!(span(Some(-5), Some(i64::MAX)), 0..100_000_000);
        assert_eq!(span(Some(50), Some(20)), 50..50);
    }
}
