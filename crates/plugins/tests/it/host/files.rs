use std::os::unix::fs::{PermissionsExt, symlink};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::stage::Stage;

fn writing(path: &str, bytes: &[u8]) -> Value {
    json!({"path": path, "base64": BASE64_STANDARD.encode(bytes)})
}

#[tokio::test]
async fn bytes_come_back_as_they_were_written() {
    let stage = Stage::trusted();
    let bytes: Vec<u8> = (0..=255).collect();
    let done = stage.ok("fs_write", writing("a/b/c.bin", &bytes)).await;
    assert_eq!(done, json!({"ok": true}));
    let read = stage.ok("fs_read", json!({"path": "/a//b/./c.bin"})).await;
    assert_eq!(read["base64"], BASE64_STANDARD.encode(&bytes));
    stage.ok("fs_write", writing("a/b/c.bin", b"")).await;
    assert_eq!(
        stage.ok("fs_read", json!({"path": "a/b/c.bin"})).await,
        json!({"base64": ""})
    );
}

#[tokio::test]
async fn folders_are_listed_and_files_deleted() {
    let stage = Stage::trusted();
    assert_eq!(stage.ok("fs_list", json!({"dir": ""})).await, json!([]));
    assert_eq!(stage.ok("fs_list", json!({"dir": "none"})).await, json!([]));
    for path in ["b", "a/x", "a/y"] {
        stage.ok("fs_write", writing(path, b"1")).await;
    }
    assert_eq!(
        stage.ok("fs_list", json!({"dir": ""})).await,
        json!(["a", "b"])
    );
    assert_eq!(
        stage.ok("fs_list", json!({"dir": "a"})).await,
        json!(["x", "y"])
    );
    for (path, is_there) in [
        ("a", true),
        ("a/x", true),
        ("a/z", false),
        ("b/x", false),
        ("", true),
    ] {
        assert_eq!(
            stage.ok("fs_exists", json!({"path": path})).await,
            is_there,
            "{path}"
        );
    }
    assert_eq!(stage.ok("fs_read", json!({"path": "a"})).await, Value::Null);
    let why = stage.refused("fs_delete", json!({"path": "a"})).await;
    assert!(why.contains("not empty"), "{why}");
    for path in ["a/x", "a/y", "a"] {
        assert_eq!(
            stage.ok("fs_delete", json!({"path": path})).await,
            json!({"ok": true})
        );
    }
    let why = stage.refused("fs_delete", json!({"path": "a"})).await;
    assert!(why.contains("not there"), "{why}");
    stage.refused("fs_delete", json!({"path": "/"})).await;
    stage.refused("fs_write", writing("", b"1")).await;
    stage.ok("fs_write", writing("d/e", b"1")).await;
    stage.refused("fs_write", writing("d", b"1")).await;
    stage
        .refused("fs_write", writing("b/under-a-file", b"1"))
        .await;
}

#[tokio::test]
async fn no_path_leads_out_of_the_folder() {
    let stage = Stage::trusted();
    let outside = stage.folder.path().join("secret");
    std::fs::write(&outside, "s").unwrap();
    for path in [
        "../../../secret",
        "/../../../../secret",
        "a/../../../../secret",
    ] {
        let read = stage.ok("fs_read", json!({"path": path})).await;
        assert_ne!(read, json!({"base64": "cw=="}), "{path}");
        stage.ok("fs_write", writing(path, b"mine")).await;
    }
    assert_eq!(std::fs::read(&outside).unwrap(), b"s");
    assert_eq!(
        stage.ok("fs_list", json!({"dir": "../.."})).await,
        json!(["secret"])
    );
    for path in ["a\0b", &"n".repeat(256), &"d/".repeat(40)] {
        stage.refused("fs_write", writing(path, b"x")).await;
    }
}

#[tokio::test]
async fn links_that_somebody_put_there_lead_nowhere() {
    let stage = Stage::trusted();
    stage.ok("fs_write", writing("a", b"1")).await;
    let root = stage.folder.path().join("storage/door-bell/files");
    let outside = stage.folder.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("f"), "s").unwrap();
    symlink(&outside, root.join("dir")).unwrap();
    symlink(outside.join("f"), root.join("file")).unwrap();
    for path in ["dir/f", "file"] {
        assert_eq!(
            stage.ok("fs_read", json!({"path": path})).await,
            Value::Null
        );
        assert_eq!(stage.ok("fs_exists", json!({"path": path})).await, false);
    }
    assert_eq!(stage.ok("fs_list", json!({"dir": "dir"})).await, json!([]));
    stage.refused("fs_write", writing("dir/new", b"x")).await;
    stage.refused("fs_delete", json!({"path": "dir/f"})).await;
    // The link itself is replaced, not what it leads to.
    stage.ok("fs_write", writing("file", b"mine")).await;
    assert_eq!(std::fs::read(outside.join("f")).unwrap(), b"s");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
}

#[tokio::test]
async fn files_are_for_the_server_alone() {
    let stage = Stage::trusted();
    stage.ok("fs_write", writing("d/f", b"1")).await;
    let root = stage.folder.path().join("storage/door-bell/files");
    let mode = |path: &str| root.join(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("d"), mode("d/f")), (0o700, 0o700, 0o600));
}

#[tokio::test]
async fn there_is_room_for_so_much_and_an_old_file_gives_its_room_back() {
    let stage = Stage::trusted();
    let large = vec![0; 50 * 1024 * 1024];
    let args = writing("f", &large);
    for name in ["0", "1", "2", "3", "4"] {
        let mut args = args.clone();
        args["path"] = name.into();
        stage.ok("fs_write", args).await;
    }
    let why = stage
        .refused("fs_write", writing("5", &large[..7 * 1024 * 1024]))
        .await;
    assert!(why.contains("no room"), "{why}");
    stage.ok("fs_write", writing("0", b"small")).await;
    stage
        .ok("fs_write", writing("5", &large[..7 * 1024 * 1024]))
        .await;
    let why = stage
        .refused("fs_write", writing("6", &vec![0; 50 * 1024 * 1024 + 1]))
        .await;
    assert!(why.contains("at most"), "{why}");
}

#[tokio::test]
async fn public_files_have_a_plain_name_and_their_own_room() {
    let stage = Stage::trusted();
    let args = json!({"name": "../x/logo.png", "base64": "/wCA"});
    assert_eq!(
        stage.ok("storage_upload", args).await,
        json!({"url": "mock://uploads/logo.png"})
    );
    assert_eq!(
        stage.recorded().uploads,
        [("logo.png".to_owned(), vec![0xff, 0, 0x80])]
    );
    stage
        .refused("storage_upload", json!({"name": "..", "base64": ""}))
        .await;
    let why = stage
        .refused("storage_upload", json!({"name": "a", "base64": "%"}))
        .await;
    assert!(why.contains("base64"), "{why}");

    let root = stage.folder.path().join("public");
    let uploads = plugins::host::Uploads::new(root.clone());
    uploads.keep("door-bell", "a.txt", b"1").unwrap();
    uploads.keep("door-bell", "a.txt", b"2").unwrap();
    assert_eq!(std::fs::read(root.join("door-bell/a.txt")).unwrap(), b"2");
}
