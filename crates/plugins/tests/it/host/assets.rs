use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use jiff::Timestamp;
use plugins::host::mock::{InitialState, Mock};
use plugins::host::{Assets, FUNCTIONS, Host, HostCalls, MAX_ASSET_BYTES, Plugin};
use plugins::package::Package;
use serde_json::json;
use testkit::archive::{ZipEntry, zip};
use testkit::eventually;

use super::stage::{Stage, all, plugin};

fn stage(assets: Arc<dyn Assets>) -> Stage {
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

/// A file that is slow to unpack.
#[derive(Debug, Default)]
struct Slow {
    begun: AtomicUsize,
    may_end: AtomicBool,
}

impl Assets for Slow {
    fn size(&self, _path: &str) -> Option<u64> {
        Some(1)
    }

    fn read(&self, _path: &str) -> Option<Vec<u8>> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        // Bounded, or a failing test would never end.
        for _ in 0..1_000 {
            if self.may_end.load(Ordering::SeqCst) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(b"a".to_vec())
    }
}

#[tokio::test]
async fn one_file_is_unpacked_at_a_time_also_when_nobody_waits_for_it_any_more() {
    let slow = Arc::new(Slow::default());
    let stage = stage(Arc::<Slow>::clone(&slow));
    for _ in 0..3 {
        let asked = stage.call("asset_read", json!({"path": "a"}));
        let given_up = tokio::time::timeout(Duration::from_millis(50), asked).await;
        assert!(given_up.is_err());
    }
    eventually("it is unpacked", async || {
        (slow.begun.load(Ordering::SeqCst) > 0).then_some(())
    })
    .await;
    assert_eq!(slow.begun.load(Ordering::SeqCst), 1);
    slow.may_end.store(true, Ordering::SeqCst);
    let read = stage.ok("asset_read", json!({"path": "a"})).await;
    assert_eq!(read, json!({"base64": "YQ=="}));
    assert_eq!(slow.begun.load(Ordering::SeqCst), 2);
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
    let stage = stage(Arc::new(package.unwrap()));
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
