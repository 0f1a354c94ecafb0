//! The viewers' gate.

use std::sync::Arc;

use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::{LONG_DEADLINE, within};

use super::fake::{Fake, server_of};
use super::serving::install;
use super::{send, tell};
use crate::federation::stage::{announced, change};
use crate::http::{get, post, request};
use crate::stream::broadcast;
use crate::videos::{finished, text};

fn gate() -> Value {
    json!({ "slug": "gate", "name": "Gate", "permissions": ["auth.gate", "http.serve"] })
}

/// A server with a gate whose plugin signs everybody in as a known chat user; its code may contain more.
async fn gated(code: &str) -> (TestServer, Arc<Fake>) {
    let fake = Arc::new(Fake::default());
    let server = server_of(Options::default(), Arc::clone(&fake)).await;
    let registered = post("/api/chat/register", &json!({})).send(&server).await;
    let token = registered.json()["accessToken"]
        .as_str()
        .unwrap()
        .to_owned();
    install(
        &server,
        &gate(),
        &format!("http: grant {token}\n{code}"),
        &[],
    )
    .await;
    (server, fake)
}

/// The cookie of a viewer who passed the gate.
async fn let_in(server: &TestServer) -> String {
    let answer = get("/plugins/gate/login").send(server).await;
    assert_eq!((answer.status, answer.header("location")), (302, "/"));
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with("service_session="), "{cookie}");
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Max-Age=60"),
        "{cookie}"
    );
    answer.cookie()
}

#[tokio::test]
async fn nobody_sees_anything_before_they_have_signed_in() {
    let (server, _) = gated("").await;
    for (path, back) in [
        ("/", "%2F"),
        ("/api/config?x=1", "%2Fapi%2Fconfig%3Fx%3D1"),
        ("/ws", "%2Fws"),
        ("/nowhere", "%2Fnowhere"),
        ("/plugins/other/", "%2Fplugins%2Fother%2F"),
    ] {
        let answer = get(path).send(&server).await;
        let there = format!("/plugins/gate/?return_to={back}");
        assert_eq!(
            (answer.status, answer.header("location")),
            (302, there.as_str()),
            "{path}"
        );
    }
    let posted = post("/api/chat/register", &json!({})).send(&server).await;
    assert_eq!(posted.status, 401);
    let by_header = get("/").by_admin().send(&server).await;
    assert_eq!(by_header.status, 302, "a password alone is no session");
    for path in [
        "/api/status",
        "/logo",
        "/api/yp",
        "/healthz",
        "/styles/plugin.css",
        "/nodeinfo/2.0",
    ] {
        let status = get(path).send(&server).await.status;
        assert!(!matches!(status, 302 | 401), "{path} {status}");
    }
    assert_eq!(
        get("/api/admin/status")
            .by_admin()
            .send(&server)
            .await
            .status,
        200
    );
    let cookie = let_in(&server).await;
    let page = get("/").header("cookie", &cookie).send(&server).await;
    assert_eq!(page.status, 200);
    let forged = get("/")
        .header("cookie", "service_session=a.b")
        .send(&server)
        .await;
    assert_eq!(forged.status, 302);
    tell(&server, "gate/disable").await;
    assert_eq!(get("/").send(&server).await.status, 200);
}

#[tokio::test]
async fn pictures_of_the_stream_are_behind_the_gate_and_in_no_post() {
    let (server, _) = gated("").await;
    for (path, value) in [
        ("serverurl", json!("https://live.example")),
        ("federation/enable", json!(true)),
        ("federation/livedelay", json!(600)),
    ] {
        change(&server, path, &value).await;
    }
    let _client = broadcast(&server).await;
    let thumbnail = || get("/thumbnail.jpg");
    assert_eq!(thumbnail().send(&server).await.status, 302);
    let cookie = let_in(&server).await;
    let shown = within(LONG_DEADLINE, "a picture of the stream", async || {
        let answer = thumbnail().header("cookie", &cookie).send(&server).await;
        (answer.header("content-type") == "image/jpeg").then_some(answer)
    })
    .await;
    assert_eq!(shown.header("cache-control"), "private, no-store");
    change(&server, "federation/livedelay", &json!(0)).await;
    let note = announced(&server).await;
    assert_eq!(note["attachment"], json!([]));
}

