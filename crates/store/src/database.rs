//! Opening a database and handing out connections.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, AnyPool, Connection};
use tokio::sync::watch;

use crate::dialect::Dialect;
use crate::error::{OpenError, StoreError};
use crate::migrate::{self, Schema};
use crate::vault::Vault;
use crate::writer::{Tx, Writer};

/// Readers on SQLite: more than the cores of a small server, each costs a page cache of 2 MB at most.
const SQLITE_READERS: u32 = 4;
/// Readers on PostgreSQL: leaves room for others under its default of 100 connections.
const POSTGRES_READERS: u32 = 10;
/// How long a caller waits for a reader before it hears "unavailable".
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// A whole check at start costs about a millisecond per megabyte; larger files are trusted to SQLite's own checks.
const CHECKED_AT_START_BYTES: u64 = 64 << 20;

/// Set on every connection, because SQLite forgets them with it.
const SQLITE_WRITER_PRAGMAS: &str = "PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; \
     PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF";
const SQLITE_READER_PRAGMAS: &str = "PRAGMA busy_timeout=5000; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; \
     PRAGMA trusted_schema=OFF; PRAGMA query_only=ON";

/// Where the database is.
#[derive(Clone)]
pub enum DatabaseUrl {
    /// A file.
    Sqlite(PathBuf),
    /// A server.
    Postgres(String),
}

impl DatabaseUrl {
    /// Reads `sqlite:PATH` or `postgres://…`.
    pub fn parse(text: &str) -> Result<Self, OpenError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        match text.strip_prefix("sqlite:") {
            Some(path) if !path.is_empty() => {
                Ok(Self::Sqlite(PathBuf::from(path.trim_start_matches("//"))))
            }
            // The scheme only: an address with a misspelt one may still hold a password.
            _ => Err(OpenError::Address(
                text.split("//")
                    .next()
                    .unwrap_or_default()
                    .chars()
                    .take(40)
                    .collect(),
            )),
        }
    }

    /// The file, when there is one.
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

/// The driver decodes percent signs in the path, so whatever could be taken for syntax is encoded.
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

/// The database: a cloneable handle.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) readers: AnyPool,
    pub(crate) writer: Writer,
    pub(crate) vault: Arc<Vault>,
    pub(crate) last_event: watch::Sender<i64>,
}

impl Store {
    /// Opens, checks and migrates; nothing is changed in a database this binary does not understand.
    pub async fn open(url: &DatabaseUrl, vault: Vault) -> Result<Self, OpenError> {
        Self::open_with(url, vault, Schema::BringUpToDate).await
    }

    /// Opens for a command beside the server: a database of another version is refused, not migrated.
    pub async fn open_as_is(url: &DatabaseUrl, vault: Vault) -> Result<Self, OpenError> {
        Self::open_with(url, vault, Schema::MustBeCurrent).await
    }

    async fn open_with(url: &DatabaseUrl, vault: Vault, schema: Schema) -> Result<Self, OpenError> {
        if let DatabaseUrl::Sqlite(path) = url {
            create_private_file(path)?;
        }
        let named = |error: StoreError| name_the_cause(url, error);
        let dialect = url.dialect();
        let (writer_pragmas, reader_pragmas, readers) = match dialect {
            Dialect::Sqlite => (
                Some(SQLITE_WRITER_PRAGMAS),
                Some(SQLITE_READER_PRAGMAS),
                SQLITE_READERS,
            ),
            Dialect::Postgres => (None, None, POSTGRES_READERS),
        };
        probe(url, writer_pragmas).await?;
        let writing = connect(url, 1, writer_pragmas).await?;
        migrate::run(&writing, dialect, schema)
            .await
            .map_err(|error| match error {
                OpenError::Other(error) => named(error),
                other => other,
            })?;
        let readers = connect(url, readers, reader_pragmas).await?;
        let store = Self {
            readers,
            writer: Writer::start(writing, dialect),
            vault: Arc::new(vault),
            last_event: watch::Sender::new(0),
        };
        store.check_vault().await.map_err(named)?;
        let newest = store.newest_event().await.map_err(named)?;
        store.last_event.send_replace(newest);
        Ok(store)
    }

