//! The list of the servers on one database.

use std::time::Duration;

use jiff::Timestamp;
use store::{NewNode, OpenError, Store};

use crate::support::{Home, at, psql};

fn node(id: &str, name: &str, since: i64) -> NewNode {
    NewNode {
        id: id.into(),
        name: name.into(),
        version: "0.3.0".into(),
        roles: "ingest,web".into(),
        addresses: "{}".into(),
        since: at(since),
    }
}

async fn names(store: &Store) -> Vec<String> {
    let nodes = store.nodes().await.unwrap();
    nodes.into_iter().map(|node| node.id).collect()
}

pub(crate) async fn a_server_is_listed_from_its_start_to_its_clean_stop(home: Home) {
    let store = home.open().await;
    assert!(names(&store).await.is_empty());
    assert_eq!(store.join_nodes(node("a1", "a", 0)).await.unwrap(), 1);
    assert_eq!(store.join_nodes(node("b1", "b", 1)).await.unwrap(), 2);
    let load = r#"{"viewers":7}"#.to_owned();
    assert!(
        store
            .note_node("b1".into(), load.clone(), at(11))
            .await
            .unwrap()
    );
    let nodes = store.nodes().await.unwrap();
    assert_eq!(nodes[0].roles, "ingest,web");
    assert_eq!((nodes[0].since, nodes[0].last_seen), (at(0), at(0)));
    assert_eq!((nodes[1].since, nodes[1].last_seen), (at(1), at(11)));
    assert_eq!((nodes[1].number, &nodes[1].load), (2, &load));
    store.leave_nodes("a1".into()).await.unwrap();
    assert_eq!(names(&store).await, ["b1"]);
}

pub(crate) async fn a_restarted_server_takes_the_place_of_the_one_that_died(home: Home) {
    let store = home.open().await;
    store.join_nodes(node("a1", "a", 0)).await.unwrap();
    let number = store.join_nodes(node("a2", "a", 5)).await.unwrap();
    assert_eq!(number, 2, "a number means one process");
    assert_eq!(names(&store).await, ["a2"]);
    let load = "{}".to_owned();
    assert!(
        !store.note_node("a1".into(), load, at(6)).await.unwrap(),
        "the first is told, should it be alive"
    );
}

pub(crate) async fn a_server_that_fell_silent_is_forgotten_after_a_day(home: Home) {
    let store = home.open().await;
    store.join_nodes(node("a1", "a", 0)).await.unwrap();
    store.join_nodes(node("b1", "b", 0)).await.unwrap();
    let note = async |seconds: i64| {
        let noted = store.note_node("b1".into(), "{}".into(), at(seconds)).await;
        noted.unwrap()
    };
    assert!(note(86_400).await);
    assert_eq!(names(&store).await, ["a1", "b1"]);
    assert!(note(86_401).await);
    assert_eq!(names(&store).await, ["b1"]);
}

pub(crate) async fn a_program_that_is_too_old_for_a_cluster_changes_nothing_in_it(home: Home) {
    let Some(url) = home.postgres_url() else {
        return;
    };
    let first = home.open_shared().await;
    let mut running = node("a1", "first", 0);
    running.since = first.database_time().await.unwrap();
    first.join_nodes(running).await.unwrap();
    // Another migration that only adds is no reason.
    psql(
        &url,
        "INSERT INTO _sqlx_migrations VALUES (9998, 'later', now(), true, '\\x00', 0)",
    );
    home.open_shared().await.close().await;
    psql(&url, "UPDATE cluster SET min_schema = 9998");
    let refused = Store::open_shared(&home.url, &home.key_file()).await;
    let error = refused.unwrap_err();
    assert!(
        matches!(error, OpenError::TooOld { needed: 9998, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("first (0.3.0)"), "{error}");
}

pub(crate) async fn the_database_tells_the_time_that_all_servers_compare_theirs_with(home: Home) {
    if home.postgres_url().is_none() {
        return;
    }
    let store = home.open_shared().await;
    let told = store.database_time().await.unwrap();
    // The test and its PostgreSQL run on one machine.
    let apart = Timestamp::now().duration_since(told);
    assert!(apart.unsigned_abs() < Duration::from_secs(60), "{apart:?}");
}
