//! A newer package that waits for approval, with real plugins.

use serde_json::{Value, json};
use server::testing::TestServer;

use super::running::options;
use super::{entry, package, tell, upload};
use crate::http::get;

/// A gate whose page shows its version.
fn gate(version: &str, permissions: &[&str]) -> Vec<u8> {
    let changes = json!({ "version": version, "permissions": permissions });
    let code = format!(
        "@plugin.get(\"/\")\ndef form(req):\n    return {{\"body\": \"sign in, version {version}\"}}\n"
    );
    package(&changes, &code)
}

async fn page(server: &TestServer) -> String {
    let answer = get("/plugins/bell/").send(server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

#[tokio::test]
async fn a_sign_in_whose_update_waits_still_signs_people_in_after_a_restart() {
    let server = TestServer::start_with(options()).await;
    upload(&server, "x.ocpkg", &gate("1", &["auth.gate", "http.serve"])).await;
    assert_eq!(tell(&server, "bell/enable").await.status, 200);
    assert!(page(&server).await.contains("version 1"));
    let file = server.folder.path().join("data/plugins/bell.ocpkg");
    let newer = gate("2", &["auth.gate", "http.serve", "storage.kv"]);
    std::fs::write(file, newer).unwrap();
    assert_eq!(tell(&server, "bell/reload").await.status, 400);

    let server = TestServer::start_in(server.stop().await, options()).await;
    let runs = || async { (entry(&server, "bell").await["running"] == true).then_some(()) };
    testkit::eventually("the approved version runs", runs).await;
    assert!(page(&server).await.contains("version 1"));
    let told = entry(&server, "bell").await;
    assert_eq!(
        (
            &told["version"],
            &told["pendingPermissions"],
            &told["lastError"]
        ),
        (&json!("2"), &json!(["storage.kv"]), &Value::Null)
    );
    let stranger = get("/").send(&server).await;
    assert!((300..400).contains(&stranger.status), "{stranger:?}");
    assert!(
        stranger.header("location").contains("/plugins/bell/"),
        "{stranger:?}"
    );

    assert_eq!(tell(&server, "bell/approve").await.status, 200);
    assert!(page(&server).await.contains("version 2"));
}