#[tokio::test]
async fn no_spelling_of_a_path_leads_around_the_gate() {
    let (server, fake) = gated("").await;
    let other = json!({ "slug": "other", "name": "Other", "permissions": ["http.serve"] });
    install(&server, &other, "http: echo", &[]).await;
    for path in [
        "/plugins/other/..%2f..%2flogo",
        "/plugins/other/%2e%2e/%2e%2e/logo",
        "/plugins/other/../gate/x",
        "/plugins/gate/../other/x",
        "/plugins/gate/..%2fother/x",
        "//plugins/other/x",
    ] {
        get(path).send(&server).await;
        let told = fake.told.lock().unwrap().clone();
        assert!(
            !told.iter().any(|one| one.contains("/logo\"")),
            "{path} {told:?}"
        );
    }
}

#[tokio::test]
async fn the_chat_knows_who_has_a_session() {
    let (server, _) = gated("").await;
    let cookie = let_in(&server).await;
    let lines = get("/api/chat")
        .header("cookie", &cookie)
        .send(&server)
        .await;
    assert_eq!(lines.status, 200);
    let wrong = get("/api/chat?accessToken=x").header("cookie", &cookie);
    assert_eq!(
        wrong.send(&server).await.status,
        401,
        "what is asked for counts"
    );
}

