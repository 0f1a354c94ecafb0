//! The process itself, as admin tools ask for it.

use serde_json::json;

use crate::http::{PASSWORD, get, post, request, set_up_server};

#[tokio::test]
async fn the_server_does_not_update_itself_and_says_so() {
    let server = set_up_server().await;
    let options = get("/api/admin/update/options")
        .by_admin()
        .send(&server)
        .await
        .json();
    assert_eq!(
        options,
        json!({ "supportsUpdate": false, "canRestart": false })
    );
    let start = get("/api/admin/update/start")
        .by_admin()
        .send(&server)
        .await;
    assert_eq!(
        (start.status, &start.json()["success"]),
        (400, &json!(false))
    );
    let reset = get("/api/admin/yp/reset").by_admin().send(&server).await;
    assert_eq!(
        (reset.status, &reset.json()["success"]),
        (200, &json!(true))
    );
}

#[tokio::test]
async fn the_operator_can_end_the_process_and_a_link_cannot() {
    let server = set_up_server().await;
    let sign_in = post("/api/admin/session", &json!({ "password": PASSWORD }));
    let cookie = sign_in
        .header("x-rillcast-csrf", "1")
        .send(&server)
        .await
        .cookie();
    let link = get("/api/admin/update/forcequit")
        .header("cookie", &cookie)
        .send(&server)
        .await;
    assert_eq!(link.status, 400, "{link:?}");
    let forged = request("POST", "/api/admin/update/forcequit").header("cookie", &cookie);
    assert_eq!(forged.send(&server).await.status, 403);
    // Over plain HTTP a browser says nothing of where a request comes from, and sends the password it has kept.
    for (name, value) in [
        ("accept", "text/html,*/*;q=0.8"),
        ("accept-language", "en-GB"),
        ("referer", "https://evil.example/"),
        ("sec-fetch-mode", "no-cors"),
    ] {
        for path in ["/api/admin/update/forcequit", "/api/admin/disconnect"] {
            let led = get(path).by_admin().header(name, value);
            let answer = led.send(&server).await;
            let text = answer.json()["message"].as_str().unwrap().to_owned();
            assert_eq!(answer.status, 400, "{path} {name}");
            assert!(text.starts_with("use POST"), "{path} {name}: {text}");
        }
    }
    assert!(!server.is_asked_to_end());
    let script = get("/api/admin/update/forcequit")
        .by_admin()
        .send(&server)
        .await;
    assert_eq!(
        (script.status, &script.json()["success"]),
        (200, &json!(true))
    );
    assert!(server.is_asked_to_end());
}
