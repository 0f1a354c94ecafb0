//! What the operator can do while the engine is opening, and after the server itself failed.

use super::*;

/// A folder with one enabled plugin and one disabled.
async fn home() -> DataFolder {
    let home = DataFolder::new();
    let server = home.start().await;
    for slug in ["bell", "dice"] {
        server.install(package(slug, "1", &[], "")).await.unwrap();
    }
    server.installed.enable("bell").await.unwrap();
    home
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_asks_right_after_the_start_hears_how_it_went() {
    let home = home().await;
    home.put("bad.ocpkg", &package("bad", "1", &[], "fail"));
    let fake = Fake::default();
    fake.is_opening.send_replace(true);
    let server = home.start_blindly(Arc::new(fake)).await;
    let opened = async {
        let waits = || async { (*server.fake.loads.lock().unwrap() == ["bell"]).then_some(()) };
        eventually("the first plugin waits for the engine", waits).await;
        server.fake.is_opening.send_replace(false);
    };
    let (enabled, ()) = tokio::join!(server.installed.enable("bad"), opened);
    assert!(
        matches!(enabled, Err(PluginManagerError::Load(_))),
        "{enabled:?}"
    );
    server.installed.enable("dice").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 ", "dice 1 "]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_of_the_server_costs_the_plugin_and_not_the_shelf() {
    let home = home().await;
    let server = home.start().await;
    home.put("bad.ocpkg", &package("bad", "1", &[], "panic"));
    server.installed.scan().await.unwrap();
    let failed = server
        .installed
        .enable("bad")
        .await
        .unwrap_err()
        .to_string();
    assert!(failed.contains("a bug in the server"), "{failed}");
    let told = server.entry("bad").last_error.clone().unwrap();
    assert!(told.contains("a bug in the server"), "{told}");
    let refused = server.install(package("new", "1", &[], "panic")).await;
    assert!(matches!(refused, Err(PluginManagerError::Load(_))));

    server.installed.enable("dice").await.unwrap();
    server.fake.panics_at_the_end.store(true, Ordering::Relaxed);
    server.installed.disable("dice").await.unwrap();
    assert!(!server.entry("dice").is_enabled);
}
