//! The store: reads use a pool, writes go through one task.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use sqlx::AnyPool;
use sqlx::any::AnyPoolOptions;
use tokio::sync::watch;

use crate::address::{DatabaseUrl, Role};
use crate::error::{OpenError, StoreError};
use crate::group_commit::GroupFeed;
use crate::joining;
use crate::log_watch::watch_log;
use crate::migrate::{self, Schema};
use crate::opening::{claim_patiently, create_private_file, first_connection, name_the_cause};
use crate::vault::{self, Vault};
use crate::writer::{Chain, Tx, Writer};

/// Readers on SQLite: more than the cores of a small server, each costs a page cache of 2 MB at most.
const SQLITE_READERS: u32 = 4;
/// Readers on PostgreSQL: leaves room for others under its default of 100 connections.
const POSTGRES_READERS: u32 = 10;
/// How long a caller waits for a reader before it hears "unavailable".
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The database: a cloneable handle.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) readers: AnyPool,
    pub(crate) writer: Writer,
    pub(crate) vault: Arc<Vault>,
    pub(crate) last_event: watch::Sender<i64>,
    /// Signals that something was queued for other servers.
    pub(crate) outgoing: watch::Sender<()>,
    /// Signals that something arrived from other servers, and counts how often that was here and not at a server
    /// beside this one.
    pub(crate) incoming: watch::Sender<u64>,
    /// What this process commits, for its followers; set if other servers write to the database as well.
    pub(crate) feed: Option<Arc<GroupFeed>>,
}

/// Who else may write to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OtherServers {
    /// Nobody, or tools for a moment.
    Unwatched,
    /// Nobody: it is claimed for this server.
    KeptOut,
    /// Other servers that claim it for several, and are followed.
    Followed,
}

impl Store {
    /// Opens, checks and migrates the database. Nothing is changed if this binary does not understand the database, or
    /// the key file does not open its secrets. A new database gets a new key file.
    pub async fn open(url: &DatabaseUrl, key_file: &Path) -> Result<Self, OpenError> {
        if let DatabaseUrl::Sqlite(path) = url {
            create_private_file(path)?;
        }
        Self::open_with(
            url,
            key_file,
            Schema::BringUpToDate,
            OtherServers::Unwatched,
        )
        .await
    }

    /// As [`Store::open`], for a server: a PostgreSQL database that another server uses is refused.
    pub async fn open_for_server(url: &DatabaseUrl, key_file: &Path) -> Result<Self, OpenError> {
        if let DatabaseUrl::Sqlite(_) = url {
            return Self::open(url, key_file).await;
        }
        Self::open_with(url, key_file, Schema::BringUpToDate, OtherServers::KeptOut).await
    }

    /// As [`Store::open`], for one of several servers on one PostgreSQL: what the others write is followed, and one that
    /// wants the database for itself is refused. A program that is too old for the others, or too new, is refused too.
    /// SQLite is for one server, and is opened as for that.
    pub async fn open_shared(url: &DatabaseUrl, key_file: &Path) -> Result<Self, OpenError> {
        if let DatabaseUrl::Sqlite(_) = url {
            return Self::open(url, key_file).await;
        }
        Self::open_with(url, key_file, Schema::Shared, OtherServers::Followed).await
    }

    /// Opens for a command-line tool beside the server: a database of another version is refused, not migrated.
    pub async fn open_as_is(url: &DatabaseUrl, key_file: &Path) -> Result<Self, OpenError> {
        Self::open_with(
            url,
            key_file,
            Schema::MustBeCurrent,
            OtherServers::Unwatched,
        )
        .await
    }

    async fn open_with(
        url: &DatabaseUrl,
        key_file: &Path,
        schema: Schema,
        others: OtherServers,
    ) -> Result<Self, OpenError> {
        let named = |error: StoreError| name_the_cause(url, error);
        let name_other = |error| match error {
            OpenError::Other(error) => named(error),
            other => other,
        };
        let mut connection = first_connection(url).await?;
        let (claims, is_shared) = (
            others != OtherServers::Unwatched,
            others == OtherServers::Followed,
        );
        if claims {
            claim_patiently(&mut connection, is_shared).await?;
        }
        if schema == Schema::Shared {
            joining::check(&mut connection, url.dialect()).await?;
        }
        let version = migrate::check(&mut connection, url.dialect(), schema)
            .await
            .map_err(name_other)?;
        let known_vault = match version {
            0 => None,
            _ => vault::open_known(&mut connection, key_file)
                .await
                .map_err(name_other)?,
        };
        migrate::run(&mut connection, url.dialect(), version)
            .await
            .map_err(name_other)?;
        let vault = match known_vault {
            Some(vault) => vault,
            None => Vault::open(key_file)?,
        };
        let readers = readers(url).await.map_err(name_other)?;
        let (outgoing, incoming) = (watch::Sender::new(()), watch::Sender::new(0));
        let feed = is_shared.then(Arc::<GroupFeed>::default);
        let chain = feed.clone().map(|feed| Chain {
            feed,
            deliveries: outgoing.subscribe(),
            inbox: incoming.subscribe(),
        });
        let store = Self {
            readers,
            writer: Writer::start(url.clone(), connection, claims, chain),
            vault: Arc::new(vault),
            last_event: watch::Sender::new(0),
            outgoing,
            incoming,
            feed,
        };
        store.plant_canary().await.map_err(named)?;
        let newest = store.newest_event().await.map_err(named)?;
        store.last_event.send_replace(newest);
        if let Some(feed) = &store.feed {
            let (readers, last_event) = (store.readers.clone(), store.last_event.clone());
            tokio::spawn(watch_log(Arc::downgrade(feed), readers, last_event));
        }
        Ok(store)
    }

    /// Finishes queued writes and closes every connection, so that SQLite leaves a single complete file.
    pub async fn close(&self) {
        if let Some(feed) = &self.feed {
            feed.close();
        }
        // The writer last: the last connection to close moves the write-ahead log into the database.
        self.readers.close().await;
        self.writer.close().await;
    }

    /// Runs a unit of work in the next group and returns once it is durable.
    pub async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Tx) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        self.writer.write(work, |_| ()).await
    }

    /// Checks that reads work.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.readers).await?;
        Ok(())
    }

    /// Checks that writes work, by writing something.
    pub async fn ping_writer(&self, at: Timestamp) -> Result<(), StoreError> {
        self.write(move |tx| {
            Box::pin(async move {
                sqlx::query(
                    "INSERT INTO cursors (name, seq, updated_at) VALUES ($1, 0, $2) \
                     ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at",
                )
                .bind("readiness")
                .bind(at.as_millisecond())
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
    }
}

async fn readers(url: &DatabaseUrl) -> Result<AnyPool, OpenError> {
    let size = match url {
        DatabaseUrl::Sqlite(_) => SQLITE_READERS,
        DatabaseUrl::Postgres(_) => POSTGRES_READERS,
    };
    let set_up = url.set_up(Role::Reader);
    AnyPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(move |connection, _| {
            Box::pin(async move {
                sqlx::raw_sql(set_up).execute(connection).await?;
                Ok(())
            })
        })
        .connect_with(url.connect_options()?)
        .await
        .map_err(|error| OpenError::Other(error.into()))
}
