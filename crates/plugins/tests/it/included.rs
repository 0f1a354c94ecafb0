//! The plugins included in the binary.

use std::sync::Arc;

use plugins::engine::EngineState;
use plugins::host::SqlStorage;
use plugins::host::mock::{InitialState, Mock};
use plugins::included;
use plugins::installed::Loader;
use plugins::instances::PluginInstances;
use plugins::runtime::{Runtime, RuntimeParts};
use testkit::ManualClock;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::engine_kit::engine;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_plugin_of_the_server_loads_and_none_says_that_a_name_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let storage = folder.path().join("storage");
    let mock = Mock::new(InitialState::default());
    let parts = mock.parts(storage.clone(), jiff::Timestamp::UNIX_EPOCH);
    let (_, engine) = watch::channel(EngineState::Ready(engine()));
    let runtime = Runtime::new(RuntimeParts {
        instances: PluginInstances::new(
            engine,
            Handle::current(),
            Arc::new(ManualClock::default()),
        ),
        services: parts.services,
        plugin_data: parts.plugin_data,
        network: parts.network,
        clock: Arc::new(ManualClock::default()),
        storage,
        code: None,
        sql: SqlStorage::Memory,
    });
    for package in included::packages() {
        let manifest = package.manifest();
        let loaded = runtime.load(&package, manifest.permissions).await;
        assert_eq!(loaded, Ok(()), "{}", manifest.slug);
    }
    // It has two source files: its answer comes from the second.
    let poll = runtime.running_plugin("poll").unwrap();
    let request = r#"{"method":"GET","path":"/api/poll","query":{},"headers":{},"body":""}"#;
    let answer = poll.http(request.to_owned()).await.unwrap();
    assert!(answer.text.contains("\"body\":\"null\""), "{}", answer.text);
    let gate = runtime.running_plugin("password-gate").unwrap();
    let request = r#"{"method":"GET","path":"/","query":{},"headers":{},"body":""}"#;
    let answer = gate.http(request.to_owned()).await.unwrap();
    assert!(answer.text.contains("<h1>Sign in</h1>"), "{}", answer.text);
    runtime.close().await;
}
