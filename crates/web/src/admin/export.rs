//! Files for the operator: the list of broadcasts, the viewers of one, the log of its chat.
//!
//! Tables begin with a byte order mark and are safe to open (see [`crate::csv`]); JSON is the same without either. Times
//! are in UTC.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::{HeaderValue, header};
use jiff::Timestamp;
use model::settings::table::chat::LOG_EXPORT;
use serde::{Deserialize, Serialize};
use store::{AudiencePoint, ExportedMessage, Store, StoreError};
use utoipa::{IntoParams, ToSchema};

use super::audience::{WireAudiencePoint, hundredths};
use super::past_stream::{StreamSummary, read};
use crate::csv::{self, BYTE_ORDER_MARK};
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::App;

/// Limit (operators): broadcasts in one exported list, the newest; older ones are left out.
const MAX_STREAMS: u32 = 10_000;
/// Limit (operators): lines of the chat in one exported file; the next file begins `after` the last of them.
const MAX_LINES: u32 = 50_000;
/// Lines that are read and sent at once.
const PIECE_LINES: u32 = 500;

const CSV: &str = "text/csv; charset=utf-8";
const JSON: &str = "application/json";

const STREAM_COLUMNS: [&str; 10] = [
    "id",
    "title",
    "started at",
    "ended at",
    "peak viewers",
    "average viewers",
    "watch time (seconds)",
    "peak chat connections",
    "chat messages",
    "chatters",
];
const VIEWER_COLUMNS: [&str; 6] = [
    "time",
    "viewers",
    "peak viewers",
    "chat connections",
    "peak chat connections",
    "chat messages",
];
const CHAT_COLUMNS: [&str; 7] = [
    "position", "time", "kind", "user id", "name", "text", "hidden",
];

/// A file to be saved under this name, which is made of letters, digits, dots and hyphens.
fn file(name: &str, media_type: &'static str, body: Body) -> Response {
    let mut response = (NO_CACHE, [(header::CONTENT_TYPE, media_type)], body).into_response();
    let disposition = format!("attachment; filename=\"{name}\"");
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

fn named(response: Response, name: &str) -> Response {
    let (_, body) = response.into_parts();
    file(name, JSON, body)
}

/// `GET /api/admin/streams.csv`
pub(crate) async fn streams_csv(State(app): State<App>) -> Result<Response, Problem> {
    let mut text = BYTE_ORDER_MARK.to_owned() + &csv::row(&STREAM_COLUMNS);
    for summary in summaries(&app).await? {
        text.push_str(&csv::row(&summary.cells()));
    }
    Ok(file(&streams_name(&app, "csv"), CSV, text.into()))
}

/// `GET /api/admin/streams.json`
pub(crate) async fn streams_json(State(app): State<App>) -> Result<Response, Problem> {
    let summaries = Json(summaries(&app).await?).into_response();
    Ok(named(summaries, &streams_name(&app, "json")))
}

async fn summaries(app: &App) -> Result<Vec<StreamSummary>, Problem> {
    let streams = app
        .store
        .streams_with_totals(MAX_STREAMS)
        .await?
        .into_iter();
    let summaries = streams.map(|(record, totals)| StreamSummary::new(record, totals));
    Ok(summaries.collect())
}

fn streams_name(app: &App, ending: &str) -> String {
    format!("streams-{}.{ending}", app.clock.now().strftime("%Y-%m-%d"))
}

/// A file about one broadcast is named after its beginning.
fn name_of(what: &str, started_at: Timestamp, ending: &str) -> String {
    format!("{what}-{}.{ending}", started_at.strftime("%Y-%m-%d-%H%M"))
}

/// `GET /api/admin/streams/{id}/viewers.csv`
pub(crate) async fn viewers_csv(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let audience = read(&app, &id).await?;
    let mut text = BYTE_ORDER_MARK.to_owned() + &csv::row(&VIEWER_COLUMNS);
    for point in &audience.points {
        text.push_str(&csv::row(&viewer_cells(point)));
    }
    let name = name_of("viewers", audience.record.started_at, "csv");
    Ok(file(&name, CSV, text.into()))
}

fn viewer_cells(point: &AudiencePoint) -> [String; 6] {
    [
        point.at.to_string(),
        hundredths(point.viewers).to_string(),
        point.peak_viewers.to_string(),
        hundredths(point.chat_clients).to_string(),
        point.peak_chat_clients.to_string(),
        point.messages.to_string(),
    ]
}

/// `GET /api/admin/streams/{id}/viewers.json`
pub(crate) async fn viewers_json(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let audience = read(&app, &id).await?;
    let name = name_of("viewers", audience.record.started_at, "json");
    let points = audience.points.into_iter();
    let points: Vec<WireAudiencePoint> = points.map(Into::into).collect();
    Ok(named(Json(points).into_response(), &name))
}

/// Where to go on.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct ChatLogQuery {
    /// The position of the last line of the file before; at most 50,000 lines are in one.
    #[serde(default)]
    #[param(required = false, minimum = 0)]
    after: i64,
}

