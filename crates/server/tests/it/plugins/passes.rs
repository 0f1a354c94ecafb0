//! Passes: how a plugin's pages know who is viewing them.

use std::sync::Arc;

use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;

use super::fake::{Fake, server_of};
use super::serving::install;
use super::tell;
use crate::http::{Answer, get, post, request};

fn poll() -> Value {
    json!({
        "slug": "poll", "name": "Poll", "permissions": ["http.serve", "http.sse"],
        "admin": { "pages": { "/admin": { "title": "Settings" } } },
    })
}

const FILES: &[(&str, &[u8])] = &[
    ("public/page.html", b"<p>page"),
    ("public/look.css", b"p {}"),
    ("public/sub/index.html", b"<p>sub"),
];

/// A server without a gate and with two plugins whose code echoes the request.
async fn open_server() -> (TestServer, Arc<Fake>) {
    let fake = Arc::new(Fake::default());
    let server = server_of(Options::default(), Arc::clone(&fake)).await;
    install(&server, &poll(), "http: echo", FILES).await;
    let dice = json!({ "slug": "dice", "name": "Dice", "permissions": ["http.serve"] });
    install(&server, &dice, "http: echo", &[]).await;
    (server, fake)
}

async fn registered(server: &TestServer) -> (String, String) {
    let answer = post("/api/chat/register", &json!({})).send(server).await;
    let text = |name: &str| answer.json()[name].as_str().unwrap().to_owned();
    (text("accessToken"), text("id"))
}

async fn ask_pass(server: &TestServer, slug: &str, token: &str, old: &str) -> Answer {
    let path = format!("/api/plugins/{slug}/pass?accessToken={token}");
    post(&path, &json!({ "pass": old })).send(server).await
}

