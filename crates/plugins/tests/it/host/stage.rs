//! A plugin's host on a mock server that records its calls.

use std::sync::Arc;

use jiff::Timestamp;
use plugins::host::mock::{InitialState, Mock, RecordedCalls};
use plugins::host::{Assets, Host, HostCalls, HostParts, Plugin};
use plugins::manifest::Manifest;
use plugins::package::Package;
use plugins::permission::{Permission, Permissions};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::archive::{ZipEntry, zip};

pub(super) struct Stage {
    pub(super) host: Arc<Host>,
    pub(super) mock: Arc<Mock>,
    pub(super) folder: TempDir,
}

/// A package with one asset.
fn package() -> Package {
    let manifest = br#"{"api": "1", "name": "Door Bell", "version": "1"}"#;
    let packed = zip(&[
        ZipEntry::new("plugin.manifest.json", manifest),
        ZipEntry::new("plugin.py", b""),
        ZipEntry::new("assets/img/a.bin", &[0xff, 0, 0x80]),
    ]);
    Package::from_bytes(packed).unwrap()
}

pub(super) fn all() -> Permissions {
    Permission::ALL.iter().copied().collect()
}

pub(super) fn plugin(permissions: Permissions) -> Plugin {
    let manifest = json!({
        "api": "1", "name": "Door Bell", "version": "1",
        "permissions": permissions.names(),
        "network": {"allowedHosts": ["api.example.com", "*.cdn.example.com"]},
        "config": {
            "volume": {"type": "number", "default": 7},
            "greeting": {"type": "string", "default": "hi"},
            "empty": {"type": "string"},
        },
    });
    Plugin {
        manifest: Arc::new(Manifest::parse(&manifest.to_string()).unwrap()),
        permissions,
        assets: Assets::Package(Arc::new(package())),
    }
}

impl Stage {
    pub(super) fn new(permissions: Permissions, given: Value) -> Self {
        Self::with(permissions, given, |_| {})
    }

    /// With parts of the server replaced.
    pub(super) fn with(
        permissions: Permissions,
        given: Value,
        change: impl FnOnce(&mut HostParts),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let given: InitialState = serde_json::from_str(&given.to_string()).unwrap();
        let mock = Mock::new(given);
        let mut parts = mock.parts(folder.path().join("storage"), Timestamp::UNIX_EPOCH);
        change(&mut parts);
        Self {
            host: Host::new(plugin(permissions), parts),
            mock,
            folder,
        }
    }

    /// A plugin with all permissions.
    pub(super) fn trusted() -> Self {
        Self::new(all(), json!({}))
    }

    pub(super) async fn raw(&self, name: &str, args: Value) -> Result<String, String> {
        self.host.call(name, &args.to_string()).await
    }

    pub(super) async fn call(&self, name: &str, args: Value) -> Result<Value, String> {
        let text = self.raw(name, args).await?;
        Ok(serde_json::from_str(&text).unwrap())
    }

    /// The answer of a call that must succeed.
    pub(super) async fn ok(&self, name: &str, args: Value) -> Value {
        self.call(name, args).await.unwrap()
    }

    /// The error of a call that must fail.
    pub(super) async fn refused(&self, name: &str, args: Value) -> String {
        self.call(name, args).await.unwrap_err()
    }

    pub(super) fn recorded(&self) -> RecordedCalls {
        self.mock.recorded()
    }
}
