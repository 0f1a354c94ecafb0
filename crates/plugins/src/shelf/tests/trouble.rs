//! What the operator can do while nothing can run, and after the server itself failed.

use super::*;

/// A home with one plugin that is to run, and one that is not.
async fn home() -> Home {
    let home = Home::new();
    let server = home.start().await;
    for slug in ["bell", "dice"] {
        server.install(package(slug, "1", &[], "")).await.unwrap();
    }
    server.shelf.enable("bell").await.unwrap();
    home
}

/// What becomes of a wish for which nobody has the patience to wait.
async fn hurried<T>(server: &Running, wish: impl Future<Output = T>) -> T {
    let mut wish = std::pin::pin!(wish);
    loop {
        tokio::select! {
            done = &mut wish => return done,
            () = tokio::task::yield_now() => server.clock.advance(ENGINE_PATIENCE),
        }
    }
}

fn preparing() -> Arc<Fake> {
    let fake = Fake::default();
    fake.preparing.send_replace(true);
    Arc::new(fake)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_but_running_works_while_the_engine_is_prepared() {
    let home = home().await;
    let server = home.start_with(preparing()).await;
    let shelf = &server.shelf;
    let enabled = hurried(&server, shelf.enable("dice")).await;
    assert!(
        matches!(&enabled, Err(ShelfError::Preparing(slug)) if slug.as_str() == "dice"),
        "{enabled:?}"
    );
    let dice = server.entry("dice");
    assert!(dice.is_enabled && dice.loaded.is_none() && dice.last_error.is_none());
    let reloaded = hurried(&server, shelf.reload("bell")).await;
    assert!(matches!(reloaded, Err(ShelfError::Preparing(_))));
    let uploaded = hurried(&server, server.install(package("third", "1", &[], ""))).await;
    assert!(matches!(uploaded, Err(ShelfError::CannotTry)));
    let values = serde_json::from_str(r#"{"speed":4}"#).unwrap();
    shelf.set_config("bell", values).await.unwrap();
    shelf.disable("bell").await.unwrap();
    assert!(!server.entry("bell").is_enabled);
    shelf.uninstall("bell").await.unwrap();
    assert_eq!(home.files(), ["dice.ocpkg"]);
    assert!(server.fake.loads.lock().unwrap().is_empty());

    server.fake.preparing.send_replace(false);
    let runs = || async { (server.fake.running() == ["dice 1 "]).then_some(()) };
    eventually("what waited runs", runs).await;
    shelf.scan().await.unwrap();
    assert!(server.entry("dice").loaded.is_some());
    assert_eq!(*server.fake.loads.lock().unwrap(), ["dice"], "once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_asks_right_after_the_start_hears_how_it_went() {
    let home = home().await;
    home.put("bad.ocpkg", &package("bad", "1", &[], "fail"));
    let server = home.start_with(preparing()).await;
    let ready = async {
        let waits = || async { server.entry("bad").is_enabled.then_some(()) };
        eventually("the wish is noted", waits).await;
        server.fake.preparing.send_replace(false);
    };
    let (enabled, ()) = tokio::join!(server.shelf.enable("bad"), ready);
    assert!(matches!(enabled, Err(ShelfError::Load(_))), "{enabled:?}");
    server.shelf.enable("dice").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 ", "dice 1 "]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_of_the_server_costs_the_plugin_and_not_the_shelf() {
    let home = home().await;
    let server = home.start().await;
    home.put("bad.ocpkg", &package("bad", "1", &[], "panic"));
    server.shelf.scan().await.unwrap();
    let failed = server.shelf.enable("bad").await.unwrap_err().to_string();
    assert!(failed.contains("a fault of the server"), "{failed}");
    let told = server.entry("bad").last_error.clone().unwrap();
    assert!(told.contains("a fault of the server"), "{told}");
    let refused = server.install(package("new", "1", &[], "panic")).await;
    assert!(matches!(refused, Err(ShelfError::Load(_))));

    server.shelf.enable("dice").await.unwrap();
    server.fake.panics_at_the_end.store(true, Ordering::Relaxed);
    server.shelf.disable("dice").await.unwrap();
    assert!(!server.entry("dice").is_enabled);
}
