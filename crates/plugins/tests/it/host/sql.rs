use plugins::host::SqlStorage;
use serde_json::{Value, json};

use super::stage::{Stage, all};

fn sql(text: &str) -> Value {
    json!({"sql": text})
}

async fn with_table() -> Stage {
    let stage = Stage::trusted();
    stage
        .ok(
            "sql_exec",
            sql("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n)"),
        )
        .await;
    stage
}

#[tokio::test]
async fn statements_change_and_questions_find() {
    let stage = with_table().await;
    let insert = json!({"sql": "INSERT INTO t (name, n) VALUES (?, ?)", "params": ["ana", 5.0]});
    assert_eq!(
        stage.raw("sql_exec", insert).await.unwrap(),
        r#"{"rowsAffected":1,"lastInsertId":1}"#
    );
    let found = stage
        .raw(
            "sql_query",
            sql("SELECT id, name, n, typeof(n) AS kind FROM t"),
        )
        .await;
    assert_eq!(
        found.unwrap(),
        r#"{"columns":["id","name","n","kind"],"rows":[[1,"ana",5,"integer"]]}"#
    );
}

#[tokio::test]
async fn values_keep_their_type() {
    let stage = Stage::trusted();
    let params = json!([null, true, 9_223_372_036_854_775_807_i64, 1.5, "ü\u{0}x"]);
    let found = stage
        .ok(
            "sql_query",
            json!({"sql": "SELECT ?,?,?,?,?", "params": params}),
        )
        .await;
    assert_eq!(
        found["rows"][0],
        json!([null, 1, 9_223_372_036_854_775_807_i64, 1.5, "ü\u{0}x"])
    );
    let found = stage.ok("sql_query", sql("SELECT x'ff0080', 9e999")).await;
    assert_eq!(found["rows"][0], json!(["/wCA", null]));
    for bad in [
        json!([[1]]),
        json!([{}]),
        json!([18_446_744_073_709_551_615_u64]),
    ] {
        let why = stage
            .refused("sql_query", json!({"sql": "SELECT ?", "params": bad}))
            .await;
        assert!(why.contains("params[0]"), "{why}");
    }
}

#[tokio::test]
async fn several_statements_are_one_change_all_or_nothing() {
    let stage = with_table().await;
    let both = json!({"sql": "INSERT INTO t (name) VALUES (?); INSERT INTO t (name) VALUES (?);", "params": ["a", "b"]});
    assert_eq!(stage.ok("sql_exec", both).await["rowsAffected"], 2);
    stage
        .refused(
            "sql_exec",
            sql("DELETE FROM t; INSERT INTO nowhere VALUES (1)"),
        )
        .await;
    let left = stage.ok("sql_query", sql("SELECT COUNT(*) FROM t")).await;
    assert_eq!(left["rows"], json!([[2]]));
    for args in [
        json!({"sql": "SELECT ?, ?", "params": [1]}),
        json!({"sql": "SELECT ?", "params": [1, 2]}),
        sql("SELECT 1; SELECT 2"),
        sql("  -- nothing"),
    ] {
        stage.refused("sql_query", args).await;
    }
}

#[tokio::test]
async fn what_reaches_beyond_the_database_is_refused_in_every_place_of_a_batch() {
    let stage = with_table().await;
    stage
        .ok("sql_exec", sql("INSERT INTO t (name) VALUES ('a')"))
        .await;
    for forbidden in [
        "ATTACH 'x.db' AS x",
        "ATTACH ':memory:' AS x",
        "DETACH main",
        "PRAGMA user_version",
        "PRAGMA data_version",
        "PRAGMA page_size",
        "PRAGMA page_size = 512",
        "CREATE VIRTUAL TABLE x USING dbstat",
        "CREATE VIRTUAL TABLE temp.x USING fts5(a)",
        "PRAGMA journal_mode = DELETE",
        "SELECT * FROM pragma_table_info('t')",
        "CREATE TEMP TABLE x (a)",
        "CREATE TEMPORARY VIEW x AS SELECT 1",
        "CREATE TABLE temp.x (a)",
        "CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
        "SELECT load_extension('x')",
        "VACUUM",
        "VACUUM INTO 'copy.db'",
        "/* hi */ vacuum",
        "BEGIN",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "END",
        "ROLLBACK",
        "SAVEPOINT x",
        "RELEASE x",
    ] {
        for text in [
            forbidden.to_owned(),
            format!("DELETE FROM t; {forbidden}"),
            format!("{forbidden}; DELETE FROM t"),
        ] {
            let outcome = stage.call("sql_exec", sql(&text)).await;
            assert!(outcome.is_err(), "{text}");
            let outcome = stage.call("sql_query", sql(&text)).await;
            assert!(outcome.is_err(), "{text}");
        }
        let left = stage.ok("sql_query", sql("SELECT COUNT(*) FROM t")).await;
        assert_eq!(left["rows"], json!([[1]]), "{forbidden}");
    }
    let files: Vec<_> = std::fs::read_dir(stage.folder.path()).unwrap().collect();
    assert!(files.is_empty(), "{files:?}");
}

