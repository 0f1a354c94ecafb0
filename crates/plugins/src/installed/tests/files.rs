//! Scanning the folder.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_come_change_and_go_are_noticed_by_the_clock() {
    let home = DataFolder::new();
    let server = home.start().await;
    home.put("any name.ocpkg", &package("bell", "1", &[], ""));
    home.put("notes.txt", b"not a package");
    home.put("broken.ocpkg", b"PK");
    let clock = server.clock.clone();
    let list = || server.installed.list();
    eventually("the file is found", || {
        clock.advance(Duration::from_secs(2));
        ready(list().get("bell").map(|_| ()))
    })
    .await;
    assert_eq!(list().entries().count(), 1);
    server.installed.enable("bell").await.unwrap();
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
    server.installed.scan().await.unwrap();
    assert!(server.entry("bell").path.ends_with("zzz.ocpkg"));
    assert_eq!(server.fake.running().len(), 1);
    std::fs::remove_file(home.folder().join("zzz.ocpkg")).unwrap();
    server.installed.scan().await.unwrap();
    assert!(server.fake.running().is_empty());
    let error = server.entry("bell").last_error.clone().unwrap();
    assert!(error.contains("missing"), "{error}");
    server.installed.uninstall("bell").await.unwrap();
    assert!(server.installed.list().get("bell").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_files_with_one_slug_the_first_is_kept_until_it_is_gone() {
    let home = DataFolder::new();
    let server = home.start().await;
    home.put("b.ocpkg", &package("bell", "first", &[], ""));
    server.installed.scan().await.unwrap();
    home.put("a.ocpkg", &package("bell", "second", &[], ""));
    server.installed.scan().await.unwrap();
    server.installed.enable("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell first "]);
    std::fs::remove_file(home.folder().join("b.ocpkg")).unwrap();
    server.installed.scan().await.unwrap();
    server.installed.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["bell second "]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_that_fails_keeps_the_wish_and_what_runs_and_hurts_no_other() {
    let home = DataFolder::new();
    let server = home.start().await;
    home.put("bad.ocpkg", &package("bad", "1", &[], "fail"));
    home.put("good.ocpkg", &package("good", "1", &[], ""));
    server.installed.scan().await.unwrap();
    server.installed.enable("good").await.unwrap();
    let error = server.installed.enable("bad").await.unwrap_err();
    assert!(error.to_string().contains("Traceback"), "{error}");
    assert!(server.entry("bad").is_enabled);
    home.put("good.ocpkg", &package("good", "2 is broken", &[], "fail"));
    server.installed.scan().await.unwrap();
    assert_eq!(server.fake.running(), ["good 1 "]);
    assert!(server.entry("good").last_error.is_some());
    home.put("good.ocpkg", b"not even an archive");
    let error = server.installed.reload("good").await.unwrap_err();
    assert!(error.to_string().contains("ZIP"), "{error}");
    drop(server);
    home.put("good.ocpkg", &package("good", "3", &[], ""));
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["good 3 "]);
    let told = server.entry("bad").last_error.clone();
    assert_eq!(told.as_deref(), Some("Traceback: it fails"));
    home.put("bad.ocpkg", &package("bad", "2", &[], "mended"));
    server.installed.reload("bad").await.unwrap();
    assert_eq!(server.entry("bad").last_error, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_is_one_sign_in_at_most_and_it_counts_even_when_its_file_is_gone() {
    let home = DataFolder::new();
    let server = home.start().await;
    for slug in ["one", "two"] {
        server
            .install(package(slug, "1", &["auth.gate"], ""))
            .await
            .unwrap();
    }
    server.installed.enable("two").await.unwrap();
    let error = server.installed.enable("one").await.unwrap_err();
    assert!(
        error.to_string().contains("disable \"two\" first"),
        "{error}"
    );
    server
        .installed
        .set_access_mode("two", AccessMode::WebsiteAndStream)
        .await
        .unwrap();
    std::fs::remove_file(home.folder().join("two.ocpkg")).unwrap();
    drop(server);
    let server = home.start().await;
    let list = server.installed.list();
    let gate = list.gate().unwrap();
    assert_eq!(
        (gate.slug.as_str(), gate.access_mode),
        ("two", AccessMode::WebsiteAndStream)
    );
    assert!(gate.loaded.is_none());
    server.installed.disable("two").await.unwrap();
    assert!(server.installed.list().gate().is_none());
    server.installed.enable("one").await.unwrap();
}

/// Things that are not regular files, under the names of packages and unfinished uploads.
fn make_strange_files(home: &DataFolder) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let folder = home.folder();
    for name in ["pipe.ocpkg", "bell.unfinished"] {
        mknodat(CWD, folder.join(name), FileType::Fifo, Mode::RWXU, 0).unwrap();
    }
    for (target, link) in [("pipe.ocpkg", "link.ocpkg"), ("/dev/zero", "device.ocpkg")] {
        std::os::unix::fs::symlink(target, folder.join(link)).unwrap();
    }
    std::os::unix::net::UnixListener::bind(folder.join("socket.ocpkg")).unwrap();
    std::fs::create_dir(folder.join("folder.ocpkg")).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pipe_a_device_a_socket_or_a_folder_among_the_packages_blocks_nothing() {
    let home = DataFolder::new();
    let server = home.start().await;
    make_strange_files(&home);
    server.installed.scan().await.unwrap();
    server.install(package("bell", "1", &[], "")).await.unwrap();
    server.installed.enable("bell").await.unwrap();
    assert_eq!(server.fake.running(), ["bell 1 "]);
    let list = server.installed.list();
    let files = list.unusable_files().iter();
    let told: Vec<_> = files
        .map(|file| {
            assert!(file.reason.contains("not a plain file"), "{file:?}");
            file.path.file_stem().unwrap().to_str().unwrap()
        })
        .collect();
    assert_eq!(told, ["device", "folder", "link", "pipe", "socket"]);
    drop(server);
    let server = home.start().await;
    assert_eq!(server.fake.running(), ["bell 1 "]);
    server.installed.uninstall("bell").await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_are_not_used_are_told_with_the_reason_until_they_are_mended_or_gone() {
    let home = DataFolder::new();
    let server = home.start().await;
    let told = || {
        let list = server.installed.list();
        let files = list.unusable_files().iter();
        let told = files.map(|file| (file.path.clone(), file.reason.clone()));
        told.collect::<Vec<_>>()
    };
    assert!(told().is_empty());
    home.put("broken.ocpkg", b"PK");
    home.put("a.ocpkg", &package("bell", "1", &[], ""));
    home.put("b.ocpkg", &package("bell", "2", &[], ""));
    server.installed.scan().await.unwrap();
    let [(second, why), (broken, reason)] = &told()[..] else {
        panic!("{:?}", told());
    };
    assert_eq!(*second, home.folder().join("b.ocpkg"));
    assert!(
        why.contains("already in") && why.ends_with("a.ocpkg"),
        "{why}"
    );
    assert_eq!(*broken, home.folder().join("broken.ocpkg"));
    assert!(reason.contains("ZIP"), "{reason}");

    home.put("broken.ocpkg", &package("dice", "1", &[], ""));
    std::fs::remove_file(home.folder().join("b.ocpkg")).unwrap();
    server.installed.scan().await.unwrap();
    assert_eq!(told(), []);
    home.put("broken.ocpkg", b"broken again");
    server.installed.scan().await.unwrap();
    assert_eq!(told().len(), 1, "also when it is the file of a plugin");
    assert!(server.entry("dice").last_error.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_file_of_a_plugin_is_found_when_the_first_is_uninstalled_or_holds_another() {
    let home = DataFolder::new();
    let server = home.start().await;
    for (file, version) in [("a.ocpkg", "1"), ("b.ocpkg", "2"), ("c.ocpkg", "3")] {
        home.put(file, &package("bell", version, &[], ""));
    }
    server.installed.scan().await.unwrap();
    server.installed.enable("bell").await.unwrap();
    server.installed.uninstall("bell").await.unwrap();
    let entry = server.entry("bell");
    assert!(entry.path.ends_with("b.ocpkg") && !entry.is_enabled);
    assert_eq!(home.files(), ["b.ocpkg", "c.ocpkg"]);

    home.put("b.ocpkg", &package("dice", "of another slug", &[], ""));
    server.installed.scan().await.unwrap();
    server.installed.scan().await.unwrap();
    assert!(server.entry("dice").path.ends_with("b.ocpkg"));
    assert!(server.entry("bell").path.ends_with("c.ocpkg"));
    assert!(server.installed.list().unusable_files().is_empty());
}
