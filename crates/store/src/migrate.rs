//! Migrates the schema; a newer one is refused untouched.

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, Row, SqlSafeStr};

use crate::dialect::Dialect;
use crate::error::{OpenError, StoreError};

/// Version, name, SQLite text, PostgreSQL text. Append only: released entries never change.
const MIGRATIONS: &[(i64, &str, &str, &str)] = &[
    (
        1,
        "foundation",
        include_str!("../migrations/sqlite/0001_foundation.sql"),
        include_str!("../migrations/postgres/0001_foundation.sql"),
    ),
    (
        2,
        "streams",
        include_str!("../migrations/sqlite/0002_streams.sql"),
        include_str!("../migrations/postgres/0002_streams.sql"),
    ),
    (
        3,
        "chat",
        include_str!("../migrations/sqlite/0003_chat.sql"),
        include_str!("../migrations/postgres/0003_chat.sql"),
    ),
    (
        4,
        "webhooks",
        include_str!("../migrations/sqlite/0004_webhooks.sql"),
        include_str!("../migrations/postgres/0004_webhooks.sql"),
    ),
    (
        5,
        "schedule",
        include_str!("../migrations/sqlite/0005_schedule.sql"),
        include_str!("../migrations/postgres/0005_schedule.sql"),
    ),
    (
        6,
        "federation",
        include_str!("../migrations/sqlite/0006_federation.sql"),
        include_str!("../migrations/postgres/0006_federation.sql"),
    ),
    (
        7,
        "deliveries_by_host",
        include_str!("../migrations/sqlite/0007_deliveries_by_host.sql"),
        include_str!("../migrations/postgres/0007_deliveries_by_host.sql"),
    ),
    (
        8,
        "plugins",
        include_str!("../migrations/sqlite/0008_plugins.sql"),
        include_str!("../migrations/postgres/0008_plugins.sql"),
    ),
    (
        9,
        "profiles",
        include_str!("../migrations/sqlite/0009_profiles.sql"),
        include_str!("../migrations/postgres/0009_profiles.sql"),
    ),
    (
        10,
        "operator",
        include_str!("../migrations/sqlite/0010_operator.sql"),
        include_str!("../migrations/postgres/0010_operator.sql"),
    ),
    (
        11,
        "handovers",
        include_str!("../migrations/sqlite/0011_handovers.sql"),
        include_str!("../migrations/postgres/0011_handovers.sql"),
    ),
    (
        12,
        "deleted_messages",
        include_str!("../migrations/sqlite/0012_deleted_messages.sql"),
        include_str!("../migrations/postgres/0012_deleted_messages.sql"),
    ),
    (
        13,
        "pinned_message",
        include_str!("../migrations/sqlite/0013_pinned_message.sql"),
        include_str!("../migrations/postgres/0013_pinned_message.sql"),
    ),
    (
        14,
        "moderation",
        include_str!("../migrations/sqlite/0014_moderation.sql"),
        include_str!("../migrations/postgres/0014_moderation.sql"),
    ),
    (
        15,
        "audience",
        include_str!("../migrations/sqlite/0015_audience.sql"),
        include_str!("../migrations/postgres/0015_audience.sql"),
    ),
    (
        16,
        "ban_ends",
        include_str!("../migrations/sqlite/0016_ban_ends.sql"),
        include_str!("../migrations/postgres/0016_ban_ends.sql"),
    ),
    (
        17,
        "leases",
        include_str!("../migrations/sqlite/0017_leases.sql"),
        include_str!("../migrations/postgres/0017_leases.sql"),
    ),
    (
        18,
        "nodes",
        include_str!("../migrations/sqlite/0018_nodes.sql"),
        include_str!("../migrations/postgres/0018_nodes.sql"),
    ),
    (
        19,
        "short_lived",
        include_str!("../migrations/sqlite/0019_short_lived.sql"),
        include_str!("../migrations/postgres/0019_short_lived.sql"),
    ),
    (
        20,
        "playlist_position",
        include_str!("../migrations/sqlite/0020_playlist_position.sql"),
        include_str!("../migrations/postgres/0020_playlist_position.sql"),
    ),
    (
        21,
        "recordings",
        include_str!("../migrations/sqlite/0021_recordings.sql"),
        include_str!("../migrations/postgres/0021_recordings.sql"),
    ),
];

