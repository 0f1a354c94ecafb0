//! The log, for the operator.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::app::{App, LogLine};

/// `GET /api/admin/logs`
pub(crate) async fn logs(State(app): State<App>) -> Json<Value> {
    Json(document(app.logs.recent()))
}

/// `GET /api/admin/logs/warnings`
pub(crate) async fn warnings(State(app): State<App>) -> Json<Value> {
    Json(document(app.logs.warnings()))
}

fn document(lines: Vec<LogLine>) -> Value {
    let lines = lines.into_iter();
    lines
        .map(|line| json!({ "time": line.at, "level": line.level, "message": line.message }))
        .collect()
}
