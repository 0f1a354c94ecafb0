//! What SQL may not do.
//!
//! Two lines of defence: SQLite asks about every action of a statement it compiles, and the first word of each compiled
//! statement is looked at as well, because some statements act without asking.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;

/// Bytes of one text, blob or row. A larger one is an error.
const MAX_VALUE_BYTES: i32 = 1024 * 1024;

/// Limits of SQLite that keep one statement from taking much more time or memory than it looks.
const LIMITS: [(Limit, i32); 9] = [
    (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 * 1024),
    (Limit::SQLITE_LIMIT_COLUMN, 256),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    // Matching is the one thing the clock cannot interrupt, so patterns stay short.
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

/// Settings that these read for themselves while a plugin uses them. Reading changes nothing, and a statement of the plugin
/// that begins with PRAGMA is refused by its first word.
const READ_BY_MODULES: [&str; 2] = ["data_version", "page_size"];

/// Sets the limits and puts the guard before the connection. While `is_ours` is true, statements are the server's own.
pub(super) fn put_before(
    connection: &Connection,
    is_ours: &Arc<AtomicBool>,
) -> rusqlite::Result<()> {
    for (limit, value) in LIMITS {
        connection.set_limit(limit, value)?;
    }
    // What virtual tables keep for themselves is read without suspicion, so only they may write it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    let is_ours = Arc::clone(is_ours);
    connection.authorizer(Some(move |asked: AuthContext<'_>| {
        match is_ours.load(Ordering::Relaxed) || may(&asked) {
            true => Authorization::Allow,
            false => Authorization::Deny,
        }
    }))
}

fn may(asked: &AuthContext<'_>) -> bool {
    // Temporary tables live in files of their own, which no limit of ours counts.
    let is_temporary = asked.database_name == Some("temp");
    match asked.action {
        AuthAction::Pragma {
            pragma_name,
            pragma_value: None,
        } => READ_BY_MODULES
            .iter()
            .any(|name| name.eq_ignore_ascii_case(pragma_name)),
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
            !is_temporary && MODULES.contains(&module_name)
        }
        AuthAction::Function { function_name } => {
            !function_name.eq_ignore_ascii_case("load_extension")
        }
        // Renaming looks through all lists of tables, also the one of temporary tables, which stays empty.
        AuthAction::Read { .. } | AuthAction::Update { .. } | AuthAction::Select => true,
        _ => !is_temporary,
    }
}

/// Refuses a statement by its first word.
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
