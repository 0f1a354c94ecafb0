use std::process::Command;

use store::{DatabaseUrl, OpenError, Store};

use crate::support::{Home, psql};

fn run_sql(home: &Home, sql: &str) {
    match &home.url {
        DatabaseUrl::Sqlite(path) => {
            let out = Command::new("sqlite3").arg(path).arg(sql).output().unwrap();
            assert!(
                out.status.success(),
                "{}",
                String::from_utf8_lossy(&out.stderr)
            );
        }
        DatabaseUrl::Postgres(url) => psql(url, sql),
    }
}

async fn open_error(home: &Home) -> OpenError {
    Store::open(&home.url, &home.key_file()).await.unwrap_err()
}

pub(crate) async fn a_newer_database_is_refused_untouched(home: Home) {
    home.open().await.close().await;
    run_sql(
        &home,
        "UPDATE _sqlx_migrations SET version = 9999 WHERE version = (SELECT MAX(version) FROM _sqlx_migrations)",
    );
    let before = home.dump();
    let error = open_error(&home).await;
    assert!(
        matches!(error, OpenError::Newer { found: 9999, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("newer version of Rillcast"));
    if home.url.sqlite_path().is_some() {
        assert_eq!(home.dump(), before);
    }
}

pub(crate) async fn an_older_database_is_left_alone_by_commands_beside_the_server(home: Home) {
    let empty = Store::open_as_is(&home.url, &home.key_file())
        .await
        .unwrap_err();
    assert!(
        matches!(empty, OpenError::Older { found: 0, .. }),
        "{empty}"
    );
    home.open().await;
    Store::open_as_is(&home.url, &home.key_file())
        .await
        .unwrap();
}

pub(crate) async fn another_secret_key_is_noticed_at_the_start(home: Home) {
    home.open().await;
    std::fs::write(home.key_file(), [7; 32]).unwrap();
    let error = open_error(&home).await;
    assert!(
        error.to_string().contains("secret.key is not the one"),
        "{error}"
    );
    std::fs::remove_file(home.key_file()).unwrap();
    let error = open_error(&home).await;
    assert!(
        error.to_string().contains("secret.key is missing"),
        "{error}"
    );
    assert!(!home.key_file().is_file(), "no new key may take its place");
}

pub(crate) async fn after_closing_writes_are_refused_and_nothing_is_lost(home: Home) {
    let store = home.open().await;
    store
        .advance_cursor("story", 7, crate::support::at(0))
        .await
        .unwrap();
    store.close().await;
    assert!(
        store
            .advance_cursor("story", 8, crate::support::at(0))
            .await
            .is_err()
    );
    if let Some(path) = home.url.sqlite_path() {
        let wal = format!("{}-wal", path.display());
        assert!(
            !std::path::Path::new(&wal).is_file(),
            "one whole file is left"
        );
    }
    assert_eq!(home.open().await.cursor("story").await.unwrap(), Some(7));
}

#[tokio::test]
async fn a_damaged_database_is_refused_untouched() {
    for damage in [
        &b"this is not a database at all, it only has the name of one............"[..],
        &[0xff; 8192],
    ] {
        let home = Home::sqlite();
        let path = home.url.sqlite_path().unwrap();
        std::fs::write(path, damage).unwrap();
        let error = open_error(&home).await;
        assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
        assert_eq!(std::fs::read(path).unwrap(), damage);
    }
}

#[tokio::test]
async fn damage_in_the_middle_of_the_file_is_noticed() {
    let home = Home::sqlite();
    home.open().await.close().await;
    let path = home.url.sqlite_path().unwrap().to_owned();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xa5);
    std::fs::write(&path, &bytes).unwrap();
    for leftover in ["-wal", "-shm"] {
        drop(std::fs::remove_file(format!(
            "{}{leftover}",
            path.display()
        )));
    }
    let error = open_error(&home).await;
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn the_database_and_its_key_are_private_files() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::sqlite();
    let _store = home.open().await;
    for path in [home.url.sqlite_path().unwrap(), &home.key_file()] {
        assert_eq!(
            std::fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            path.display()
        );
    }
}

#[test]
fn an_address_with_a_misspelt_scheme_is_refused_without_showing_its_password() {
    let error = DatabaseUrl::parse("postgrez://me:hunter2@db/x")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("postgrez") && !error.contains("hunter2"),
        "{error}"
    );
    assert!(matches!(
        DatabaseUrl::parse("sqlite:data/x.db"),
        Ok(DatabaseUrl::Sqlite(_))
    ));
}

#[tokio::test]
async fn both_dialects_have_the_same_tables_and_columns() {
    let Some(postgres) = Home::postgres() else {
        return;
    };
    let sqlite = Home::sqlite();
    postgres.open().await;
    sqlite.open().await;
    let path = sqlite.url.sqlite_path().unwrap();
    let ours = Command::new("sqlite3")
        .arg(path)
        .arg(
            "SELECT m.name || '.' || p.name FROM sqlite_master m, pragma_table_info(m.name) p \
             WHERE m.type = 'table' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND m.name NOT LIKE 'sqlite%' ORDER BY 1",
        )
        .output()
        .unwrap();
    let DatabaseUrl::Postgres(url) = &postgres.url else {
        unreachable!()
    };
    let theirs = Command::new("psql")
        .args([
            url,
            "-qXAtc",
            "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public' \
             AND table_name NOT LIKE '\\_sqlx%' ORDER BY (table_name || '.' || column_name) COLLATE \"C\"",
        ])
        .output()
        .unwrap();
    let ours = String::from_utf8(ours.stdout).unwrap();
    assert!(ours.contains("settings.value"));
    assert_eq!(ours, String::from_utf8(theirs.stdout).unwrap());
}

pub(crate) async fn short_statements_are_run_and_not_compiled_first(home: Home) {
    let store = home.open().await;
    if let DatabaseUrl::Sqlite(_) = home.url {
        return;
    }
    let jit: String = store
        .write(|tx| {
            Box::pin(async move { Ok(sqlx::query_scalar("SHOW jit").fetch_one(tx).await?) })
        })
        .await
        .unwrap();
    assert_eq!(jit, "off");
}

pub(crate) async fn a_second_server_on_one_database_is_refused_until_the_first_is_gone(home: Home) {
    let key = home.key_file();
    let server = || Store::open_for_server(&home.url, &key);
    let first = server().await.unwrap();
    // A command-line tool beside the server is not a server.
    Store::open_as_is(&home.url, &home.key_file())
        .await
        .unwrap()
        .close()
        .await;
    // The lock on its folder keeps a SQLite file to one server.
    if let DatabaseUrl::Postgres(_) = home.url {
        let error = server().await.unwrap_err();
        assert!(matches!(error, OpenError::InUse), "{error}");
        assert!(
            error
                .to_string()
                .contains("another Rillcast uses this database")
        );
    }
    first.close().await;
    server().await.unwrap().close().await;
}
