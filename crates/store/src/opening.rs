//! Checks before a database is used, and errors an operator can act on.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use sqlx::AnyConnection;

use crate::address::{DatabaseUrl, Role};
use crate::error::{OpenError, StoreError};

/// A server that has not answered by then is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A server on the same PostgreSQL that has not gone by then is running.
const CLAIM_PATIENCE: Duration = Duration::from_secs(5);
/// Between two looks at whether it has gone.
const CLAIM_PAUSE: Duration = Duration::from_millis(100);
/// What the one server of a PostgreSQL holds: "rillcast" as a number.
const CLAIM: i64 = 0x7269_6c6c_6361_7374;
/// A whole check at start costs about a millisecond per megabyte; larger files are trusted to SQLite's own checks.
const CHECKED_AT_START_BYTES: u64 = 64 << 20;

/// Opens the first connection. Not from a pool: a pool keeps trying until it times out and then forgets why.
pub(crate) async fn first_connection(url: &DatabaseUrl) -> Result<AnyConnection, OpenError> {
    let connecting = tokio::time::timeout(CONNECT_TIMEOUT, url.connect(Role::Writer));
    let mut connection = match (connecting.await, url) {
        (Ok(Ok(connection)), _) => connection,
        (Ok(Err(error)), DatabaseUrl::Sqlite(_)) => return Err(name_the_cause(url, error.into())),
        (Ok(Err(error)), DatabaseUrl::Postgres(_)) => {
            return Err(OpenError::Connect(error.to_string()));
        }
        (Err(_), _) => return Err(OpenError::Connect("no answer within 5 seconds".into())),
    };
    if let DatabaseUrl::Sqlite(path) = url {
        check_whole(path, &mut connection).await?;
    }
    Ok(connection)
}

/// Claims a PostgreSQL database as long as the connection lives, for the one server that may use it or for several that
/// share it; false while another server holds it otherwise. SQLite relies on a lock on its folder instead.
pub(crate) async fn claim(
    connection: &mut AnyConnection,
    is_shared: bool,
) -> Result<bool, StoreError> {
    let sql = match is_shared {
        true => "SELECT pg_try_advisory_lock_shared($1)",
        false => "SELECT pg_try_advisory_lock($1)",
    };
    let claimed = sqlx::query_scalar(sql).bind(CLAIM);
    Ok(claimed.fetch_one(connection).await?)
}

/// Claims it at the start. A server that was just killed may still hold it: PostgreSQL has to notice.
pub(crate) async fn claim_patiently(
    connection: &mut AnyConnection,
    is_shared: bool,
) -> Result<(), OpenError> {
    let trying = async {
        while !claim(connection, is_shared)
            .await
            .map_err(OpenError::Other)?
        {
            tokio::time::sleep(CLAIM_PAUSE).await;
        }
        Ok(())
    };
    let claimed = tokio::time::timeout(CLAIM_PATIENCE, trying).await;
    claimed.unwrap_or(Err(OpenError::InUse))
}

/// The database holds secrets: only its owner may read it. SQLite gives its other files the same mode.
pub(crate) fn create_private_file(path: &Path) -> Result<(), OpenError> {
    open_private(path, OpenOptions::new().create(true).truncate(false))
}

/// The same for a file that must not exist yet.
pub(crate) fn create_new_private_file(path: &Path) -> Result<(), OpenError> {
    open_private(path, OpenOptions::new().create_new(true))
}

fn open_private(path: &Path, options: &mut OpenOptions) -> Result<(), OpenError> {
    let opened = options.write(true).mode(0o600).open(path);
    opened.map(drop).map_err(|error| match error.kind() {
        ErrorKind::StorageFull => OpenError::Full {
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

/// Turns a driver error into one the operator can act on.
pub(crate) fn name_the_cause(url: &DatabaseUrl, error: StoreError) -> OpenError {
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
    // Without space for its shared memory or log, SQLite only says "I/O error".
    if says("disk is full") || says("No space left") || says("disk I/O error") {
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
