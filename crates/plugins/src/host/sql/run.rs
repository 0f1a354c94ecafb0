//! Runs statements, in one transaction per call.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, Row, Statement};
use serde_json::Value;

use super::{ExecResult, MAX_ROWS, QueryResult, SqlRequest, guard, temp_files};

/// Bytes of one answer. A larger one is an error that says how to ask for less.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// Statements in one call. More are refused.
const MAX_STATEMENTS: usize = 200;

pub(super) fn exec(connection: &Connection, request: &SqlRequest) -> Result<ExecResult, String> {
    let before = connection.total_changes();
    let mut params = request.params.iter();
    each_statement(connection, &request.sql, |statement| {
        bind(statement, &mut params)?;
        let mut rows = statement.raw_query();
        // Rows from RETURNING or SELECT are ignored here, but must be stepped through.
        while rows.next().map_err(|error| sentence(&error))?.is_some() {}
        Ok(())
    })?;
    all_used(params.len())?;
    Ok(ExecResult {
        rows_affected: connection.total_changes().saturating_sub(before),
        last_insert_id: connection.last_insert_rowid(),
    })
}

pub(super) fn query(connection: &Connection, request: &SqlRequest) -> Result<QueryResult, String> {
    let mut params = request.params.iter();
    let mut found = None;
    each_statement(connection, &request.sql, |statement| {
        if found.is_some() {
            return Err("a query is one statement; use exec for several".into());
        }
        bind(statement, &mut params)?;
        found = Some(rows(statement, request.enough)?);
        Ok(())
    })?;
    all_used(params.len())?;
    found.ok_or_else(|| "the query is empty".into())
}

fn each_statement(
    connection: &Connection,
    sql: &str,
    mut work: impl FnMut(&mut Statement<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let mut batch = Batch::new(connection, sql);
    let mut count = 0;
    loop {
        guard::forget_tables();
        let Some(mut statement) = batch.next().map_err(|error| sentence(&error))? else {
            return Ok(());
        };
        count += 1;
        if count > MAX_STATEMENTS {
            return Err(format!("there are more than {MAX_STATEMENTS} statements"));
        }
        guard::check_text(&statement.expanded_sql().unwrap_or_default())?;
        let _limits = guard::for_search(connection)?;
        work(&mut statement)?;
    }
}

/// Each statement takes as many values as it has parameters, in order.
fn bind<'a>(
    statement: &mut Statement<'_>,
    params: &mut impl Iterator<Item = &'a rusqlite::types::Value>,
) -> Result<(), String> {
    for place in 1..=statement.parameter_count() {
        let value = params
            .next()
            .ok_or("there are fewer params than placeholders in the SQL")?;
        statement
            .raw_bind_parameter(place, value)
            .map_err(|error| sentence(&error))?;
    }
    Ok(())
}

fn all_used(left: usize) -> Result<(), String> {
    match left {
        0 => Ok(()),
        _ => Err(format!(
            "there are {left} more params than placeholders in the SQL"
        )),
    }
}

fn rows(statement: &mut Statement<'_>, enough: Option<usize>) -> Result<QueryResult, String> {
    let columns: Vec<String> = statement
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut bytes: usize = columns.iter().map(|name| name.len() + 3).sum();
    let most = usize::try_from(MAX_ROWS).unwrap_or(usize::MAX);
    let mut found = QueryResult {
        columns,
        rows: vec![],
        truncated: false,
    };
    let width = found.columns.len();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|error| sentence(&error))? {
        if enough.is_some_and(|enough| found.rows.len() >= enough) {
            found.truncated = true;
            break;
        }
        if found.rows.len() >= most {
            return Err(format!(
                "the answer has more than {MAX_ROWS} rows: add a LIMIT"
            ));
        }
        let values = values(row, width)?;
        bytes += 2 + values.iter().map(size).sum::<usize>();
        if bytes > MAX_ANSWER_BYTES {
            return Err(format!(
                "the answer is larger than {MAX_ANSWER_BYTES} bytes: add a LIMIT or ask for fewer columns"
            ));
        }
        found.rows.push(values);
    }
    Ok(found)
}

pub(super) fn values(row: &Row<'_>, width: usize) -> Result<Vec<Value>, String> {
    (0..width)
        .map(|place| {
            Ok(
                match row.get_ref(place).map_err(|error| sentence(&error))? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(number) => number.into(),
                    // JSON has no infinity.
                    ValueRef::Real(number) => number.into(),
                    ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                    ValueRef::Blob(blob) => BASE64_STANDARD.encode(blob).into(),
                },
            )
        })
        .collect()
}

/// Its approximate size in JSON bytes.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 3,
        _ => 12,
    }
}

/// SQLite's error, worded for the author who has to fix it.
pub(super) fn sentence(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(ErrorCode::AuthorizationForStatementDenied) => {
            "not allowed: a plugin's SQL cannot use ATTACH, PRAGMA, temporary tables, transactions of its own or \
             extensions"
                .into()
        }
        Some(ErrorCode::OperationInterrupted) => {
            "the statement took too long and was ended: add an index or ask for less".into()
        }
        Some(ErrorCode::DiskFull) if temp_files::was_refused() => {
            "the statement sorts or collects more than fits beside the database: add an index or ask for less".into()
        }
        Some(ErrorCode::DiskFull) => "the database is full: delete something first".into(),
        Some(ErrorCode::TooBig) => format!(
            "a text, blob or row is too long: at most {} bytes, and {} bytes where a search table is used",
            guard::MAX_VALUE_BYTES,
            guard::MAX_SEARCH_BYTES
        ),
        _ => error.to_string(),
    }
}
