//! Inspects a database for the plugin's author: its tables, and the first rows of each.

use rusqlite::Connection;
use serde::Serialize;
use serde_json::Value;

use super::run::{self, sentence};

/// Tables that are shown. Further ones are only counted.
const MAX_SHOWN_TABLES: usize = 50;

/// Rows of a table that are shown; how many there are in all is said beside them.
pub const MAX_SHOWN_ROWS: usize = 50;

/// Characters of a value that are shown. A longer one is cut.
const MAX_SHOWN_CHARS: usize = 500;

/// Bytes of all rows that are shown. When they are used up, further rows are left out.
const MAX_SHOWN_BYTES: usize = 1024 * 1024;

/// What is a table of the plugin's.
const IS_TABLE: &str = "type = 'table' AND substr(name, 1, 7) <> 'sqlite_'";

/// Stands where a value was cut.
const CUT: char = '…';

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// The first tables, in name order.
    pub first: Vec<Table>,
    /// The number of tables.
    pub count: u64,
}

/// A table and its first rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    pub name: String,
    /// Its column names.
    pub columns: Vec<String>,
    /// Its first rows; values are truncated, blobs are base64.
    pub rows: Vec<Vec<Value>>,
    /// The number of rows.
    pub count: u64,
}

pub(super) fn tables(connection: &Connection) -> Result<Tables, String> {
    let (names, count) = names(connection).map_err(|error| sentence(&error))?;
    let mut room = MAX_SHOWN_BYTES;
    let first = names
        .into_iter()
        .map(|name| table(connection, name, &mut room))
        .collect::<Result<_, _>>()?;
    Ok(Tables { first, count })
}

/// The first names, and the number of all.
fn names(connection: &Connection) -> rusqlite::Result<(Vec<String>, u64)> {
    let count: i64 = connection.query_row(
        &format!("SELECT count(*) FROM sqlite_schema WHERE {IS_TABLE}"),
        [],
        |row| row.get(0),
    )?;
    let mut statement = connection.prepare(&format!(
        "SELECT name FROM sqlite_schema WHERE {IS_TABLE} ORDER BY name LIMIT {MAX_SHOWN_TABLES}"
    ))?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok((
        names.collect::<rusqlite::Result<_>>()?,
        count.unsigned_abs(),
    ))
}

fn table(connection: &Connection, name: String, room: &mut usize) -> Result<Table, String> {
    let quoted = name.replace('"', "\"\"");
    let count: i64 = connection
        .query_row(&format!("SELECT count(*) FROM \"{quoted}\""), [], |row| {
            row.get(0)
        })
        .map_err(|error| sentence(&error))?;
    let mut statement = connection
        .prepare(&format!(
            "SELECT * FROM \"{quoted}\" LIMIT {MAX_SHOWN_ROWS}"
        ))
        .map_err(|error| sentence(&error))?;
    let columns: Vec<String> = statement
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut found = statement.query([]).map_err(|error| sentence(&error))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next().map_err(|error| sentence(&error))? {
        let values = run::values(row, columns.len())?;
        let values: Vec<Value> = values.into_iter().map(shown).collect();
        let Some(left) = room.checked_sub(values.iter().map(run::size).sum()) else {
            break;
        };
        *room = left;
        rows.push(values);
    }
    Ok(Table {
        name,
        columns,
        rows,
        count: count.unsigned_abs(),
    })
}

fn shown(value: Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(MAX_SHOWN_CHARS) {
            Some((end, _)) => format!("{}{CUT}", &text[..end]).into(),
            None => text.into(),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tables_are_shown_with_their_first_rows_and_how_many_there_are() {
        let connection = Connection::open_in_memory().unwrap();
        let long = "ä".repeat(MAX_SHOWN_CHARS + 1);
        connection
            .execute_batch(&format!(
                "CREATE TABLE \"odd \"\"name\" (id INTEGER PRIMARY KEY AUTOINCREMENT, what);
                 INSERT INTO \"odd \"\"name\" (what) VALUES ('{long}'), (NULL), (x'00ff');
                 CREATE TABLE many (n);
                 WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 60) INSERT INTO many SELECT n FROM c;"
            ))
            .unwrap();
        let Tables {
            first: found,
            count,
        } = tables(&connection).unwrap();
        assert_eq!(count, 2);
        let names: Vec<&str> = found.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["many", "odd \"name"]);
        assert_eq!((found[0].rows.len(), found[0].count), (MAX_SHOWN_ROWS, 60));
        let mut room = 30;
        let cut = table(&connection, "many".to_owned(), &mut room).unwrap();
        assert_eq!((cut.rows.len(), cut.count, room), (2, 60, 6));
        let odd = &found[1];
        assert_eq!(odd.columns, ["id", "what"]);
        let cut = format!("{}{CUT}", "ä".repeat(MAX_SHOWN_CHARS));
        assert_eq!(odd.rows[0], [json!(1), json!(cut)]);
        assert_eq!(odd.rows[1], [json!(2), json!(null)]);
        assert_eq!(odd.rows[2], [json!(3), json!("AP8=")]);
    }

    #[test]
    fn tables_that_are_not_shown_are_counted() {
        let connection = Connection::open_in_memory().unwrap();
        for number in 0..=MAX_SHOWN_TABLES {
            let sql = format!("CREATE TABLE t{number:03} (id INTEGER PRIMARY KEY AUTOINCREMENT)");
            connection.execute_batch(&sql).unwrap();
        }
        let found = tables(&connection).unwrap();
        assert_eq!(found.first.len(), MAX_SHOWN_TABLES);
        assert_eq!(found.first[0].name, "t000");
        assert_eq!(found.count, MAX_SHOWN_TABLES as u64 + 1);
    }
}
