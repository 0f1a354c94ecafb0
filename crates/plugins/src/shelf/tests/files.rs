//! What the folder shows.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_come_change_and_go_are_noticed_by_the_clock() {
    let home = Home::new();
    let server = home.start().await;
    home.put("any name.ocpkg", &package("bell", "1", &[], ""));
    home.put("notes.txt", b"not a package");
    home.put("broken.ocpkg", b"PK");
    let clock = server.clock.clone();
    let board = || server.shelf.board();
    eventually("the file is found", || {
        clock.advance(Duration::from_secs(2));
        ready(board().get("bell").map(|_| ()))
    })
    .await;
    assert_eq!(board().entries().count(), 1);
    server.shelf.enable("bell").await.unwrap();
    home.put("any name.ocpkg", &package("bell", "2 and longer", &[], ""));
    eventually("the newer version runs", || {
        clock.advance(Duration::from_secs(2));
        let is_newer = server.fake.running() == ["bell 2 and longer "];
        ready(is_newer.then_some(()))
    })
    .await;
    std::fs::rename(
        home.folder().join("any name.ocpkg"),
        home.folder().join("zzz.ocpkg"),
    )
    .unwrap();
    server.shelf.scan().await.unwrap();
    assert!(server.entry("bell").path.ends_with("zzz.ocpkg"));
    assert_eq!(server.fake.running().len(), 1);
    std::fs::remove_file(home.folder().join("zzz.ocpkg")).unwrap();
    server.shelf.scan().await.unwrap();
    assert!(server.fake.running().is_empty());
    let error = server.entry("bell").last_error.clone().unwrap();
    assert!(error.contains("missing"), "{error}");
    server.shelf.uninstall("bell").await.unwrap();
    assert!(server.shelf.board().get("bell").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_files_with_one_slug_the_first_is_kept_until_it_is_gone() {
    let home = Home::new();
    let server = home.start().await;
    home.put("b.ocpkg", &package("bell", "first", &[], ""));
    server.shelf.scan().await.unwrap();
    home.put("a.ocpkg", &package("bell", "second", &[], ""));
    server.shelf.scan().await.unwrap();
    server.shelf.enable("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell first "]);
    std::fs::remove_file(home.folder().join("b.ocpkg")).unwrap();
    server.shelf.scan().await.unwrap();
    server.shelf.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["bell second "]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_that_fails_keeps_the_wish_and_what_runs_and_hurts_no_other() {
    let home = Home::new();
    let server = home.start().await;
    home.put("bad.ocpkg", &package("bad", "1", &[], "fail"));
    home.put("good.ocpkg", &package("good", "1", &[], ""));
    server.shelf.scan().await.unwrap();
    server.shelf.enable("good").await.unwrap();
    let error = server.shelf.enable("bad").await.unwrap_err();
    assert!(error.to_string().contains("Traceback"), "{error}");
    assert!(server.entry("bad").is_enabled);
    home.put("good.ocpkg", &package("good", "2 is broken", &[], "fail"));
    server.shelf.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["good 1 "]);
    assert!(server.entry("good").last_error.is_some());
    home.put("good.ocpkg", b"not even an archive");
    let error = server.shelf.reload("good").await.unwrap_err();
    assert!(error.to_string().contains("ZIP"), "{error}");
    drop(server);
    home.put("good.ocpkg", &package("good", "3", &[], ""));
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["good 3 "]);
    let told = server.entry("bad").last_error.clone();
    assert_eq!(told.as_deref(), Some("Traceback: it fails"));
    home.put("bad.ocpkg", &package("bad", "2", &[], "mended"));
    server.shelf.reload("bad").await.unwrap();
    assert_eq!(server.entry("bad").last_error, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_is_one_sign_in_at_most_and_it_counts_even_when_its_file_is_gone() {
    let home = Home::new();
    let server = home.start().await;
    for slug in ["one", "two"] {
        server
            .install(package(slug, "1", &["auth.gate"], ""))
            .await
            .unwrap();
    }
    server.shelf.enable("two").await.unwrap();
    let error = server.shelf.enable("one").await.unwrap_err();
    assert!(
        error.to_string().contains("disable \"two\" first"),
        "{error}"
    );
    server
        .shelf
        .set_access_mode("two", AccessMode::WebsiteAndStream)
        .await
        .unwrap();
    std::fs::remove_file(home.folder().join("two.ocpkg")).unwrap();
    drop(server);
    let server = home.start().await;
    let board = server.shelf.board();
    let gate = board.gate().unwrap();
    assert_eq!(
        (gate.slug.as_str(), gate.access_mode),
        ("two", AccessMode::WebsiteAndStream)
    );
    assert!(gate.loaded.is_none());
    server.shelf.disable("two").await.unwrap();
    assert!(server.shelf.board().gate().is_none());
    server.shelf.enable("one").await.unwrap();
}
