//! A fresh database for every story and dialect.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;
use store::{DatabaseUrl, Store};

/// A database for a single story; dropped with it.
pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) url: DatabaseUrl,
    postgres: Option<(String, String)>,
}

impl Home {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("with space & 100%?.db"));
        Self {
            folder,
            url,
            postgres: None,
        }
    }

    /// `None` if no PostgreSQL is available, which CI does not accept.
    pub(crate) fn postgres() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let Ok(server) = std::env::var("TEST_POSTGRES_URL") else {
            assert!(
                std::env::var_os("CI").is_none(),
                "TEST_POSTGRES_URL is not set: run `make test`"
            );
            eprintln!("not told on PostgreSQL: TEST_POSTGRES_URL is not set");
            return None;
        };
        let name = format!(
            "story_{}_{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        psql(&server, &format!("CREATE DATABASE {name}"));
        let url = DatabaseUrl::Postgres(server.replacen("/postgres?", &format!("/{name}?"), 1));
        Some(Self {
            folder: tempfile::tempdir().unwrap(),
            url,
            postgres: Some((server, name)),
        })
    }

    pub(crate) fn key_file(&self) -> PathBuf {
        self.folder.path().join("secret.key")
    }

    pub(crate) async fn open(&self) -> Store {
        Store::open(&self.url, &self.key_file()).await.unwrap()
    }

    /// As one of several servers; only PostgreSQL can be shared.
    pub(crate) async fn open_shared(&self) -> Store {
        let store = Store::open_shared(&self.url, &self.key_file()).await;
        store.unwrap()
    }

    /// The address of the database if it is one that servers can share.
    pub(crate) fn postgres_url(&self) -> Option<String> {
        match &self.url {
            DatabaseUrl::Sqlite(_) => None,
            DatabaseUrl::Postgres(url) => Some(url.clone()),
        }
    }

    /// The raw content of the database, for stories about what it must not contain.
    pub(crate) fn dump(&self) -> Vec<u8> {
        match (&self.url, &self.postgres) {
            (DatabaseUrl::Sqlite(path), _) => {
                let mut all = std::fs::read(path).unwrap();
                let wal = format!("{}-wal", path.display());
                all.extend(std::fs::read(wal).unwrap_or_default());
                all
            }
            (DatabaseUrl::Postgres(url), _) => {
                let out = Command::new("pg_dump").arg(url).output().unwrap();
                assert!(out.status.success());
                out.stdout
            }
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some((server, name)) = &self.postgres {
            psql(server, &format!("DROP DATABASE {name} WITH (FORCE)"));
        }
    }
}

pub(crate) fn psql(url: &str, sql: &str) {
    let out = Command::new("psql")
        .args([url, "-qXc", sql])
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

pub(crate) fn contains(haystack: &[u8], needle: &str) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

/// Runs each story once per dialect, as tests named `sqlite::story` and `postgres::story`.
macro_rules! stories {
    ($($room:ident::$story:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                crate::$room::$story(crate::support::Home::sqlite()).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                if let Some(home) = crate::support::Home::postgres() {
                    crate::$room::$story(home).await;
                }
            })*
        }
    };
}
pub(crate) use stories;