/// A line of the chat in an exported log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatLogLine {
    position: i64,
    time: Timestamp,
    /// `CHAT` if a person wrote it.
    kind: String,
    /// Empty for lines of the server, like the name.
    user_id: String,
    name: String,
    /// As typed.
    text: String,
    is_hidden: bool,
}

/// `GET /api/admin/streams/{id}/chat.csv`
pub(crate) async fn chat_csv(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<ChatLogQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    chat_log(&app, &id, query, ChatLogFormat::Csv).await
}

/// `GET /api/admin/streams/{id}/chat.json`
pub(crate) async fn chat_json(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<ChatLogQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    chat_log(&app, &id, query, ChatLogFormat::Json).await
}

async fn chat_log(
    app: &App,
    id: &str,
    query: Result<Query<ChatLogQuery>, QueryRejection>,
    format: ChatLogFormat,
) -> Result<Response, Problem> {
    let expected = "\"after\" must be the position of a line";
    let Query(query) = query.map_err(|_| Problem::BadRequest(expected.into()))?;
    let record = app.store.stream(id).await?;
    let record = record.ok_or_else(|| {
        let problem = Problem::Missing("there is no such stream".into());
        problem.worded(sentences::NO_SUCH_STREAM.plain())
    })?;
    if !*app.settings.now().get(&LOG_EXPORT) {
        let text =
            "the log of the chat cannot be exported; allow it with the setting chat_log_export";
        let problem = Problem::Forbidden(text.into());
        return Err(problem.worded(sentences::NO_CHAT_EXPORT.plain()));
    }
    let log = ChatLogReader {
        store: app.store.clone(),
        from: record.started_at,
        to: record.ended_at.unwrap_or_else(|| app.clock.now()),
        after: Some(query.after),
        lines_left: MAX_LINES,
        is_begun: false,
        format,
    };
    let body = Body::from_stream(stream::try_unfold(log, |mut log| async move {
        let piece = log.next().await?;
        Ok::<_, StoreError>(piece.map(|piece| (piece, log)))
    }));
    let (ending, media_type) = match format {
        ChatLogFormat::Csv => ("csv", CSV),
        ChatLogFormat::Json => ("json", JSON),
    };
    let name = name_of("chat", record.started_at, ending);
    Ok(file(&name, media_type, body))
}

#[derive(Clone, Copy, Debug)]
enum ChatLogFormat {
    Csv,
    Json,
}

/// Reads a log piece by piece, so that a long one is never in memory.
#[derive(Debug)]
struct ChatLogReader {
    store: Store,
    from: Timestamp,
    to: Timestamp,
    /// The position to go on after; `None` when everything was read.
    after: Option<i64>,
    lines_left: u32,
    is_begun: bool,
    format: ChatLogFormat,
}

impl ChatLogReader {
    async fn next(&mut self) -> Result<Option<Bytes>, StoreError> {
        let Some(after) = self.after else {
            return Ok(None);
        };
        let limit = PIECE_LINES.min(self.lines_left);
        let lines = self
            .store
            .messages_between(self.from, self.to, after, limit)
            .await?;
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        self.lines_left = self.lines_left.saturating_sub(count);
        let is_last = count < limit || self.lines_left == 0;
        self.after = lines.last().filter(|_| !is_last).map(|line| line.seq);
        Ok(Some(self.write(lines, is_last).into()))
    }

    fn write(&mut self, lines: Vec<ExportedMessage>, is_last: bool) -> String {
        let is_first = !self.is_begun;
        self.is_begun = true;
        let mut text = String::new();
        match self.format {
            ChatLogFormat::Csv => {
                if is_first {
                    text.push_str(BYTE_ORDER_MARK);
                    text.push_str(&csv::row(&CHAT_COLUMNS));
                }
                for line in lines {
                    text.push_str(&csv::row(&chat_cells(line)));
                }
            }
            ChatLogFormat::Json => {
                text.push_str(if is_first { "[" } else { "" });
                for (number, line) in lines.into_iter().enumerate() {
                    text.push_str(if is_first && number == 0 { "\n" } else { ",\n" });
                    text.push_str(&in_json(line));
                }
                text.push_str(if is_last { "\n]\n" } else { "" });
            }
        }
        text
    }
}

fn chat_cells(line: ExportedMessage) -> [String; 7] {
    [
        line.seq.to_string(),
        line.at.to_string(),
        line.kind,
        line.user_id,
        line.display_name,
        line.text,
        line.is_hidden.to_string(),
    ]
}

fn in_json(line: ExportedMessage) -> String {
    let line = ChatLogLine {
        position: line.seq,
        time: line.at,
        kind: line.kind,
        user_id: line.user_id,
        name: line.display_name,
        text: line.text,
        is_hidden: line.is_hidden,
    };
    serde_json::to_string(&line).expect("a line is made of texts and numbers")
}