async fn pass(server: &TestServer, slug: &str, token: &str) -> String {
    let answer = ask_pass(server, slug, token, "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.json()["expiresIn"], 600);
    answer.json()["pass"].as_str().unwrap().to_owned()
}

/// The user that the plugin saw.
fn seen(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[tokio::test]
async fn a_page_with_a_pass_is_asked_for_by_the_viewer_who_has_it() {
    let (server, _) = open_server().await;
    let (token, id) = registered(&server).await;
    let pass = pass(&server, "poll", &token).await;
    let answer = get(&format!("/plugins/poll/{pass}/votes?a=1"))
        .send(&server)
        .await;
    let told = seen(&answer);
    assert_eq!(told["user"]["id"], id.as_str());
    assert_eq!(
        (told["path"].as_str(), told["query"].clone()),
        (Some("/votes"), json!({ "a": "1" }))
    );
    assert_eq!(told["authenticated"], false, "never the operator");
    assert!(!answer.body.contains(&pass), "{}", answer.body);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    let posted = post(&format!("/plugins/poll/{pass}/votes"), &json!({}));
    assert_eq!(seen(&posted.send(&server).await)["user"]["id"], id.as_str());
    // Without a pass, or with a bare marker, nobody is identified.
    for path in ["/plugins/poll/votes", "/plugins/poll/~/votes"] {
        let told = seen(&get(path).send(&server).await);
        assert_eq!(
            (&told["user"], &told["path"]),
            (&Value::Null, &json!("/votes"))
        );
    }
    let framed = get(&format!("/plugins/poll/{pass}/page.html"));
    let framed = framed
        .header("sec-fetch-dest", "iframe")
        .send(&server)
        .await;
    assert!(framed.body.contains("_blank"), "{framed:?}");
    assert!(framed.body.ends_with("<p>page"), "{framed:?}");
    let file = get(&format!("/plugins/poll/{pass}/look.css"))
        .send(&server)
        .await;
    assert_eq!((file.status, &file.body[..]), (200, "p {}"));
    assert_eq!(file.header("cache-control"), "private, no-store");
    let folder = get(&format!("/plugins/poll/{pass}/sub?x=1"))
        .send(&server)
        .await;
    assert_eq!(
        (folder.status, folder.header("location")),
        (302, "./sub/?x=1")
    );
}

#[tokio::test]
async fn a_pass_is_worth_nothing_anywhere_else() {
    let (server, fake) = open_server().await;
    let (token, _) = registered(&server).await;
    let pass = pass(&server, "poll", &token).await;
    fake.told.lock().unwrap().clear();
    let bare = pass.trim_start_matches('~');
    let (payload, _) = bare.split_once('.').unwrap();
    for path in [
        format!("/plugins/dice/{pass}/votes"),
        format!("/plugins/poll/{pass}x/votes"),
        format!("/plugins/poll/~{payload}.AAAA/votes"),
    ] {
        let answer = get(&path).send(&server).await;
        assert_eq!(answer.status, 403, "{path}");
        assert!(!answer.body.contains(payload));
    }
    assert_eq!(fake.told.lock().unwrap().len(), 0, "no plugin was asked");
    let page = get(&format!("/plugins/poll/{pass}/admin"))
        .send(&server)
        .await;
    assert_eq!(page.status, 401, "not for the operator's pages");
    for path in ["/api/chat?accessToken=", "/api/admin/status?operatorPass="] {
        for text in [&pass[..], bare] {
            let answer = get(&format!("{path}{text}")).send(&server).await;
            assert_eq!(answer.status, 401, "{path}");
        }
    }
    // Dot segments stay within the plugin's own root.
    let told = get(&format!("/plugins/poll/{pass}/../../dice/x"))
        .send(&server)
        .await;
    assert_eq!(seen(&told)["path"], "/dice/x");
}

#[tokio::test]
async fn a_page_that_is_open_keeps_its_pass_and_others_get_one_of_their_own() {
    let (server, _) = open_server().await;
    let (token, _) = registered(&server).await;
    let first = pass(&server, "poll", &token).await;
    let renewed = ask_pass(&server, "poll", &token, &first).await;
    assert_eq!(renewed.json()["pass"], first.as_str());
    let (other, _) = registered(&server).await;
    let theirs = ask_pass(&server, "poll", &other, &first).await;
    assert_ne!(theirs.json()["pass"], first.as_str());
    let unknown = ask_pass(&server, "poll", "nobody", "").await;
    assert_eq!(unknown.json()["pass"], "~");
    assert_eq!(ask_pass(&server, "nothing", &token, "").await.status, 404);
    let strange = ask_pass(&server, "poll", &token, &"x".repeat(5000)).await;
    assert_eq!(strange.status, 200, "what is no pass is replaced by one");
}

#[tokio::test]
async fn the_pass_of_a_banned_viewer_is_refused_at_once() {
    let (server, _) = open_server().await;
    let (token, id) = registered(&server).await;
    let pass = pass(&server, "poll", &token).await;
    let ban = post(
        "/api/admin/chat/users/setenabled",
        &json!({ "userId": id, "enabled": false }),
    );
    assert_eq!(ban.by_admin().send(&server).await.status, 200);
    let answer = get(&format!("/plugins/poll/{pass}/votes"))
        .send(&server)
        .await;
    assert_eq!(answer.status, 403);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(
        ask_pass(&server, "poll", &token, &pass).await.json()["pass"],
        "~"
    );
}

#[tokio::test]
async fn a_page_that_is_opened_by_itself_is_framed_and_its_address_has_no_pass() {
    let (server, fake) = open_server().await;
    let (token, _) = registered(&server).await;
    let pass = pass(&server, "poll", &token).await;
    let alone = |path: &str| {
        get(path)
            .header("sec-fetch-dest", "document")
            .header("accept", "text/html,*/*;q=0.8")
    };
    for path in [
        "/plugins/poll/",
        "/plugins/poll/page.html",
        "/plugins/poll/votes?x=1",
    ] {
        let shell = alone(path).send(&server).await;
        assert_eq!(shell.status, 200, "{path}");
        assert!(
            shell.body.contains("<iframe title=\"Poll\" sandbox="),
            "{path}"
        );
        assert!(!shell.body.contains("allow-same-origin"));
        assert_eq!(shell.header("cache-control"), "no-store");
        let policy = shell.header("content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    }
    assert_eq!(fake.told.lock().unwrap().len(), 0, "no plugin was asked");
    let new_window = alone(&format!("/plugins/poll/{pass}/votes?x=1"));
    let new_window = new_window.send(&server).await;
    assert_eq!(
        (new_window.status, new_window.header("location")),
        (302, "/plugins/poll/votes?x=1")
    );
    // The same holds for a POST and for an expired pass.
    let posted = request("POST", &format!("/plugins/poll/{pass}/votes"));
    let posted = posted
        .header("sec-fetch-dest", "document")
        .send(&server)
        .await;
    assert_eq!(
        (posted.status, posted.header("location")),
        (307, "/plugins/poll/votes")
    );
    let old = alone(&format!("/plugins/poll/{pass}x/votes?x=1"))
        .send(&server)
        .await;
    assert_eq!(
        (old.status, old.header("location")),
        (302, "/plugins/poll/votes?x=1")
    );
    // Files that are not pages are served as they are, and non-browsers get the plugin's own answer.
    let file = alone("/plugins/poll/look.css").send(&server).await;
    assert_eq!(file.body, "p {}");
    seen(&get("/plugins/poll/votes").send(&server).await);
    let overlay =
        alone("/plugins/poll/votes").header("user-agent", "Mozilla/5.0 Chrome/127 OBS/31.0.0");
    seen(&overlay.send(&server).await);
    let in_frame = get("/plugins/poll/~/votes").header("sec-fetch-dest", "iframe");
    seen(&in_frame.send(&server).await);
}

#[tokio::test]
async fn a_frame_is_led_out_of_itself_when_its_plugin_sends_on_to_another_site() {
    let fake = Arc::new(Fake::default());
    let server = server_of(Options::default(), Arc::clone(&fake)).await;
    let code = r#"http: {"status":302,"headers":{"Location":"https://id.example/sign-in?a=<b>"}}"#;
    install(&server, &poll(), code, &[]).await;
    let framed = get("/plugins/poll/~/connect").header("sec-fetch-dest", "iframe");
    let framed = framed.send(&server).await;
    assert_eq!((framed.status, framed.header("location")), (200, ""));
    assert!(framed.body.contains("rillcastOpen"), "{}", framed.body);
    assert!(!framed.body.contains("<b>"), "{}", framed.body);
    let plain = get("/plugins/poll/connect").send(&server).await;
    assert_eq!(plain.status, 302);
}

/// A server with a gate, and the cookie of a viewer who signed in.
async fn gated() -> (TestServer, String) {
    let (server, _) = open_server().await;
    let (token, _) = registered(&server).await;
    let gate =
        json!({ "slug": "gate", "name": "Gate", "permissions": ["auth.gate", "http.serve"] });
    install(&server, &gate, &format!("http: grant {token}"), &[]).await;
    let cookie = get("/plugins/gate/login").send(&server).await.cookie();
    (server, cookie)
}

async fn pass_by_cookie(server: &TestServer, cookie: &str) -> String {
    // The browser also has an older guest token.
    let path = "/api/plugins/poll/pass?accessToken=of-a-guest";
    let asked = post(path, &json!({}));
    let answer = asked.header("cookie", cookie).send(server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["pass"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn behind_a_gate_a_pass_of_somebody_who_signed_in_opens_the_plugins_pages_and_nothing_else() {
    let (server, cookie) = gated().await;
    let pass = pass_by_cookie(&server, &cookie).await;
    let page = get(&format!("/plugins/poll/{pass}/look.css"))
        .send(&server)
        .await;
    assert_eq!(page.status, 200);
    let told = get(&format!("/plugins/poll/{pass}/votes"))
        .send(&server)
        .await;
    assert!(seen(&told)["user"]["id"].is_string());
    for path in ["/plugins/poll/~/votes", "/plugins/poll/votes", "/"] {
        let answer = get(path).send(&server).await;
        assert_eq!(answer.status, 302, "{path}");
        assert!(!answer.header("location").contains('~'), "{path}");
    }
    // The sign-in page itself is not framed, because it sets cookies.
    let login = get("/plugins/gate/").header("sec-fetch-dest", "document");
    let login = login.header("accept", "text/html").send(&server).await;
    assert_eq!(login.status, 302, "{login:?}");
    let forged = format!("service_session={}", pass.trim_start_matches('~'));
    let forged = get("/").header("cookie", &forged).send(&server).await;
    assert_eq!(forged.status, 302, "a pass is no session");
}

#[tokio::test]
async fn a_pass_from_before_the_gate_does_not_open_it() {
    let (server, _) = open_server().await;
    let (token, _) = registered(&server).await;
    let before = pass(&server, "poll", &token).await;
    let gate =
        json!({ "slug": "gate", "name": "Gate", "permissions": ["auth.gate", "http.serve"] });
    install(&server, &gate, "http: echo", &[]).await;
    let answer = get(&format!("/plugins/poll/{before}/votes"))
        .send(&server)
        .await;
    assert_eq!(answer.status, 302);
    assert_eq!(
        answer.header("location"),
        "/plugins/gate/?return_to=%2Fplugins%2Fpoll%2Fvotes"
    );
    tell(&server, "gate/disable").await;
    let again = get(&format!("/plugins/poll/{before}/votes"))
        .send(&server)
        .await;
    assert_eq!(again.status, 200);
}

#[tokio::test]
async fn the_pass_of_somebody_who_signed_out_is_refused_at_once() {
    let (server, cookie) = gated().await;
    let pass = pass_by_cookie(&server, &cookie).await;
    let path = format!("/plugins/poll/{pass}/votes");
    assert_eq!(get(&path).send(&server).await.status, 200);
    let out = request("POST", "/plugins/gate/logout").header("cookie", &cookie);
    let out = out.send(&server).await;
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{out:?}");
    assert_eq!(get(&path).send(&server).await.status, 403);
}
