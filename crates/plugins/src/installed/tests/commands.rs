//! The operator's commands.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uploaded_plugin_is_discovered_enabled_loaded_and_all_of_it_survives_a_restart() {
    let home = DataFolder::new();
    let server = home.start().await;
    let entry = server
        .install(package("bell", "1", &["chat.send"], ""))
        .await
        .unwrap();
    assert!(!entry.is_enabled && entry.loaded.is_none() && entry.pending.is_empty());
    assert_eq!(home.files(), ["bell.ocpkg"]);
    assert!(
        server.fake.running().is_empty(),
        "nothing is enabled by itself"
    );
    server.installed.enable("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
    assert!(server.entry("bell").loaded.is_some());
    drop(server);
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
    server.installed.disable("bell").await.unwrap();
    assert!(server.fake.running().is_empty());
    drop(server);
    let server = home.start().await;
    assert!(server.fake.running().is_empty() && !server.entry("bell").is_enabled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_is_wrong_leaves_nothing_behind() {
    let home = DataFolder::new();
    let server = home.start().await;
    let failing = package("bell", "1", &[], "fail");
    let damaged = ZipEntry {
        checksum: 1,
        ..ZipEntry::new("plugin.py", b"x")
    };
    let manifest = br#"{"api":"1","name":"bell","version":"1"}"#;
    let lying = zip(&[ZipEntry::new("plugin.manifest.json", manifest), damaged]);
    for (bytes, why) in [
        (failing, "it fails"),
        (lying, "checksum"),
        (Vec::new(), "empty"),
    ] {
        let error = server.install(bytes).await.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(home.files(), Vec::<String>::new());
    server.install(package("bell", "1", &[], "")).await.unwrap();
    let again = server
        .install(package("bell", "2", &[], ""))
        .await
        .unwrap_err();
    assert!(again.to_string().contains("already installed"), "{again}");
    home.put("dice.ocpkg", &package("other", "1", &[], ""));
    server.installed.scan().await.unwrap();
    let taken = server
        .install(package("dice", "1", &[], ""))
        .await
        .unwrap_err();
    assert!(matches!(taken, PluginManagerError::Occupied(_)), "{taken}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_asks_for_more_waits_while_the_approved_one_runs_on() {
    let home = DataFolder::new();
    let server = home.start().await;
    server
        .install(package("bell", "1", &["chat.send", "storage.kv"], ""))
        .await
        .unwrap();
    server.installed.enable("bell").await.unwrap();
    home.put("bell.ocpkg", &package("bell", "2", &["chat.send"], ""));
    server.installed.scan().await.unwrap();
    assert_eq!(
        server.fake.running(),
        ["bell 2 chat.send"],
        "fewer are taken over silently"
    );

    home.put(
        "bell.ocpkg",
        &package("bell", "3", &["chat.send", "ui.modify"], ""),
    );
    server.installed.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["bell 2 chat.send"]);
    let entry = server.entry("bell");
    assert_eq!(entry.pending.names(), ["ui.modify"]);
    assert_eq!(entry.loaded.as_ref().unwrap().manifest().version, "2");
    let error = server.installed.reload("bell").await.unwrap_err();
    assert!(error.to_string().contains("ui.modify"), "{error}");
    drop(server);

    let server = home.start().await;
    assert_eq!(
        server.fake.running(),
        ["bell 2 chat.send"],
        "the approved file is gone, its copy is not, and the other one waits still"
    );
    server.installed.approve("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 3 chat.send,ui.modify"]);
    assert!(server.entry("bell").pending.is_empty());
    let error = server.installed.approve("bell").await.unwrap_err();
    assert!(matches!(error, PluginManagerError::NothingPending(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn enabling_again_approves_what_waits() {
    let home = DataFolder::new();
    let server = home.start().await;
    server.install(package("bell", "1", &[], "")).await.unwrap();
    server.installed.enable("bell").await.unwrap();
    let newer = package("bell", "2", &["chat.send"], "");
    server
        .installed
        .install(newer.into(), InstallMode::Replace)
        .await
        .unwrap();
    assert_eq!(server.fake.running(), ["bell 1 "]);
    server.installed.enable("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 2 chat.send"]);
    let loads = server.fake.loads.lock().unwrap().len();
    server.installed.enable("bell").await.unwrap();
    assert_eq!(
        server.fake.loads.lock().unwrap().len(),
        loads,
        "what runs is left alone"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_are_checked_kept_through_uninstalling_and_fall_back_to_defaults() {
    let home = DataFolder::new();
    let server = home.start().await;
    server
        .install(package("bell", "1", &["chat.send"], ""))
        .await
        .unwrap();
    let set = async |values: Value| {
        let Value::Object(values) = values else {
            panic!("an object")
        };
        server.installed.set_config("bell", values).await
    };
    for (values, why) in [
        (json!({ "no": 1 }), "no setting \"no\""),
        (json!({ "speed": "fast" }), "must be a number"),
    ] {
        let error = set(values).await.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let now = |server: &StartedManager| {
        let entry = server.entry("bell");
        let package = entry.package.as_ref().unwrap();
        Value::from(effective(&package.manifest().config, &entry.config))
    };
    assert_eq!(now(&server), json!({ "speed": 3, "word": null }));
    set(json!({ "speed": 9, "word": "x" })).await.unwrap();
    set(json!({ "word": "y", "speed": null })).await.unwrap();
    assert_eq!(now(&server), json!({ "speed": 3, "word": "y" }));
    server.installed.enable("bell").await.unwrap();
    server.installed.uninstall("bell").await.unwrap();
    assert_eq!(home.files(), Vec::<String>::new());
    assert!(server.fake.running().is_empty());
    let entry = server.install(package("bell", "2", &[], "")).await.unwrap();
    assert!(!entry.is_enabled && entry.approved.is_empty());
    assert_eq!(now(&server), json!({ "speed": 3, "word": "y" }));
    let error = server
        .installed
        .set_access_mode("bell", AccessMode::WebsiteOnly)
        .await
        .unwrap_err();
    assert!(matches!(error, PluginManagerError::NoGate(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_there_or_not_enabled_is_said() {
    let home = DataFolder::new();
    let server = home.start().await;
    for error in [
        server.installed.enable("x").await,
        server.installed.disable("x").await,
        server.installed.reload("x").await,
        server.installed.uninstall("../x").await,
        server.installed.approve("x").await,
    ] {
        assert!(matches!(error, Err(PluginManagerError::Unknown(_))));
    }
    server.install(package("bell", "1", &[], "")).await.unwrap();
    assert!(matches!(
        server.installed.reload("bell").await,
        Err(PluginManagerError::NotEnabled(_))
    ));
    assert!(matches!(
        server.installed.approve("bell").await,
        Err(PluginManagerError::NotEnabled(_))
    ));
    std::fs::write(home.folder().join("left.unfinished"), b"half").unwrap();
    drop(server);
    drop(home.start().await);
    assert_eq!(home.files(), ["bell.ocpkg"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plugin_stops_at_once_though_another_is_slow_to_load() {
    let home = DataFolder::new();
    let server = home.start().await;
    for (slug, code) in [("bell", ""), ("sloth", "slow")] {
        let installed = server.install(package(slug, "1", &[], code)).await;
        installed.unwrap();
    }
    server.installed.enable("bell").await.unwrap();
    let installed = server.installed.clone();
    let enabling = tokio::spawn(async move { installed.enable("sloth").await });
    eventually("the slow one is being loaded", || async {
        let loads = server.fake.loads.lock().unwrap();
        loads.contains(&"sloth".to_owned()).then_some(())
    })
    .await;
    let installed = server.installed.clone();
    let disabling = tokio::spawn(async move { installed.disable("bell").await });
    eventually("the other one has stopped", || async {
        server.fake.running().is_empty().then_some(())
    })
    .await;
    server.fake.may_go_on.add_permits(1);
    enabling.await.unwrap().unwrap();
    disabling.await.unwrap().unwrap();
    assert!(!server.entry("bell").is_enabled);
    assert_eq!(server.fake.running(), ["sloth 1 "]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_kept_about_a_plugin_that_was_removed_or_whose_file_is_gone() {
    let home = DataFolder::new();
    let server = home.start().await;
    for slug in ["bell", "clock", "dice"] {
        server.install(package(slug, "1", &[], "")).await.unwrap();
        server.installed.enable(slug).await.unwrap();
    }
    server.installed.uninstall("bell").await.unwrap();
    assert_eq!(server.retained(), ["clock", "dice"]);
    std::fs::remove_file(home.folder().join("clock.ocpkg")).unwrap();
    server.installed.scan().await.unwrap();
    assert_eq!(server.retained(), ["dice"]);
    drop(server);
    std::fs::remove_file(home.folder().join("dice.ocpkg")).unwrap();
    let server = home.start().await;
    assert_eq!(server.retained(), Vec::<String>::new());
    server.install(package("bell", "1", &[], "")).await.unwrap();
    server.installed.enable("bell").await.unwrap();
    server.installed.disable("bell").await.unwrap();
    drop(server);
    let server = home.start().await;
    assert_eq!(server.retained(), ["bell"], "it may be enabled again");
}
