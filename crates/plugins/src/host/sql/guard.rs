//! Restricts what SQL may do.
//!
//! Two lines of defence: SQLite's authorizer is asked about every action of a statement at compile time, and the first
//! word of each compiled statement is checked too, because some statements act without asking.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;

use super::run::sentence;

/// Bytes of one text, blob or row. A larger one is an error.
pub(super) const MAX_VALUE_BYTES: i32 = 1024 * 1024;

/// Bytes of one text or row in a statement that uses a search table, and of what is searched for. A larger one is an error.
/// What a search costs grows with the one times the other, and the clock does not interrupt it within a row.
pub(super) const MAX_SEARCH_BYTES: i32 = 4 * 1024;

/// What SQLite allows of columns while a search table is made; about six fewer are left for its own columns and options. A
/// row of one that keeps no texts has no limit but that of each column.
const MAX_SEARCH_COLUMNS: i32 = 16;

/// Limits of SQLite that keep one statement from taking much more time or memory than it looks.
const LIMITS: [(Limit, i32); 9] = [
    (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 * 1024),
    (Limit::SQLITE_LIMIT_COLUMN, 256),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    // Pattern matching is the one thing the deadline cannot interrupt, so patterns stay short.
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 20),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// First words of statements that are refused, and why.
const REFUSED: [(&str, &str); 11] = [
    ("ATTACH", OTHER_FILES),
    ("DETACH", OTHER_FILES),
    ("VACUUM", OTHER_FILES),
    ("PRAGMA", "settings of the database are the server's"),
    ("BEGIN", TRANSACTIONS),
    ("COMMIT", TRANSACTIONS),
    ("END", TRANSACTIONS),
    ("ROLLBACK", TRANSACTIONS),
    ("SAVEPOINT", TRANSACTIONS),
    ("RELEASE", TRANSACTIONS),
    ("REINDEX", "the database keeps its indexes by itself"),
];
const OTHER_FILES: &str = "a plugin has one database and reaches no other file";
const TRANSACTIONS: &str = "every call is one transaction already";

/// Virtual tables there are: full-text search and spatial indexes.
const MODULES: [&str; 3] = ["fts5", "rtree", "rtree_i32"];

/// What looks at a row that was found once more, for each word of the question: with a few hundred words it takes minutes,
/// and the clock does not interrupt it.
const LOOKS_AGAIN: [&str; 3] = ["bm25", "highlight", "snippet"];
/// The column of a search table that does the same.
const RANK: &str = "rank";
const NO_RANK: &str = "rank, bm25, highlight and snippet are not allowed: a long question would keep them busy for minutes";

/// The one of them whose tables are searched.
const SEARCH: &str = "fts5";
/// Stands for a search table that does not exist yet. SQLite lets no table have such a name.
const CREATES_SEARCH: &str = "sqlite_ new";

thread_local! {
    /// Tables touched by statements compiled in this thread, in lower case. A database has its own thread.
    static TOUCHED: RefCell<HashSet<String>> = RefCell::default();
}

/// Settings that these read for themselves while a plugin uses them. Reading changes nothing, and a statement of the plugin
/// that begins with PRAGMA is refused by its first word.
const READ_BY_MODULES: [&str; 2] = ["data_version", "page_size"];

/// Sets the limits and installs the guard on a connection. While `is_ours` is true, statements are the server's own.
pub(super) fn put_before(
    connection: &Connection,
    is_ours: &Arc<AtomicBool>,
) -> rusqlite::Result<()> {
    for (limit, value) in LIMITS {
        connection.set_limit(limit, value)?;
    }
    // SQLite trusts the shadow tables of virtual tables, so only the virtual tables may write them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    let is_ours = Arc::clone(is_ours);
    connection.authorizer(Some(move |asked: AuthContext<'_>| {
        if is_ours.load(Ordering::Relaxed) {
            return Authorization::Allow;
        }
        note_table(&asked.action);
        match may(&asked) {
            true => Authorization::Allow,
            false => Authorization::Deny,
        }
    }))
}

/// Notes the table of an action, including tables touched by a view or a trigger: SQLite asks about those as well.
fn note_table(action: &AuthAction<'_>) {
    let name = match action {
        AuthAction::Read { table_name, .. }
        | AuthAction::Insert { table_name }
        | AuthAction::Update { table_name, .. }
        | AuthAction::Delete { table_name } => table_name,
        AuthAction::CreateVtable { module_name, .. } if is_one_of(&[SEARCH], module_name) => {
            CREATES_SEARCH
        }
        _ => return,
    };
    let name = name.to_ascii_lowercase();
    TOUCHED.with_borrow_mut(|touched| {
        if let AuthAction::Read { column_name, .. } = action
            && column_name.eq_ignore_ascii_case(RANK)
        {
            touched.insert(rank_of(&name));
        }
        touched.insert(name);
    });
}