#[tokio::test]
async fn everything_else_of_the_language_works() {
    let stage = with_table().await;
    for text in [
        "CREATE INDEX i ON t (name)",
        "CREATE VIEW v AS SELECT name FROM t",
        "CREATE TABLE log (at TEXT, what TEXT)",
        "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES (datetime('now'), new.name); DELETE FROM log WHERE what = ''; END",
        "INSERT INTO t (name) VALUES ('a') ON CONFLICT (id) DO UPDATE SET n = n + 1",
        "ALTER TABLE t ADD COLUMN extra",
        "ALTER TABLE t RENAME TO people",
        "ALTER TABLE people RENAME COLUMN extra TO more",
        "ALTER TABLE people DROP COLUMN more",
        "UPDATE people SET n = 2 WHERE name LIKE 'a%'",
        "DROP VIEW v",
        "DROP INDEX i",
        "ANALYZE",
    ] {
        let outcome = stage.call("sql_exec", sql(text)).await;
        assert!(outcome.is_ok(), "{text} {outcome:?}");
    }
    for (text, rows) in [
        ("SELECT what FROM log", json!([["a"]])),
        (
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x < 3) SELECT x FROM c",
            json!([[1], [2], [3]]),
        ),
        ("SELECT json_extract('{\"a\":7}', '$.a')", json!([[7]])),
        (
            "INSERT INTO people (name) VALUES ('b') RETURNING name",
            json!([["b"]]),
        ),
        (
            "SELECT name, row_number() OVER (ORDER BY name) FROM people",
            json!([["a", 1], ["b", 2]]),
        ),
    ] {
        let found = stage.call("sql_query", sql(text)).await;
        assert_eq!(found.unwrap()["rows"], rows, "{text}");
    }
}

#[tokio::test]
async fn texts_are_searched_and_places_are_found() {
    let stage = Stage::trusted();
    for text in [
        "CREATE VIRTUAL TABLE wishes USING fts5(title, artist, tokenize = 'porter')",
        "INSERT INTO wishes VALUES ('Singing in the rain', 'Kelly'), ('Purple rain', 'Prince'), ('Blue', 'Mitchell')",
        "UPDATE wishes SET title = 'Raindrops keep falling' WHERE artist = 'Kelly'",
        "DELETE FROM wishes WHERE artist = 'Mitchell'",
        "INSERT INTO wishes (wishes) VALUES ('optimize')",
        "CREATE VIRTUAL TABLE places USING RTree(id, west, east, south, north)",
        "CREATE VIRTUAL TABLE names USING FTS5(name)",
        "INSERT INTO places VALUES (1, 5, 15, 47, 55), (2, -5, 8, 42, 51), (3, 100, 110, 1, 2)",
    ] {
        let outcome = stage.call("sql_exec", sql(text)).await;
        assert!(outcome.is_ok(), "{text} {outcome:?}");
    }
    for (text, rows) in [
        (
            "SELECT artist FROM wishes WHERE wishes MATCH 'rain OR falls' ORDER BY artist",
            json!([["Kelly"], ["Prince"]]),
        ),
        (
            "SELECT title FROM wishes WHERE wishes MATCH 'purple' ORDER BY title",
            json!([["Purple rain"]]),
        ),
        (
            "SELECT id FROM places WHERE west <= 7 AND east >= 7 AND south <= 50 AND north >= 50 ORDER BY id",
            json!([[1], [2]]),
        ),
    ] {
        let found = stage.call("sql_query", sql(text)).await;
        assert_eq!(found.unwrap()["rows"], rows, "{text}");
    }
    for text in [
        "SELECT highlight(wishes, 0, '[', ']') FROM wishes WHERE wishes MATCH 'rain'",
        "SELECT snippet(wishes, 0, '', '', '', 5) FROM wishes WHERE wishes MATCH 'rain'",
        "SELECT 1 FROM wishes WHERE wishes MATCH 'rain' ORDER BY bm25(wishes)",
        "SELECT 1 FROM wishes WHERE wishes MATCH 'rain' ORDER BY rank",
        "SELECT 1 FROM (SELECT * FROM wishes WHERE wishes MATCH 'rain' AND Rank < 0)",
    ] {
        let why = stage.refused("sql_query", sql(text)).await;
        let is_told = why.contains("not authorized to use function") || why.contains("rank, bm25");
        assert!(is_told, "{text} {why}");
    }
    stage
        .call("sql_exec", sql("CREATE TABLE scores (rank)"))
        .await
        .unwrap();
    stage
        .call("sql_query", sql("SELECT rank FROM scores"))
        .await
        .unwrap();
    let shadow = "UPDATE wishes_data SET block = x'00'";
    stage.refused("sql_exec", sql(shadow)).await;
    for text in [
        "ALTER TABLE wishes RENAME TO songs",
        "DROP TABLE songs",
        "DROP TABLE places",
    ] {
        let outcome = stage.call("sql_exec", sql(text)).await;
        assert!(outcome.is_ok(), "{text} {outcome:?}");
    }
}

