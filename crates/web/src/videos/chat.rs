//! The chat beside a recording, in time with the picture.
//!
//! Lines are those of the chat, as they are at the moment of reading: what was hidden or deleted, and what somebody wrote
//! who is banned, is not among them.

use archive::vod::ReplayClock;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use axum::{Extension, Json};
use http::HeaderMap;
use http_server::client::ClientInfo;
use jiff::Timestamp;
use model::chat::ChatUser;
use serde::{Deserialize, Serialize};
use store::{ChatMessage, Recording, ReplayCursor};
use utoipa::{IntoParams, ToSchema};

use super::admin::problem;
use super::public::uncached;
use super::watched;
use super::wire::seconds;
use crate::chat::shapes::{WireLine, WireUser};
use crate::problem::Problem;
use crate::state::App;

/// Limit (clients): messages beside a recording in one answer; the next ones are in the next.
const MAX_LINES: u32 = 500;

/// Which part of the chat.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
pub(crate) struct VideoChatQuery {
    /// Messages from this second of what is shown on.
    #[param(required = false, minimum = 0)]
    from: f64,
    /// Messages up to this second; all of them unless it is said.
    #[param(required = false, minimum = 0)]
    to: f64,
    /// What the answer before has as `next`.
    #[param(required = false)]
    after: String,
}

impl Default for VideoChatQuery {
    fn default() -> Self {
        Self {
            from: 0.0,
            to: f64::INFINITY,
            after: String::new(),
        }
    }
}

impl VideoChatQuery {
    /// The positions asked for, in microseconds, and the line after which to go on.
    fn read(&self) -> Result<(i64, i64, Option<ReplayCursor>), Problem> {
        let (from_us, to_us) = (microseconds(self.from)?, microseconds(self.to)?);
        let after = Some(self.after.as_str()).filter(|after| !after.is_empty());
        let after = after.map(|after| {
            let why = "\"after\" must be what another answer has as \"next\"";
            cursor(after).ok_or_else(|| Problem::BadRequest(why.into()))
        });
        Ok((from_us, to_us, after.transpose()?))
    }
}

fn microseconds(seconds: f64) -> Result<i64, Problem> {
    if seconds.is_nan() || seconds < 0.0 {
        let why = "\"from\" and \"to\" must be seconds from the beginning";
        return Err(Problem::BadRequest(why.into()));
    }
    // A larger number becomes the largest one.
    Ok((seconds * 1e6) as i64)
}

/// `1700000000000-42`: when the line was written, and its place in the order of all lines.
fn cursor(text: &str) -> Option<ReplayCursor> {
    let (ms, seq) = text.split_once('-')?;
    Some(ReplayCursor {
        at: Timestamp::from_millisecond(ms.parse().ok()?).ok()?,
        seq: seq.parse().ok()?,
    })
}

fn cursor_text(cursor: ReplayCursor) -> String {
    format!("{}-{}", cursor.at.as_millisecond(), cursor.seq)
}

/// A message with its place in the recording.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplayedLine<'a> {
    #[serde(flatten)]
    line: WireLine<'a>,
    /// Seconds from the beginning of what is shown.
    at: f64,
}

/// A part of the chat.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VideoChatPage<'a> {
    /// In the order of their places.
    messages: Vec<ReplayedLine<'a>>,
    /// Where to go on; `null` if this is all that was asked for.
    #[schema(required = true)]
    next: Option<String>,
}

/// A stored line where it belongs.
struct PlacedLine {
    at_us: i64,
    message: ChatMessage,
    /// As everybody sees its author.
    user: Option<ChatUser>,
}

impl PlacedLine {
    fn new(at_us: i64, message: ChatMessage) -> Self {
        Self {
            at_us,
            user: message.user.as_ref().map(store::User::public),
            message,
        }
    }

    fn wire(&self) -> ReplayedLine<'_> {
        let message = &self.message;
        ReplayedLine {
            line: WireLine {
                id: &message.id,
                timestamp: message.at,
                kind: message.kind.as_str(),
                user: self.user.as_ref().map(WireUser::from),
                body: &message.body,
                hidden_at: None,
                deleted_at: None,
                pinned_at: None,
                in_reply_to: message.reply.as_ref().map(Into::into),
            },
            at: seconds(self.at_us),
        }
    }
}