/// The name under which that column of a table is noted. No table name contains such a character.
fn rank_of(table: &str) -> String {
    format!("{table}\u{0}{RANK}")
}

/// Clears the noted tables.
pub(super) fn forget_tables() {
    TOUCHED.with_borrow_mut(HashSet::clear);
}

/// Lowers the limits for the statement just compiled, if it uses a search table. They are restored when this is
/// dropped.
pub(super) fn for_search(connection: &Connection) -> Result<SearchLimits<'_>, String> {
    let touched = TOUCHED.take();
    let limits = limited(connection, &touched).map_err(|error| sentence(&error))?;
    limits.ok_or_else(|| NO_RANK.to_owned())
}

/// The limits; `None` if the statement does something a search may not.
fn limited<'a>(
    connection: &'a Connection,
    touched: &HashSet<String>,
) -> rusqlite::Result<Option<SearchLimits<'a>>> {
    let limits = SearchLimits(connection);
    let mut tables = connection.prepare(&format!(
        "SELECT lower(name) FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %{SEARCH}%'"
    ))?;
    let mut rows = tables.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        // A search table stores its data in tables whose names start with its own.
        let is_part = |table: &String| {
            let rest = table.strip_prefix(&name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        if touched.contains(&rank_of(&name)) {
            return Ok(None);
        }
        if touched.iter().any(is_part) {
            connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_SEARCH_BYTES)?;
            break;
        }
    }
    if touched.contains(CREATES_SEARCH) {
        connection.set_limit(Limit::SQLITE_LIMIT_COLUMN, MAX_SEARCH_COLUMNS)?;
    }
    Ok(Some(limits))
}

/// The limits of one statement; dropping this restores the usual ones.
#[must_use]
pub(super) struct SearchLimits<'a>(&'a Connection);

impl Drop for SearchLimits<'_> {
    fn drop(&mut self) {
        for (limit, value) in LIMITS {
            // The same value was set successfully when the database was opened.
            let _ = self.0.set_limit(limit, value);
        }
    }
}

fn may(asked: &AuthContext<'_>) -> bool {
    // Temporary tables live in separate files, which our limits do not count.
    let is_temporary = asked.database_name == Some("temp");
    match asked.action {
        AuthAction::Pragma {
            pragma_name,
            pragma_value: None,
        } => is_one_of(&READ_BY_MODULES, pragma_name),
        AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::Pragma { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::DropTempIndex { .. }
        | AuthAction::DropTempTable { .. }
        | AuthAction::DropTempTrigger { .. }
        | AuthAction::DropTempView { .. }
        | AuthAction::Unknown { .. } => false,
        AuthAction::CreateVtable { module_name, .. } => {
            !is_temporary && is_one_of(&MODULES, module_name)
        }
        AuthAction::Function { function_name } => {
            !function_name.eq_ignore_ascii_case("load_extension")
                && !is_one_of(&LOOKS_AGAIN, function_name)
        }
        // A rename looks through all schema tables, including the temporary one, which stays empty.
        AuthAction::Read { .. } | AuthAction::Update { .. } | AuthAction::Select => true,
        _ => !is_temporary,
    }
}

/// SQLite accepts these names in any case.
fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|one| one.eq_ignore_ascii_case(name))
}

/// Rejects a statement by its first word.
pub(super) fn check_text(statement: &str) -> Result<(), String> {
    let word = first_word(statement);
    match REFUSED
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(word))
    {
        Some((name, why)) => Err(format!("{name} is not allowed: {why}")),
        None => Ok(()),
    }
}

/// The first word after spaces and comments.
fn first_word(statement: &str) -> &str {
    let mut rest = statement;
    loop {
        rest = rest.trim_start_matches(|sign: char| {
            sign.is_whitespace() || matches!(sign, ';' | '\u{feff}')
        });
        let after = match rest {
            _ if rest.starts_with("--") => rest.find('\n').map(|end| &rest[end..]),
            _ if rest.starts_with("/*") => rest.find("*/").map(|end| &rest[end + 2..]),
            _ => break,
        };
        rest = after.unwrap_or_default();
    }
    let end = rest.find(|sign: char| !sign.is_ascii_alphabetic());
    &rest[..end.unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_found_behind_comments() {
        for text in [
            "VACUUM",
            " \n;vacuum;",
            "-- x\nVACUUM INTO 'a'",
            "/* a */ -- b\n /* c\n */vacuum",
        ] {
            assert!(check_text(text).is_err(), "{text}");
        }
        for text in ["", "-- VACUUM", "/* VACUUM", "vacuumed", "SELECT 'VACUUM'"] {
            assert!(check_text(text).is_ok(), "{text}");
        }
    }
}
