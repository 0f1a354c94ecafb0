//! The log, for the operator.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::words;
use crate::state::{App, LogLine};

/// A line of the log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LogLine)]
pub(crate) struct LogEntry {
    time: Timestamp,
    #[schema(schema_with = words::log_level)]
    level: &'static str,
    message: String,
}

/// `GET /api/admin/logs`
pub(crate) async fn logs(State(app): State<App>) -> Json<Vec<LogEntry>> {
    Json(document(app.logs.recent()))
}

/// `GET /api/admin/logs/warnings`
pub(crate) async fn warnings(State(app): State<App>) -> Json<Vec<LogEntry>> {
    Json(document(app.logs.warnings()))
}

/// Lines as they are answered with.
pub(crate) fn document(lines: Vec<LogLine>) -> Vec<LogEntry> {
    let lines = lines.into_iter();
    lines
        .map(|line| LogEntry {
            time: line.at,
            level: line.level,
            message: line.message,
        })
        .collect()
}