    /// Runs a unit of work and returns once it is durable. See [`crate::writer`] for the promise.
    pub async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Tx) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        self.writer.write(work, |_| ()).await
    }

    /// Answers whether reads work now.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.readers).await?;
        Ok(())
    }

    /// Answers whether writes work now: an empty unit goes through the writer.
    pub async fn ping_writer(&self) -> Result<(), StoreError> {
        self.write(|tx| {
            Box::pin(async move {
                sqlx::query("DELETE FROM cursors WHERE name = $1")
                    .bind("never-there")
                    .execute(tx)
                    .await?;
                Ok(())
            })
        })
        .await
    }
}

async fn connect(
    url: &DatabaseUrl,
    size: u32,
    pragmas: Option<&'static str>,
) -> Result<AnyPool, OpenError> {
    AnyPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(move |connection, _| {
            Box::pin(async move {
                if let Some(pragmas) = pragmas {
                    sqlx::raw_sql(pragmas).execute(connection).await?;
                }
                Ok(())
            })
        })
        .connect_with(url.connect_options()?)
        .await
        .map_err(|error| name_the_cause(url, error.into()))
}

/// Tries one connection before the pools do: a pool keeps trying until it times out and then forgets why.
async fn probe(url: &DatabaseUrl, pragmas: Option<&'static str>) -> Result<(), OpenError> {
    let failed = |error: sqlx::Error| match url {
        DatabaseUrl::Sqlite(_) => name_the_cause(url, error.into()),
        DatabaseUrl::Postgres(_) => OpenError::Connect(error.to_string()),
    };
    let options = url.connect_options()?;
    let connecting = AnyConnection::connect_with(&options);
    let mut connection = match tokio::time::timeout(ACQUIRE_TIMEOUT, connecting).await {
        Ok(connected) => connected.map_err(failed)?,
        Err(_) => return Err(OpenError::Connect("no answer within 5 seconds".into())),
    };
    if let Some(pragmas) = pragmas {
        sqlx::raw_sql(pragmas)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
    }
    if let DatabaseUrl::Sqlite(path) = url {
        check_whole(path, &mut connection).await?;
    }
    connection.close().await.map_err(failed)
}

/// The database holds secrets: only its owner may read it. SQLite gives its other files the same mode.
fn create_private_file(path: &Path) -> Result<(), OpenError> {
    use std::os::unix::fs::OpenOptionsExt;
    let opened = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path);
    opened.map(drop).map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull => OpenError::Full {
            path: path.into(),
            why: error.to_string(),
        },
        _ => OpenError::NotWritable {
            path: path.into(),
            why: error.to_string(),
        },
    })
}

async fn check_whole(path: &Path, connection: &mut AnyConnection) -> Result<(), OpenError> {
    let small = std::fs::metadata(path).is_ok_and(|file| file.len() <= CHECKED_AT_START_BYTES);
    if !small {
        return Ok(());
    }
    let url = DatabaseUrl::Sqlite(path.into());
    let verdict: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(connection)
        .await
        .map_err(|error| name_the_cause(&url, error.into()))?;
    if verdict != "ok" {
        return Err(OpenError::Damaged {
            path: path.display().to_string(),
            why: verdict,
        });
    }
    Ok(())
}

/// Turns what the driver says into what the operator can do.
fn name_the_cause(url: &DatabaseUrl, error: StoreError) -> OpenError {
    let text = error.to_string();
    let DatabaseUrl::Sqlite(path) = url else {
        return OpenError::Other(error);
    };
    let says = |needle: &str| text.contains(needle);
    if says("not a database") || says("malformed") || says("file is encrypted") {
        return OpenError::Damaged {
            path: path.display().to_string(),
            why: text,
        };
    }
    if says("disk is full") || says("No space left") {
        return OpenError::Full {
            path: path.clone(),
            why: text,
        };
    }
    if says("readonly") || says("unable to open") {
        return OpenError::NotWritable {
            path: path.clone(),
            why: text,
        };
    }
    OpenError::Other(error)
}