#[tokio::test]
async fn the_plugin_has_a_say_when_somebody_comes_back() {
    for (code, status, cookie) in [
        (r#"auth: {"action":"ok"}"#, 200, ""),
        (r#"auth: {"action":"other"}"#, 200, ""),
        ("", 200, ""),
        (r#"auth: {"action":"refresh","ttl":90}"#, 200, "Max-Age=90"),
        (r#"auth: {"action":"deny"}"#, 302, "Max-Age=0"),
        ("auth: raise", 302, "Max-Age=0"),
    ] {
        let (server, _) = gated(code).await;
        let session = let_in(&server).await;
        let answer = get("/").header("cookie", &session).send(&server).await;
        assert_eq!(answer.status, status, "{code}");
        assert!(
            answer.header("set-cookie").ends_with(cookie),
            "{code} {answer:?}"
        );
        let elsewhere = get("/api/config")
            .header("cookie", &session)
            .send(&server)
            .await;
        assert_eq!(elsewhere.status, 200, "only the page asks");
    }
}

#[tokio::test]
async fn a_gate_that_is_down_lets_in_only_those_it_knows() {
    let (server, fake) = gated("").await;
    let cookie = let_in(&server).await;
    fake.crash("gate").await;
    let answer = get("/").send(&server).await;
    assert_eq!(answer.status, 503);
    assert!(
        answer
            .body
            .contains("Authentication temporarily unavailable")
    );
    assert_eq!(
        get("/")
            .header("cookie", &cookie)
            .send(&server)
            .await
            .status,
        200
    );
    assert_eq!(get("/api/status").send(&server).await.status, 200);
}

#[tokio::test]
async fn the_operator_decides_how_much_is_behind_the_gate() {
    let (server, _) = gated("").await;
    let directory = json!({ "value": true });
    let listed = post("/api/admin/config/directoryenabled", &directory).by_admin();
    assert_eq!(listed.send(&server).await.status, 200);
    for (mode, video, status, directory) in [
        ("website-only", 404, 200, 200),
        ("website-and-stream", 302, 200, 200),
        ("website-stream-and-status", 302, 302, 404),
    ] {
        let body = json!({ "accessMode": mode });
        let set = send(&server, "plugins/gate/auth-settings", &body).await;
        assert_eq!(set.status, 200);
        for (path, expected) in [
            ("/hls/stream.m3u8", video),
            ("/api/status", status),
            ("/api/yp", directory),
        ] {
            let answer = request("GET", path).send(&server).await;
            assert_eq!(answer.status, expected, "{mode} {path}");
        }
    }
}

#[tokio::test]
async fn nobody_on_the_way_keeps_a_copy_of_what_is_behind_the_gate() {
    let (server, _) = gated("").await;
    let mut client = broadcast(&server).await;
    let cookie = let_in(&server).await;
    let cache = async |path: &str| {
        let answer = get(path).header("cookie", &cookie).send(&server).await;
        assert_eq!(answer.status, 200, "{path}");
        answer.header("cache-control").to_owned()
    };
    // Only the pages are guarded; the stream is public.
    let list = get("/hls/0/video.m3u8").send(&server).await.body;
    let segment = |list: &str| {
        let name = list.lines().rfind(|line| line.starts_with("seg-"));
        format!("/hls/0/{}", name.unwrap())
    };
    let known = segment(&list);
    assert!(cache(&known).await.starts_with("public"));

    let body = json!({ "accessMode": "website-and-stream" });
    let set = send(&server, "plugins/gate/auth-settings", &body).await;
    assert_eq!(set.status, 200);
    for path in [
        "/hls/stream.m3u8",
        "/hls/0/video.m3u8",
        "/thumbnail.jpg",
        "/api/status",
    ] {
        assert_eq!(cache(path).await, "private, no-store", "{path}");
    }
    // Names known from before no longer work; the stream's files have new ones.
    client.send_clip("plain", 10_000).await.unwrap();
    let renamed = within(LONG_DEADLINE, "other names", async || {
        let list = get("/hls/0/video.m3u8").header("cookie", &cookie);
        let list = list.send(&server).await.body;
        (segment(&list)[..20] != known[..20]).then_some(list)
    })
    .await;
    let gone = get(&known).header("cookie", &cookie).send(&server).await;
    assert_eq!(gone.status, 404);
    assert_eq!(gone.header("cache-control"), "private, no-store");
    assert_eq!(cache(&segment(&renamed)).await, "private, no-store");
}

#[tokio::test]
async fn a_gate_before_the_stream_stands_before_recordings_too() {
    let fake = Arc::new(Fake::default());
    let options = Options {
        set: ["recording=on", "recording_min_free_gigabytes=0"]
            .map(str::to_owned)
            .into(),
        ..Options::default()
    };
    let server = server_of(options, Arc::clone(&fake)).await;
    let mut client = broadcast(&server).await;
    client.unpublish().await.unwrap();
    let video = finished(&server).await;
    let registered = post("/api/chat/register", &json!({})).send(&server).await;
    let token = text(&registered.json(), "accessToken").to_owned();
    install(&server, &gate(), &format!("http: grant {token}\n"), &[]).await;
    let body = json!({ "accessMode": "website-and-stream" });
    let set = send(&server, "plugins/gate/auth-settings", &body).await;
    assert_eq!(set.status, 200);
    let cookie = let_in(&server).await;
    let id = text(&video, "id");
    for path in [
        format!("/api/videos/{id}"),
        "/api/videos".to_owned(),
        format!("/hls/videos/{id}/stream.m3u8"),
        format!("/hls/videos/{id}/0/video.m3u8"),
        format!("/hls/videos/{id}/0/0.mp4"),
    ] {
        let stranger = get(&path).send(&server).await;
        assert_eq!(stranger.status, 302, "{path}");
        let viewer = get(&path).header("cookie", &cookie).send(&server).await;
        assert_eq!(viewer.status, 200, "{path}");
        let cache = viewer.header("cache-control");
        assert_eq!(cache, "private, no-store", "{path}");
    }
}
