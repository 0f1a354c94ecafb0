//! The database URL, and how a connection is set up.

use std::fmt;
use std::path::{Path, PathBuf};

use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, Connection};

use crate::dialect::Dialect;
use crate::error::OpenError;

const SQLITE_WRITER: &str = "PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; \
     PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF";
const SQLITE_READER: &str = "PRAGMA busy_timeout=5000; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; \
     PRAGMA trusted_schema=OFF; PRAGMA query_only=ON";
/// Somebody else's lock must not stop us for longer than SQLite's would. And our statements are short: compiling the one
/// that takes deliveries out of a long queue took half a second, running it a thousandth. A process that stands still
/// inside a transaction holds the lock of all writers, so it loses it soon.
const POSTGRES: &str = "SET lock_timeout = '5s'; SET statement_timeout = '10s'; \
     SET idle_in_transaction_session_timeout = '2s'; SET jit = off";

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Writer,
    Reader,
}

/// The location of the database.
#[derive(Clone)]
pub enum DatabaseUrl {
    Sqlite(PathBuf),
    Postgres(String),
}

impl DatabaseUrl {
    /// Parses `sqlite:PATH` or `postgres://…`.
    pub fn parse(text: &str) -> Result<Self, OpenError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        match text.strip_prefix("sqlite:") {
            Some(path) if !path.is_empty() => {
                Ok(Self::Sqlite(PathBuf::from(path.trim_start_matches("//"))))
            }
            // Show the scheme only: an address with a misspelt one may still hold a password.
            _ => Err(OpenError::Address(
                text.split(':')
                    .next()
                    .unwrap_or_default()
                    .chars()
                    .take(20)
                    .collect(),
            )),
        }
    }

    /// The SQLite file, if it is one.
    pub fn sqlite_path(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Opens a connection that is set up for its role.
    pub(crate) async fn connect(&self, role: Role) -> Result<AnyConnection, sqlx::Error> {
        let options = self
            .connect_options()
            .map_err(|error| sqlx::Error::Configuration(error.into()))?;
        let mut connection = AnyConnection::connect_with(&options).await?;
        sqlx::raw_sql(self.set_up(role))
            .execute(&mut connection)
            .await?;
        Ok(connection)
    }

    /// The statements every new connection runs first, because these settings last only as long as the connection.
    pub(crate) fn set_up(&self, role: Role) -> &'static str {
        match (self, role) {
            (Self::Sqlite(_), Role::Writer) => SQLITE_WRITER,
            (Self::Sqlite(_), Role::Reader) => SQLITE_READER,
            (Self::Postgres(_), _) => POSTGRES,
        }
    }

    pub(crate) fn connect_options(&self) -> Result<AnyConnectOptions, OpenError> {
        sqlx::any::install_default_drivers();
        let address = match self {
            Self::Sqlite(path) => format!("sqlite://{}?mode=rwc", percent_encoded(path)),
            Self::Postgres(url) => url.clone(),
        };
        address
            .parse()
            .map_err(|error: sqlx::Error| OpenError::Connect(error.to_string()))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(_) => f.write_str("postgres://…"),
        }
    }
}

/// The driver decodes percent signs in the path, so every character that could be taken for syntax is encoded.
fn percent_encoded(path: &Path) -> String {
    let mut encoded = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                encoded.push(char::from(*byte))
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}
