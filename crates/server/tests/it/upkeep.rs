//! What the operator's first page says about the machine.

use serde_json::Value;

use crate::http::{get, set_up_server};

const UPKEEP: &str = "/api/admin/upkeep";

#[tokio::test]
async fn the_operator_sees_how_much_room_is_left_and_when_the_last_backup_was_made() {
    let server = set_up_server().await;
    let ask = || async { get(UPKEEP).by_admin().send(&server).await.json() };
    let fresh = ask().await;
    assert_eq!(fresh["canBackUp"], true, "{fresh}");
    assert_eq!(fresh["lastBackupAt"], Value::Null, "{fresh}");
    assert_eq!(fresh["certificateEndsAt"], Value::Null, "{fresh}");
    let bytes = |name: &str| fresh["disk"][name].as_u64().unwrap();
    assert!(bytes("totalBytes") > 0, "{fresh}");
    assert!(bytes("freeBytes") <= bytes("totalBytes"), "{fresh}");

    // As the backup command leaves it.
    let note = server.folder.path().join("data/last-backup");
    std::fs::write(&note, "2026-01-02T03:04:05Z\n").unwrap();
    assert_eq!(ask().await["lastBackupAt"], "2026-01-02T03:04:05Z");
}

#[tokio::test]
async fn nobody_but_the_operator_sees_how_much_room_is_left() {
    let server = set_up_server().await;
    assert_eq!(get(UPKEEP).send(&server).await.status, 401);
}
