//! Included packages.

use super::*;

const SEND: [&str; 1] = ["chat.send"];

fn included(version: &str, permissions: &[&str]) -> Vec<Arc<Package>> {
    let packed = package("bell", version, permissions, "");
    vec![Arc::new(Package::from_bytes(packed).unwrap())]
}

fn home() -> DataFolder {
    let mut home = DataFolder::new();
    home.included = included("1", &SEND);
    home
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_included_plugin_is_off_until_it_is_enabled_and_stays_on_after_a_restart() {
    let home = home();
    let server = home.start().await;
    let entry = server.entry("bell");
    assert!(entry.is_included && !entry.replaces_included && !entry.is_enabled);
    assert!(entry.path.as_os_str().is_empty());
    assert!(server.fake.running().is_empty() && home.files().is_empty());
    server.installed.enable("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
    server.installed.reload("bell").await.unwrap();
    assert_eq!(server.fake.loads.lock().unwrap().len(), 2);
    server.installed.scan().await.unwrap();
    assert_eq!(
        server.fake.loads.lock().unwrap().len(),
        2,
        "nothing changed"
    );
    drop(server);
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
    server.installed.disable("bell").await.unwrap();
    assert!(!server.entry("bell").is_enabled);
    assert!(server.fake.running().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_included_plugin_cannot_be_uninstalled() {
    let home = home();
    let server = home.start().await;
    server.installed.enable("bell").await.unwrap();
    let error = server.installed.uninstall("bell").await.unwrap_err();
    assert!(error.to_string().contains("disable it instead"), "{error}");
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_replaces_an_included_plugin_until_it_is_uninstalled() {
    let home = home();
    let server = home.start().await;
    server.installed.enable("bell").await.unwrap();
    let entry = server
        .install(package("bell", "2", &SEND, ""))
        .await
        .unwrap();
    assert!(entry.replaces_included && !entry.is_included);
    assert!(entry.path.ends_with("bell.ocpkg"));
    assert_eq!(server.fake.running(), ["bell 2 chat.send"]);
    let again = server.install(package("bell", "3", &SEND, "")).await;
    assert!(matches!(again, Err(PluginManagerError::Installed(_))));
    drop(server);
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 2 chat.send"]);
    server.installed.uninstall("bell").await.unwrap();
    let entry = server.entry("bell");
    assert!(entry.is_included && !entry.replaces_included && !entry.is_enabled);
    assert!(entry.approved.is_empty() && entry.loaded.is_none());
    assert!(server.fake.running().is_empty() && home.files().is_empty());
    server.installed.enable("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_in_front_of_an_included_plugin_waits_like_an_update_and_does_not_lend_its_approval()
{
    let home = home();
    let server = home.start().await;
    server.installed.enable("bell").await.unwrap();
    let more = package("bell", "2", &["chat.send", "ui.modify"], "");
    home.put("any.ocpkg", &more);
    server.installed.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
    assert_eq!(server.entry("bell").pending.names(), ["ui.modify"]);
    server.installed.approve("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 2 chat.send,ui.modify"]);
    std::fs::remove_file(home.folder().join("any.ocpkg")).unwrap();
    server.installed.scan().await.unwrap();
    // The approved file is gone, and the included package was never approved.
    assert!(server.fake.running().is_empty());
    let entry = server.entry("bell");
    assert!(entry.package.is_none() && entry.is_enabled && entry.last_error.is_some());
    drop(server);
    let server = home.start().await;
    assert!(server.fake.running().is_empty());
    home.put("any.ocpkg", &more);
    server.installed.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["bell 2 chat.send,ui.modify"]);
    std::fs::remove_file(home.folder().join("any.ocpkg")).unwrap();
    server.installed.scan().await.unwrap();
    server.installed.disable("bell").await.unwrap();
    server.installed.scan().await.unwrap();
    server.installed.enable("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_waits_in_front_of_an_included_plugin_may_go_again() {
    let home = home();
    let server = home.start().await;
    server.installed.enable("bell").await.unwrap();
    home.put(
        "any.ocpkg",
        &package("bell", "2", &["chat.send", "ui.modify"], ""),
    );
    server.installed.scan().await.unwrap();
    std::fs::remove_file(home.folder().join("any.ocpkg")).unwrap();
    server.installed.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 chat.send"]);
    let entry = server.entry("bell");
    assert!(entry.is_included && entry.is_enabled && entry.last_error.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_included_plugin_does_not_run_while_the_folder_cannot_be_read() {
    let home = home();
    let server = home.start().await;
    server
        .install(package("bell", "2", &SEND, ""))
        .await
        .unwrap();
    server.installed.enable("bell").await.unwrap();
    drop(server);
    let aside = home.root.path().join("aside");
    std::fs::rename(home.folder(), &aside).unwrap();
    std::fs::write(home.folder(), b"no folder").unwrap();
    let server = home.start_blindly(Arc::default()).await;
    server.installed.scan().await.unwrap_err();
    assert!(server.fake.running().is_empty());
    std::fs::remove_file(home.folder()).unwrap();
    std::fs::rename(&aside, home.folder()).unwrap();
    server.installed.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["bell 2 chat.send"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_server_whose_plugin_asks_for_more_lets_the_former_one_run_until_that_is_approved()
{
    let mut home = home();
    let server = home.start().await;
    server.installed.enable("bell").await.unwrap();
    drop(server);
    home.included = included("1.1", &SEND);
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 1.1 chat.send"]);
    drop(server);
    home.included = included("2", &["chat.send", "ui.modify"]);
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 1.1 chat.send"]);
    let entry = server.entry("bell");
    assert_eq!(entry.package.as_ref().unwrap().manifest().version, "2");
    assert_eq!(entry.pending.names(), ["ui.modify"]);
    server.installed.approve("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 2 chat.send,ui.modify"]);
}
