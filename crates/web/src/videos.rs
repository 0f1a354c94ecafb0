//! Recordings of broadcasts, for viewers and for the operator.
//!
//! Who may see one is said once, in [`may_watch`], for its page, its documents, its lists and its bytes. The gate for
//! viewers stands before all of them: before media in [`crate::hls`], before the rest in the layers of the routes.

mod admin;
mod chat;
mod marks;
mod media;
mod page;
mod public;
mod wire;

use std::ops::Range;

use http::{HeaderMap, Method};
use http_server::client::ClientInfo;
use model::recording::{RecordingId, RecordingState, Visibility};
use store::{Recording, StoreError};

pub(crate) use admin::{
    AdminVideoDetail, AdminVideoPage, VideoChange, change, delete, item as admin_item,
    list as admin_list, record, stop_recording,
};
pub(crate) use chat::{VideoChatPage, VideoChatQuery, chat};
pub(crate) use marks::{LiveMarkRequest, MarkQuery, MarkRequest, add_mark, mark_live, remove_mark};
pub(crate) use media::answer as media;
pub(crate) use page::{embed as embed_page, list as list_page, watch as watch_page};
pub(crate) use public::{VideosQuery, item, list};
pub(crate) use wire::{VideoChapter, VideoDetail, VideoPage};

use crate::guard::is_operator;
use crate::problem::Problem;
use crate::sentences;
use crate::state::App;

/// Whether this caller may see a recording: nobody sees one that is not complete, and a private one only the operator.
pub(crate) async fn may_watch(
    app: &App,
    recording: &Recording,
    client: &ClientInfo,
    headers: &HeaderMap,
) -> bool {
    if recording.state != RecordingState::Finished {
        return false;
    }
    match recording.visibility {
        Visibility::Public | Visibility::Unlisted => true,
        Visibility::Private => {
            let asked = is_operator(app, client, &Method::GET, headers).await;
            matches!(asked, Ok(true))
        }
    }
}

/// The recording with this id. For those who may not see it there is none.
pub(crate) async fn watched(
    app: &App,
    id: &str,
    client: &ClientInfo,
    headers: &HeaderMap,
) -> Result<Recording, Problem> {
    let found = find_watched(app, id, client, headers).await?;
    found.ok_or_else(unknown)
}

/// The same for callers that say by themselves that there is none.
async fn find_watched(
    app: &App,
    id: &str,
    client: &ClientInfo,
    headers: &HeaderMap,
) -> Result<Option<Recording>, StoreError> {
    let Some(id) = RecordingId::parse(id) else {
        return Ok(None);
    };
    let Some(recording) = app.store.recording(&id).await? else {
        return Ok(None);
    };
    let may_watch = may_watch(app, &recording, client, headers).await;
    Ok(may_watch.then_some(recording))
}

fn unknown() -> Problem {
    let problem = Problem::Missing("there is no such recording".into());
    problem.worded(sentences::RECORDING_UNKNOWN.plain())
}

/// What viewers see of a recording, in microseconds from its beginning. Times that are told to them begin where this
/// begins.
pub(crate) fn shown_span(recording: &Recording) -> Range<i64> {
    let whole = recording.duration_us.max(0);
    let start = recording.trim_start_us.unwrap_or(0).clamp(0, whole);
    let end = recording.trim_end_us.unwrap_or(whole).clamp(start, whole);
    start..end
}