#[tokio::test]
async fn a_search_table_takes_short_texts_and_questions_and_other_tables_long_ones() {
    let stage = Stage::trusted();
    let repeated =
        |text: &str, times: usize| format!("replace(hex(zeroblob({times})), '00', '{text}')");
    let million = repeated("a ", 500_000);
    for text in [
        "CREATE VIRTUAL TABLE \"Big_Search\" USING FTS5(text)".to_owned(),
        "CREATE VIRTUAL TABLE bare USING fts5(text, content = '')".to_owned(),
        "CREATE VIRTUAL TABLE mirror USING fts5(text, content = 'plain')".to_owned(),
        "CREATE TABLE plain (text)".to_owned(),
        "CREATE TABLE watched (text)".to_owned(),
        "CREATE VIEW seen AS SELECT text FROM big_search".to_owned(),
        "CREATE TRIGGER tr AFTER INSERT ON watched BEGIN INSERT INTO big_search VALUES (new.text); END".to_owned(),
        format!("INSERT INTO plain VALUES ({million})"),
        format!("INSERT INTO BIG_SEARCH VALUES ({})", repeated("a ", 2_000)),
        "INSERT INTO watched VALUES ('blue')".to_owned(),
    ] {
        let outcome = stage.call("sql_exec", sql(&text)).await;
        assert!(outcome.is_ok(), "{text} {outcome:?}");
    }
    let phrase = format!("'\"' || {} || '\"'", repeated("a ", 2_100));
    for text in [
        format!("INSERT INTO big_search VALUES ({million})"),
        format!("INSERT INTO bare VALUES ({million})"),
        format!("INSERT INTO watched VALUES ({million})"),
        "INSERT INTO mirror (mirror) VALUES ('rebuild')".to_owned(),
        format!("SELECT 1 FROM big_search WHERE big_search MATCH {phrase}"),
        format!("SELECT 1 FROM big_search({phrase})"),
        format!("SELECT 1 FROM big_search WHERE text MATCH {phrase}"),
    ] {
        let why = stage.refused("sql_exec", sql(&text)).await;
        assert!(why.contains("4096 bytes"), "{text} {why}");
    }
    for (text, rows) in [
        ("SELECT length(text) FROM plain", json!([[1_000_000]])),
        (
            "SELECT text FROM big_search WHERE big_search MATCH 'blue'",
            json!([["blue"]]),
        ),
        ("SELECT count(*) FROM seen", json!([[2]])),
    ] {
        let found = stage.call("sql_query", sql(text)).await;
        assert_eq!(found.unwrap()["rows"], rows, "{text}");
    }
    let wide = |columns: usize| {
        let names: Vec<_> = (0..columns).map(|n| format!("c{n}")).collect();
        format!(
            "CREATE VIRTUAL TABLE wide{columns} USING fts5({})",
            names.join(", ")
        )
    };
    stage.ok("sql_exec", sql(&wide(8))).await;
    stage.refused("sql_exec", sql(&wide(16))).await;
}

