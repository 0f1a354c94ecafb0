//! A consistent copy of a database that may be in use.

use std::path::Path;

use sqlx::{AnyConnection, Connection};

use crate::address::DatabaseUrl;
use crate::error::{OpenError, StoreError};
use crate::opening::create_new_private_file;

/// Writes a compact copy of the SQLite database at `from` to the new file `to`, while a server may be writing.
pub async fn snapshot_sqlite(from: &Path, to: &Path) -> Result<(), OpenError> {
    let url = DatabaseUrl::Sqlite(from.into());
    let failed = |error: sqlx::Error| OpenError::Other(StoreError::from(error));
    let mut connection = AnyConnection::connect_with(&url.connect_options()?)
        .await
        .map_err(failed)?;
    sqlx::raw_sql("PRAGMA busy_timeout=5000")
        .execute(&mut connection)
        .await
        .map_err(failed)?;
    // SQLite treats an empty file like a new one, and creating it first keeps others from reading it meanwhile.
    create_new_private_file(to)?;
    let target = to.to_str().ok_or_else(|| OpenError::NotWritable {
        path: to.into(),
        why: "the path is not valid Unicode".into(),
    })?;
    sqlx::query("VACUUM INTO $1")
        .bind(target)
        .execute(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(())
}
