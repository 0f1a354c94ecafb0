//! Several servers with one database have one operator.

use std::process::Command;

use super::*;

/// A PostgreSQL database for one test.
struct Database {
    server: String,
    name: String,
    folder: tempfile::TempDir,
}

impl Database {
    /// `None` if no PostgreSQL is available, which CI does not accept.
    fn create() -> Option<Self> {
        let Ok(server) = std::env::var("TEST_POSTGRES_URL") else {
            assert!(
                std::env::var_os("CI").is_none(),
                "TEST_POSTGRES_URL is not set: run `make test`"
            );
            return None;
        };
        let name = format!("access_{}", std::process::id());
        psql(&server, &format!("CREATE DATABASE {name}"));
        Some(Self {
            server,
            name,
            folder: tempfile::tempdir().unwrap(),
        })
    }

    /// The operator at one more server, which is given this password at its start.
    async fn server(&self, password: &str) -> AdminIdentity {
        let address = self
            .server
            .replacen("/postgres?", &format!("/{}?", self.name), 1);
        let key_file = self.folder.path().join("secret.key");
        let store = Store::open_shared(&DatabaseUrl::Postgres(address), &key_file).await;
        let password = Secret::new(password);
        let clock = Arc::new(ManualClock::default());
        let admin = AdminIdentity::load(store.unwrap(), clock, Some(&password));
        admin.await.unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        psql(&self.server, &sql);
    }
}

fn psql(url: &str, sql: &str) {
    let done = Command::new("psql").args([url, "-qXc", sql]).status();
    assert!(done.unwrap().success());
}

#[tokio::test]
async fn the_old_password_of_a_server_that_was_not_restarted_yet_opens_nothing() {
    let Some(database) = Database::create() else {
        return;
    };
    let first = database.server("the first outside").await;
    let (old, new) = (
        || secret("the first outside"),
        || secret("the second outside"),
    );
    let before = first.sign_in(old(), &visitor(1)).await.unwrap();
    let second = database.server("the second outside").await;
    assert!(!first.has_session(&before.session).await.unwrap());

    let refused = first.sign_in(old(), &visitor(1)).await;
    assert!(matches!(refused, Err(SignInError::Wrong)));
    let refused = first.check_basic("admin", old(), &visitor(1)).await;
    assert!(matches!(refused, Err(SignInError::Wrong)));
    let after = second.sign_in(new(), &visitor(1)).await.unwrap();
    assert!(first.has_session(&after.session).await.unwrap());
}