#[tokio::test]
async fn a_sort_larger_than_the_database_may_be_is_refused_with_advice() {
    let stage = Stage::trusted();
    let sort = |rows: u32| {
        format!(
            "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {rows}), \
             wide AS (SELECT n, zeroblob(900000) AS b FROM c) SELECT n FROM wide ORDER BY n DESC, b"
        )
    };
    let why = stage.refused("sql_query", sql(&sort(400))).await;
    assert!(why.contains("ask for less"), "{why}");
    let found = stage.ok("sql_query", sql(&sort(3))).await;
    assert_eq!(found["rows"], json!([[3], [2], [1]]));
}

#[tokio::test]
async fn large_questions_and_answers_are_refused_with_advice() {
    let stage = Stage::trusted();
    let count = |n: u32| {
        format!(
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x < {n}) SELECT x FROM c"
        )
    };
    stage.ok("sql_query", sql(&count(10_000))).await;
    let why = stage.refused("sql_query", sql(&count(10_001))).await;
    assert!(why.contains("LIMIT"), "{why}");
    let found = stage
        .ok(
            "sql_query",
            json!({"sql": count(10_001), "maxRows": 10_000}),
        )
        .await;
    assert_eq!(found["truncated"], true);
    let found = stage
        .ok("sql_query", json!({"sql": count(1), "maxRows": 1}))
        .await;
    assert_eq!(found.get("truncated"), None);
    for max in [-1, 10_001] {
        stage
            .refused("sql_query", json!({"sql": "SELECT 1", "maxRows": max}))
            .await;
    }
    let wide = "SELECT hex(zeroblob(200000)) FROM (VALUES (1),(2),(3))";
    let why = stage.refused("sql_query", sql(wide)).await;
    assert!(why.contains("LIMIT"), "{why}");
    for text in [
        "SELECT zeroblob(2000000)".to_owned(),
        format!("SELECT '{}'", "x".repeat(70_000)),
    ] {
        stage.refused("sql_query", sql(&text)).await;
    }
    let many = json!({"sql": "SELECT 1", "params": vec![1; 65]});
    assert!(stage.refused("sql_query", many).await.contains("64"));
}

#[tokio::test]
async fn an_endless_statement_is_ended_and_undone_and_the_next_one_works() {
    let stage = with_table().await;
    let endless = "INSERT INTO t (name) WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) \
                   SELECT x FROM c WHERE x < 0";
    let why = stage.refused("sql_exec", sql(endless)).await;
    assert!(why.contains("took longer"), "{why}");
    let left = stage.ok("sql_query", sql("SELECT COUNT(*) FROM t")).await;
    assert_eq!(left["rows"], json!([[0]]));
}

#[tokio::test]
async fn a_database_on_disk_outlives_the_plugin_and_has_a_size() {
    let folder = tempfile::tempdir().unwrap();
    let stage = || {
        Stage::with(all(), json!({}), |parts| {
            parts.sql = SqlStorage::Disk;
            parts.storage = folder.path().to_owned();
        })
    };
    let first = stage();
    first.ok("sql_exec", sql("CREATE TABLE t (x)")).await;
    first.ok("sql_exec", sql("INSERT INTO t VALUES (7)")).await;
    first.host.close();
    let second = stage();
    let found = second.ok("sql_query", sql("SELECT x FROM t")).await;
    assert_eq!(found["rows"], json!([[7]]));
    assert!(folder.path().join("door-bell/db/plugin.db").is_file());

    // Small enough that none of them times out on a slow disk.
    let fill = "INSERT INTO t VALUES (zeroblob(1000000)), (zeroblob(1000000))";
    let mut refusal = None;
    for _ in 0..70 {
        refusal = second.call("sql_exec", sql(fill)).await.err();
        if refusal.is_some() {
            break;
        }
    }
    let why = refusal.unwrap();
    assert!(why.contains("full"), "{why}");
    let kept = second.ok("sql_query", sql("SELECT COUNT(*) FROM t")).await;
    let kept = kept["rows"][0][0].as_i64().unwrap();
    // The first row, and as many rows of a million bytes as fit in 128 MiB.
    assert!((121..=135).contains(&kept), "{kept} rows");
}