/// The schema that made servers know of each other; without it there are none.
pub(crate) const NODES_SINCE: i64 = 18;

/// The oldest schema whose program can still use a database with all of these migrations. It is raised together with a
/// migration that older programs cannot live with; one that only adds something leaves it as it is.
pub(crate) const OLDEST_USABLE: i64 = 18;

/// What to do about an outdated schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schema {
    BringUpToDate,
    MustBeCurrent,
    /// As [`Schema::BringUpToDate`], where other servers use the database too: a newer schema is no reason to refuse, as
    /// `joining.rs` has looked whether this program may still use it.
    Shared,
}

/// The version in the database (0 for an empty one), if the caller can use it.
pub(crate) async fn check(
    connection: &mut AnyConnection,
    dialect: Dialect,
    schema: Schema,
) -> Result<i64, OpenError> {
    let (found, known) = (found_version(connection, dialect).await?, newest_known());
    if found > known && schema != Schema::Shared {
        return Err(OpenError::Newer { found, known });
    }
    if found < known && schema == Schema::MustBeCurrent {
        return Err(OpenError::Older { found, known });
    }
    Ok(found)
}

/// Brings the schema up to date that was `found`; one that is newer stays as it is.
pub(crate) async fn run(
    connection: &mut AnyConnection,
    dialect: Dialect,
    found: i64,
) -> Result<(), OpenError> {
    if found > newest_known() {
        return Ok(());
    }
    let migrations = MIGRATIONS.iter().map(|(version, name, sqlite, postgres)| {
        let sql = match dialect {
            Dialect::Sqlite => sqlite,
            Dialect::Postgres => postgres,
        };
        Migration::new(
            *version,
            (*name).into(),
            MigrationType::Simple,
            (*sql).into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
        .run(&mut *connection)
        .await
        .map_err(|error| match error {
            sqlx::migrate::MigrateError::Execute(error) => OpenError::Other(error.into()),
            sqlx::migrate::MigrateError::ExecuteMigration(error, _) => {
                OpenError::Other(error.into())
            }
            other => OpenError::Other(StoreError::unreadable("schema", other)),
        })?;
    if found < newest_known() {
        raise_oldest_usable(connection).await?;
    }
    Ok(())
}

/// Keeps out programs that do not understand what was just migrated.
async fn raise_oldest_usable(connection: &mut AnyConnection) -> Result<(), OpenError> {
    sqlx::query("UPDATE cluster SET min_schema = $1 WHERE min_schema < $1")
        .bind(OLDEST_USABLE)
        .execute(connection)
        .await
        .map_err(|error| OpenError::Other(error.into()))?;
    Ok(())
}

/// The newest schema this binary knows.
pub(crate) fn newest_known() -> i64 {
    MIGRATIONS
        .iter()
        .map(|(version, ..)| *version)
        .max()
        .unwrap_or(0)
}

pub(crate) async fn found_version(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> Result<i64, OpenError> {
    let find_table = match dialect {
        Dialect::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE name = '_sqlx_migrations'",
        Dialect::Postgres => {
            "SELECT COUNT(*) FROM pg_tables WHERE tablename = '_sqlx_migrations' AND schemaname = current_schema()"
        }
    };
    let failed = |error: sqlx::Error| OpenError::Other(error.into());
    let tables: i64 = sqlx::query_scalar(find_table)
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    if tables == 0 {
        return Ok(0);
    }
    let row = sqlx::query("SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations")
        .fetch_one(&mut *connection)
        .await
        .map_err(failed)?;
    row.try_get(0).map_err(failed)
}
