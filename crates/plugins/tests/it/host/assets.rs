use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join;
use jiff::Timestamp;
use plugins::host::mock::{InitialState, Mock};
use plugins::host::{Assets, FUNCTIONS, Host, HostCalls, MAX_ASSET_BYTES, Plugin};
use plugins::package::Package;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use serde_json::json;
use tempfile::TempDir;
use testkit::archive::{ZipEntry, zip};
use testkit::eventually;

use super::stage::{Stage, all, plugin};

fn stage(assets: Assets) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let mock = Mock::new(InitialState::default());
    let parts = mock.parts(folder.path().join("storage"), Timestamp::UNIX_EPOCH);
    let plugin = Plugin {
        assets,
        ..plugin(all())
    };
    Stage {
        host: Host::new(plugin, parts),
        mock,
        folder,
    }
}

/// Files that can be read once the test has written them.
struct SlowFiles(TempDir);

impl SlowFiles {
    fn new(names: [&str; 2]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        }
        Self(folder)
    }

    /// The other end of a file, if somebody reads it. They read until this is dropped.
    fn written(&self, name: &str) -> Option<File> {
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap();
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(flags);
        options.open(self.0.path().join(name)).ok()
    }
}

#[tokio::test]
async fn one_file_is_unpacked_at_a_time_also_when_nobody_waits_for_it_any_more() {
    let slow = SlowFiles::new(["first", "second"]);
    let stage = stage(Assets::Folder(slow.0.path().to_owned()));
    for path in ["first", "second", "second"] {
        let asked = stage.call("asset_read", json!({ "path": path }));
        let given_up = tokio::time::timeout(Duration::from_millis(50), asked).await;
        assert!(given_up.is_err());
    }
    let first = eventually("the first is read", async || slow.written("first")).await;
    assert!(slow.written("second").is_none());
    drop(first);
    let asked = stage.ok("asset_read", json!({"path": "second"}));
    let writing = async {
        let second = eventually("the second is read", async || slow.written("second"));
        second.await.write_all(b"a").unwrap();
    };
    let (read, ()) = join(asked, writing).await;
    assert_eq!(read, json!({"base64": "YQ=="}));
}

#[tokio::test]
async fn a_file_that_is_too_large_for_a_plugin_is_refused_before_it_is_unpacked() {
    let most = u32::try_from(MAX_ASSET_BYTES).unwrap();
    // The packed data is garbage, which unpacking would notice.
    let claiming = |name, unpacked| ZipEntry {
        unpacked,
        ..ZipEntry::new(name, b"x")
    };
    let manifest = br#"{"api": "1", "name": "Door Bell", "version": "1"}"#;
    let package = Package::from_bytes(zip(&[
        ZipEntry::new("plugin.manifest.json", manifest),
        ZipEntry::new("plugin.py", b""),
        claiming("assets/fits", most),
        claiming("assets/large", most + 1),
    ]));
    let stage = stage(Assets::Package(Arc::new(package.unwrap())));
    let why = stage.refused("asset_read", json!({"path": "large"})).await;
    assert!(why.contains("16777217 bytes"), "{why}");
    let got = stage.ok("asset_read", json!({"path": "fits"})).await;
    assert!(got.is_null(), "{got}");
}

#[tokio::test]
async fn calls_that_are_made_without_time_to_wait_wait_for_nothing() {
    let stage = Stage::trusted();
    let instant = FUNCTIONS
        .iter()
        .filter(|one| stage.host.is_instant(one.name));
    let names: Vec<&str> = instant.map(|one| one.name).collect();
    assert_eq!(
        names,
        [
            "timer_set",
            "timer_clear",
            "log_info",
            "log_warning",
            "log_error"
        ]
    );
    for name in names {
        let args = r#"{"id": 1, "delayMs": 1000, "text": "late"}"#;
        let answer = stage.host.call(name, args).now_or_never();
        assert!(answer.is_some_and(|answer| answer.is_ok()), "{name}");
    }
}
