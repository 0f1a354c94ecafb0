//! Which SQL we speak; the text is the same, only transactions and migrations differ.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}
