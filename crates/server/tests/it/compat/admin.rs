//! Endpoints about the process itself, as admin tools use them.

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

/// Any of these may mean that a browser asks, with a password it has kept.
const BROWSERS_SEND: [(&str, &str); 6] = [
    (
        "user-agent",
        "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101",
    ),
    ("referer", "https://evil.example/"),
    ("cookie", "theme=dark"),
    ("sec-fetch-mode", "no-cors"),
    ("sec-fetch-site", "same-site"),
    ("sec-fetch-dest", "image"),
];

#[tokio::test]
async fn a_change_by_a_password_that_a_browser_may_have_kept_needs_the_header_against_forgery() {
    let server = set_up_server().await;
    let change = || post("/api/admin/config/name", &json!({ "value": "Changed" })).by_admin();
    for (name, value) in BROWSERS_SEND {
        let led = change().header(name, value);
        let answer = led.send(&server).await;
        assert_eq!(answer.status, 403, "{name}: {answer:?}");
        for proof in ["x-rillcast-csrf", "x-owncast-csrf-protection"] {
            let own = change().header(name, value).header(proof, "1");
            assert_eq!(own.send(&server).await.status, 200, "{name} {proof}");
        }
    }
    // Scripts send none of these headers, or only those that Node sends.
    assert_eq!(change().send(&server).await.status, 200);
    let node = change().header("user-agent", "node");
    let node = node.header("sec-fetch-mode", "cors");
    let node = node.header("accept-language", "*");
    assert_eq!(node.send(&server).await.status, 200);
    // Reading changes nothing.
    let read = get("/api/admin/serverconfig").by_admin();
    let read = read.header("user-agent", "Mozilla/5.0");
    assert_eq!(read.send(&server).await.status, 200);
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
    // Over plain HTTP a browser does not say where a request comes from, and sends the password it has stored. Headers
    // that a page may set itself do not excuse the request.
    for (name, value) in BROWSERS_SEND {
        for path in ["/api/admin/update/forcequit", "/api/admin/disconnect"] {
            let led = get(path).by_admin().header(name, value);
            let led = led.header("accept-language", "*");
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
