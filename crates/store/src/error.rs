//! What can go wrong, named after what the caller can do about it.

use std::path::PathBuf;

use thiserror::Error;

/// Why a read or write failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Locked, full, gone or stopping: the same call may work later.
    #[error("the database cannot be used right now: {0}")]
    Unavailable(String),
    /// A row with that key exists.
    #[error("already there")]
    Conflict,
    /// Another server does this work now; nothing was written, and trying again is of no use.
    #[error("another server has taken over this work: {0}")]
    LeaseLost(&'static str),
    /// A stored value cannot be read; another program wrote to the database, or the secret key changed.
    #[error("stored {what} cannot be read: {why}")]
    Unreadable {
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The database rejected a statement.
    #[error("database error: {0}")]
    Sql(sqlx::Error),
}

impl StoreError {
    /// The work belongs to another server now: whoever tries again must stop.
    pub fn is_lease_lost(&self) -> bool {
        matches!(self, Self::LeaseLost(_))
    }

    pub(crate) fn unreadable(what: &'static str, why: impl std::fmt::Display) -> Self {
        Self::Unreadable {
            what,
            why: why.to_string(),
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Io(_) => Self::Unavailable(error.to_string()),
            sqlx::Error::Database(database) if database.is_unique_violation() => Self::Conflict,
            sqlx::Error::Database(database) if is_passing(database.as_ref()) => {
                Self::Unavailable(database.message().to_owned())
            }
            _ => Self::Sql(error),
        }
    }
}

/// SQLite tells by text (locked, full, read-only, I/O), PostgreSQL by SQLSTATE: connection, resources, operator
/// intervention, conflicts and read-only transactions may pass.
fn is_passing(error: &dyn sqlx::error::DatabaseError) -> bool {
    let texts = [
        "database is locked",
        "database table is locked",
        "disk is full",
        "disk I/O error",
        "attempt to write a readonly database",
        "No space left",
    ];
    let states = ["08", "53", "57", "40", "55P03", "25006", "25P0"];
    let code = error.code().unwrap_or_default();
    texts.iter().any(|text| error.message().contains(text))
        || (code.len() == 5 && states.iter().any(|state| code.starts_with(state)))
}

/// Why the key file cannot be used.
#[derive(Debug, Error)]
pub enum VaultError {
    /// It cannot be read or written.
    #[error("cannot use the secret key file {path}: {why}")]
    File {
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// It is missing, and the database was sealed with it.
    #[error(
        "the secret key file {0} is missing, and the database was sealed with it: put back the one from your backup, or on another machine of a cluster copy the one that the others have"
    )]
    Missing(PathBuf),
    /// It is a different key.
    #[error(
        "the secret key file {0} is not the one the database was sealed with: put back the one from your backup, or on another machine of a cluster copy the one that the others have"
    )]
    Another(PathBuf),
    /// Its content is not a key.
    #[error("the secret key file {0} does not hold a key: put back the one from your backup")]
    Content(PathBuf),
}

/// Why a database could not be opened; each text is one line for the operator.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Neither SQLite nor PostgreSQL.
    #[error(
        "a database address cannot start with {0:?}: use sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME"
    )]
    Address(String),
    /// The file is there but not a whole SQLite database.
    #[error(
        "the database {path} is damaged ({why}); restore a backup with `rillcast restore`, nothing was changed"
    )]
    Damaged {
        path: String,
        /// SQLite's message.
        why: String,
    },
    /// A later version of Rillcast wrote it.
    #[error(
        "the database was written by a newer version of Rillcast (schema {found}, this binary knows {known}); \
         install that version or restore a backup, nothing was changed"
    )]
    Newer {
        /// The schema version in the database.
        found: i64,
        /// The newest this binary knows.
        known: i64,
    },
    /// An earlier version wrote it, and the caller must not change it.
    #[error(
        "the database was written by an older version of Rillcast (schema {found}, this binary has {known}); \
         start the server once to bring it up to date"
    )]
    Older {
        /// The schema version in the database.
        found: i64,
        /// The newest this binary knows.
        known: i64,
    },
    /// The folder or file cannot be written.
    #[error("cannot write {path}: {why}")]
    NotWritable {
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// No room on the disk.
    #[error(
        "the disk that holds {path} is full or failing ({why}); free some space and start again"
    )]
    Full {
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// Another server uses this PostgreSQL database.
    #[error(
        "another Rillcast uses this database: one server belongs to one database, so stop the other one, or give this \
         one a database of its own"
    )]
    InUse,
    /// The other servers on this database have moved on.
    #[error(
        "this version of Rillcast (schema {known}) is too old for this cluster, which needs schema {needed} or newer\
         {}; install the version the other machines have, nothing was changed",
        beside(.nodes)
    )]
    TooOld {
        /// The newest schema this binary knows.
        known: i64,
        /// The oldest that may join.
        needed: i64,
        /// Name and version of the servers that are running.
        nodes: Vec<String>,
    },
    /// This version changes the database in a way that servers which are running cannot live with.
    #[error(
        "this version of Rillcast changes the database in a way that running machines do not understand: {}; \
         bring them up to a version with schema {needed} first, or stop them, nothing was changed",
        .nodes.join(", ")
    )]
    ShutsOut {
        /// The oldest schema that could still use the database.
        needed: i64,
        /// Name and version of the servers in question.
        nodes: Vec<String>,
    },
    /// The PostgreSQL server does not answer or refuses us.
    #[error("cannot connect to the database: {0}")]
    Connect(String),
    /// The secret key file cannot be used.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// Any other database error.
    #[error("cannot prepare the database: {0}")]
    Other(StoreError),
}

/// ` (running: a 0.3.0, b 0.3.0)`, or nothing.
fn beside(nodes: &[String]) -> String {
    match nodes {
        [] => String::new(),
        nodes => format!(" (running: {})", nodes.join(", ")),
    }
}
