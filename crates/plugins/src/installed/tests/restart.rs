//! What runs after a restart while a newer package waits for approval.

use store::Lease;

use super::*;

const MORE: [&str; 2] = ["chat.send", "storage.kv"];

/// A folder in which version 1 runs and version 2, which asks for more, has replaced its file.
async fn home_with_update(wanted: &[&str], more: &[&str]) -> DataFolder {
    let home = DataFolder::new();
    let server = home.start().await;
    server
        .install(package("bell", "1", wanted, ""))
        .await
        .unwrap();
    server.installed.enable("bell").await.unwrap();
    home.put("bell.ocpkg", &package("bell", "2", more, ""));
    server.installed.scan().await.unwrap();
    assert_eq!(server.entry("bell").pending.names(), ["storage.kv"]);
    home
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_update_that_waits_leaves_the_approved_version_running_after_a_restart() {
    let home = home_with_update(&["chat.send"], &MORE).await;
    for _ in 0..2 {
        let server = home.start().await;
        assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
        let entry = server.entry("bell");
        assert_eq!(entry.pending.names(), ["storage.kv"]);
        assert_eq!(entry.last_error, None);
        let versions = [&entry.package, &entry.loaded]
            .map(|package| package.as_ref().unwrap().manifest().version.clone());
        assert_eq!(
            versions,
            ["2", "1"],
            "the newest is shown, the approved runs"
        );
    }
    let server = home.start().await;
    server.installed.approve("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 2 chat.send,storage.kv"]);
    drop(server);
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 2 chat.send,storage.kv"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_update_that_came_while_the_server_was_stopped_waits_as_well() {
    let home = DataFolder::new();
    let server = home.start().await;
    server
        .install(package("bell", "1", &["chat.send"], ""))
        .await
        .unwrap();
    server.installed.enable("bell").await.unwrap();
    drop(server);
    home.put("bell.ocpkg", &package("bell", "2", &MORE, ""));
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_version_that_asks_for_nothing_new_is_the_one_that_runs_on() {
    let home = DataFolder::new();
    let server = home.start().await;
    home.put("bell.ocpkg", &package("bell", "1", &["chat.send"], ""));
    server.installed.scan().await.unwrap();
    server.installed.enable("bell").await.unwrap();
    home.put("bell.ocpkg", &package("bell", "1.1", &["chat.send"], ""));
    server.installed.scan().await.unwrap();
    // A package that does not load replaces nothing.
    home.put(
        "bell.ocpkg",
        &package("bell", "1.2", &["chat.send"], "fail"),
    );
    server.installed.scan().await.unwrap();
    home.put("bell.ocpkg", &package("bell", "2.0", &MORE, ""));
    drop(server);
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 1.1 chat.send"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_whose_update_waits_keeps_its_doors_after_a_restart() {
    let home = home_with_update(&["auth.gate"], &["storage.kv"]).await;
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 1 auth.gate"]);
    let list = server.installed.list();
    assert_eq!(list.gate().unwrap().slug.as_str(), "bell");
    let mode = AccessMode::WebsiteAndStream;
    server
        .installed
        .set_access_mode("bell", mode)
        .await
        .unwrap();
    assert_eq!(server.installed.list().guard(), Some(mode));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_is_damaged_or_missing_is_told_and_stops_nothing() {
    let home = home_with_update(&["chat.send"], &MORE).await;
    let copy = home.approved().join("bell.ocpkg");
    let whole = std::fs::read(&copy).unwrap();
    let foreign = package("dice", "1", &[], "");
    let greedy = package("bell", "1", &["chat.send", "auth.gate"], "");
    let mut damaged = whole.clone();
    // Inside the name of the code's own header.
    let code = whole
        .windows(9)
        .position(|name| name == b"plugin.py")
        .unwrap();
    damaged[code] ^= 1;
    for (bytes, why) in [
        (Some(&b"nonsense"[..]), "ZIP"),
        (Some(&whole[..whole.len() - 1]), "ZIP"),
        (Some(&damaged), "plugin.py"),
        (Some(&foreign), "another plugin"),
        (Some(&greedy), "more than was approved"),
        (None, "no copy"),
    ] {
        std::fs::remove_file(&copy).unwrap();
        if let Some(bytes) = bytes {
            std::fs::write(&copy, bytes).unwrap();
        }
        let server = home.start().await;
        assert!(server.fake.running().is_empty(), "{why}");
        let error = server.entry("bell").last_error.clone().unwrap();
        assert!(
            error.contains("storage.kv") && error.contains(why),
            "{error}"
        );
        drop(server);
        std::fs::write(&copy, &whole).unwrap();
    }
    std::fs::write(&copy, b"nonsense").unwrap();
    let server = home.start().await;
    server.installed.approve("bell").await.unwrap();
    assert_eq!(server.entry("bell").last_error, None);
    assert_eq!(server.fake.running(), ["bell 2 chat.send,storage.kv"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_is_there_as_long_as_the_plugin_is_to_run() {
    let home = home_with_update(&["chat.send"], &MORE).await;
    assert_eq!(home.copies(), ["bell.ocpkg"]);
    let server = home.start().await;
    server.installed.disable("bell").await.unwrap();
    assert!(home.copies().is_empty());
    server.installed.enable("bell").await.unwrap();
    let copied = std::fs::read(home.approved().join("bell.ocpkg")).unwrap();
    assert_eq!(copied, package("bell", "2", &MORE, ""));
    server.installed.uninstall("bell").await.unwrap();
    assert!(home.copies().is_empty());
    drop(server);
    for left_over in ["bell.ocpkg", "bell.unfinished"] {
        std::fs::write(home.approved().join(left_over), b"left over").unwrap();
    }
    home.start().await;
    assert!(home.copies().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_run_plugins_follows_what_is_decided_and_runs_them_when_it_is_its_turn()
 {
    let home = DataFolder::new();
    let (first, second) = (home.start().await, Arc::new(Fake::default()));
    let url = DatabaseUrl::Sqlite(home.root.path().join("test.db"));
    let key = home.root.path().join("secret.key");
    let clock = ManualClock::default();
    let parts = ManagerParts {
        folder: home.folder(),
        approved: home.approved(),
        included: Vec::new(),
        store: Store::open(&url, &key).await.unwrap(),
        clock: Arc::new(clock.clone()),
        loader: Arc::clone(&second) as Arc<dyn Loader>,
    };
    let (installed, mut manager) = InstalledPlugins::open(parts).await.unwrap();
    let wanted = ["auth.gate", "http.serve"];
    first
        .install(package("door", "1", &wanted, ""))
        .await
        .unwrap();
    first.installed.enable("door").await.unwrap();
    follow(&mut manager, &clock, &installed, |list| {
        list.gate().is_some()
    })
    .await;
    let strict = AccessMode::WebsiteStreamAndStatus;
    let decided = first.installed.set_access_mode("door", strict).await;
    decided.unwrap();
    follow(&mut manager, &clock, &installed, |list| {
        list.guard() == Some(strict)
    })
    .await;
    let refused = tokio::select! {
        () = manager.watch() => None,
        refused = installed.reload("door") => Some(refused),
    };
    assert!(matches!(refused, Some(Err(PluginManagerError::Elsewhere))));
    assert!(second.running().is_empty());
    drop(first);
    let stop = CancellationToken::new();
    let always = Lease::always();
    let turn = manager.run_under(&always, &stop);
    let scanned = async {
        installed.scan().await.unwrap();
        stop.cancel();
    };
    tokio::join!(turn, scanned);
    assert_eq!(second.running(), ["door 1 auth.gate,http.serve"]);
}

/// Follows until this is known.
async fn follow(
    manager: &mut PluginManager,
    clock: &ManualClock,
    installed: &InstalledPlugins,
    is_known: impl Fn(&PluginList) -> bool,
) {
    let known = eventually("the decision is known", async || {
        clock.advance(Duration::from_secs(1));
        is_known(&installed.list()).then_some(())
    });
    tokio::select! {
        () = manager.watch() => {}
        () = known => {}
    }
}