/// `GET /api/videos/{id}/chat`
pub(crate) async fn chat(
    State(app): State<App>,
    Extension(client): Extension<ClientInfo>,
    Path(id): Path<String>,
    query: Result<Query<VideoChatQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Query(query) = query.map_err(|error| Problem::BadRequest(error.body_text()))?;
    let (from_us, to_us, after) = query.read()?;
    let recording = watched(&app, &id, &client, &headers).await?;
    let mut lines = Vec::new();
    let mut next = None;
    if let Some(clock) = clock_of(&app, &recording).await?
        && let Some((from, to)) = times(&recording, &clock, from_us, to_us)
    {
        let stored = app.store.replayed_messages(from, to, after, MAX_LINES);
        let stored = stored.await?;
        if stored.len() >= MAX_LINES as usize {
            next = stored.last().map(|last| cursor_text(last.into()));
        }
        lines = placed(stored, &clock, from_us, to_us);
    }
    let page = VideoChatPage {
        messages: lines.iter().map(PlacedLine::wire).collect(),
        next,
    };
    Ok(uncached(&app, Json(page)))
}

/// The times of a recording that keeps its chat; `None` without a chat or without anything to see.
async fn clock_of(app: &App, recording: &Recording) -> Result<Option<ReplayClock>, Problem> {
    if !recording.keeps_chat {
        return Ok(None);
    }
    let now = app.clock.uptime();
    let open = app
        .replays
        .get(&app.store, &app.archive, &recording.id, now);
    let open = open.await.map_err(problem)?;
    Ok(open.map(|open| open.replay.clock()))
}

/// From when to when lines were written that belong between two positions, and maybe some more.
fn times(
    recording: &Recording,
    clock: &ReplayClock,
    from_us: i64,
    to_us: i64,
) -> Option<(Timestamp, Timestamp)> {
    let (from_ms, to_ms) = clock.wall_clock_of(from_us, to_us)?;
    let from = recording.started_at.as_millisecond().max(from_ms);
    let to = recording
        .ended_at
        .map_or(to_ms, |end| end.as_millisecond().min(to_ms));
    let time = |ms| Timestamp::from_millisecond(ms).ok();
    // Only an end that nobody knows can be out of the range of times.
    Some((time(from)?, time(to).unwrap_or(Timestamp::MAX)))
}

/// The lines that belong between two positions, where they belong. The clock may have been set back, so their order is
/// not that of their times.
fn placed(
    stored: Vec<ChatMessage>,
    clock: &ReplayClock,
    from_us: i64,
    to_us: i64,
) -> Vec<PlacedLine> {
    let mut lines: Vec<PlacedLine> = stored
        .into_iter()
        .filter_map(|message| {
            let at_us = clock.at_wall_clock(message.at.as_millisecond())?;
            let is_asked = (from_us..=to_us).contains(&at_us);
            is_asked.then(|| PlacedLine::new(at_us, message))
        })
        .collect();
    lines.sort_by_key(|line| line.at_us);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_to_go_on_is_understood_and_nothing_else() {
        let cursor = cursor("1700000000123-42").unwrap();
        assert_eq!(cursor.at.as_millisecond(), 1_700_000_000_123);
        assert_eq!(cursor.seq, 42);
        assert_eq!(cursor_text(cursor), "1700000000123-42");
        for bad in [
            "",
            "-",
            "1700000000123",
            "a-1",
            "1-a",
            "99999999999999999-1",
        ] {
            assert_eq!(super::cursor(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_part_is_asked_for_in_seconds_from_the_beginning() {
        let asked = |from, to| {
            let after = String::new();
            let query = VideoChatQuery { from, to, after };
            query.read().map(|(from, to, _)| (from, to)).ok()
        };
        assert_eq!(asked(1.5, 2.0), Some((1_500_000, 2_000_000)));
        assert_eq!(asked(0.0, 1e300), Some((0, i64::MAX)));
        for bad in [-1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(asked(bad, 1.0), None);
            assert_eq!(asked(0.0, bad), None);
        }
        let all = VideoChatQuery::default().read().ok();
        assert_eq!(all, Some((0, i64::MAX, None)));
    }
}
