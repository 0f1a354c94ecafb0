//! The plugin's own database.

mod guard;
mod inspect;
mod run;
mod temp_files;
mod worker;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::args;
use crate::host::plugin_host::Host;

pub use inspect::{MAX_SHOWN_ROWS, Table, Tables};
pub(super) use worker::Database;

/// Bytes of one request. A larger one is refused.
const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// Values beside the SQL. More are refused.
const MAX_PARAMS: usize = 64;

/// Rows of one answer. Asking for everything when there is more is an error, so that nobody works on half of it.
const MAX_ROWS: i64 = 10_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SqlArgs {
    #[serde(deserialize_with = "args::text")]
    sql: String,
    params: Option<Vec<Value>>,
    max_rows: Option<i64>,
}

/// A request to the database.
#[derive(Debug)]
struct SqlRequest {
    sql: String,
    params: Vec<rusqlite::types::Value>,
    /// How many rows suffice; `None` asks for all.
    enough: Option<usize>,
}

/// The result of statements.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExecResult {
    rows_affected: u64,
    last_insert_id: i64,
}

/// The result of a query.
#[derive(Debug, Serialize)]
struct QueryResult {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

pub(super) async fn exec(host: &Host, args: &str) -> Result<String, String> {
    let request = request(args)?;
    let changed = host
        .database
        .run(move |connection| run::exec(connection, &request))
        .await?;
    args::answer(&changed)
}

pub(super) async fn query(host: &Host, args: &str) -> Result<String, String> {
    let request = request(args)?;
    let found = host
        .database
        .run(move |connection| run::query(connection, &request))
        .await?;
    args::answer(&found)
}

impl Host {
    /// The plugin's own database, for its author: its first tables, each with its first rows.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn tables(&self) -> Result<Tables, String> {
        match self.database.is_idle() {
            true => Ok(Tables::default()),
            false => self.database.run(inspect::tables).await,
        }
    }
}

fn request(args: &str) -> Result<SqlRequest, String> {
    if args.len() > MAX_REQUEST_BYTES {
        return Err(format!(
            "the request has {} bytes, at most {MAX_REQUEST_BYTES} are allowed",
            args.len()
        ));
    }
    let sql_args: SqlArgs = args::read(args)?;
    let params = sql_args.params.unwrap_or_default();
    if params.len() > MAX_PARAMS {
        return Err(format!(
            "there are {} params, at most {MAX_PARAMS} are allowed",
            params.len()
        ));
    }
    let params = params.into_iter().enumerate();
    let params =
        params.map(|(place, value)| bound(&value).map_err(|why| format!("params[{place}] {why}")));
    let enough = match sql_args.max_rows.unwrap_or(0) {
        0 => None,
        wanted @ 1..=MAX_ROWS => usize::try_from(wanted).ok(),
        wanted => {
            return Err(format!("maxRows is {wanted}, it must be 0 to {MAX_ROWS}"));
        }
    };
    Ok(SqlRequest {
        sql: sql_args.sql,
        params: params.collect::<Result<_, _>>()?,
        enough,
    })
}

fn bound(value: &Value) -> Result<rusqlite::types::Value, String> {
    use rusqlite::types::Value as Bound;
    match value {
        Value::Null => Ok(Bound::Null),
        Value::Bool(flag) => Ok(Bound::Integer(i64::from(*flag))),
        Value::Number(number) if number.is_u64() && !number.is_i64() => {
            Err("is a whole number beyond 64 bits with a sign".into())
        }
        Value::Number(number) => Ok(match (args::whole(value), number.as_f64()) {
            (Some(whole), _) => Bound::Integer(whole),
            (None, Some(float)) => Bound::Real(float),
            (None, None) => Bound::Null,
        }),
        Value::String(text) => Ok(Bound::Text(text.clone())),
        Value::Array(_) | Value::Object(_) => {
            Err("is a list or an object: pass null, true, false, a number or a text".into())
        }
    }
}
