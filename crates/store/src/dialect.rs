//! The SQL dialect; the statements are the same, only transactions and migrations differ.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}
