//! Whom plugins made.

use jiff::Timestamp;
use model::UserId;
use serde_json::json;
use store::plugins::{Profile, Voucher};
use store::{NewUser, UserKind};

use super::fake::server;
use super::{package, read, upload};
use crate::http::{get, post};

#[tokio::test]
async fn the_operator_sees_whom_a_plugin_made_and_who_of_them_moderates() {
    let server = server().await;
    assert_eq!(read(&server, "/bell/users").await.status, 404);
    upload(&server, "any.ocpkg", &package(&json!({}), "")).await;
    let nobody = json!({ "total": 0, "users": [] });
    assert_eq!(read(&server, "/bell/users").await.json(), nobody);
    for (slug, number) in (0..202)
        .map(|number| ("bell", number))
        .chain([("other", 1000)])
    {
        let new = NewUser {
            id: UserId::parse(format!("u{number}")).unwrap(),
            kind: UserKind::Standard,
            display_name: format!("viewer {number}"),
            display_color: 1,
        };
        let voucher = Voucher {
            subject: number.to_string(),
            profile: Profile::default(),
        };
        // Two seconds apart, so that no quota is met.
        let at = Timestamp::from_second(1_000_000 + 2 * number).unwrap();
        let store = server.store();
        let vouched = store.vouched_user(slug, voucher, new, "x1".into(), at);
        vouched.await.unwrap().unwrap();
    }
    let wish = json!({ "userId": "u200", "isModerator": true });
    let made = post("/api/admin/chat/users/setmoderator", &wish).by_admin();
    assert_eq!(made.send(&server).await.status, 200);
    let listed = read(&server, "/bell/users").await.json();
    assert_eq!(listed["total"], 202);
    let users = listed["users"].as_array().unwrap();
    assert_eq!(users.len(), 200);
    let at = Timestamp::from_second(1_000_000 + 2 * 201).unwrap();
    let newest = json!({
        "id": "u201", "displayName": "viewer 201", "createdAt": at, "isModerator": false,
    });
    assert_eq!(users[0], newest);
    assert_eq!(users[1]["isModerator"], true);
    assert_eq!(users[199]["id"], "u2");
    let stranger = get("/api/admin/plugins/bell/users").send(&server).await;
    assert_eq!(stranger.status, 401);
}
