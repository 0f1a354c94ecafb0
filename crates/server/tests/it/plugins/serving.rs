//! What plugins serve below `/plugins/`.

use std::sync::Arc;

use plugins::host::{MEDIUM_ANSWER_BYTES, SMALL_ANSWER_BYTES};
use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::archive::{ZipEntry, zip};

use super::fake::{Fake, server_of};
use super::{manifest, tell, upload};
use crate::http::{get, request};

/// A server with a running plugin.
pub(super) async fn with_plugin(
    changes: &Value,
    code: &str,
    files: &[(&str, &[u8])],
) -> (TestServer, Arc<Fake>) {
    let fake = Arc::new(Fake::default());
    let server = server_of(Options::default(), Arc::clone(&fake)).await;
    install(&server, changes, code, files).await;
    (server, fake)
}

/// Installs and enables a plugin.
pub(super) async fn install(
    server: &TestServer,
    changes: &Value,
    code: &str,
    files: &[(&str, &[u8])],
) {
    let manifest = manifest(changes);
    let text = manifest.to_string();
    let mut entries = vec![
        ZipEntry::new("plugin.manifest.json", text.as_bytes()),
        ZipEntry::new("plugin.py", code.as_bytes()),
    ];
    let files = files.iter();
    entries.extend(files.map(|(name, content)| ZipEntry::new(name, content)));
    let answer = upload(server, "x.ocpkg", &zip(&entries)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let slug = manifest["slug"].as_str().unwrap();
    let answer = tell(server, &format!("{slug}/enable")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// The manifest of a plugin that may serve, with a page for the operator.
fn serving() -> Value {
    json!({
        "permissions": ["http.serve"],
        "admin": { "pages": { "/admin": { "title": "Settings" } } },
    })
}

/// The request as the plugin saw it.
fn seen(body: &str) -> Value {
    serde_json::from_str(body).unwrap()
}

#[tokio::test]
async fn a_plugin_that_does_not_run_or_may_not_serve_is_not_there() {
    let (server, fake) = with_plugin(&json!({}), "http: echo", &[("public/a.txt", b"a")]).await;
    for path in [
        "/plugins/nobody/",
        "/plugins/bell/",
        "/plugins/bell/a.txt",
        "/plugins/bell",
    ] {
        assert_eq!(get(path).send(&server).await.status, 404, "{path}");
    }
    assert!(fake.told.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_plugin_that_starts_again_is_unavailable_and_one_that_is_off_is_not_there() {
    let (server, fake) = with_plugin(&serving(), "http: echo", &[("public/a.txt", b"a")]).await;
    fake.crash("bell").await;
    for path in ["/plugins/bell/", "/plugins/bell/a.txt", "/plugins/bell/x"] {
        let answer = get(path).send(&server).await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (503, "plugin unavailable\n"),
            "{path}"
        );
        assert_eq!(answer.header("retry-after"), "5");
    }
    assert_eq!(tell(&server, "bell/disable").await.status, 200);
    assert_eq!(get("/plugins/bell/x").send(&server).await.status, 404);

    let silent = json!({ "slug": "silent", "name": "Silent" });
    install(&server, &silent, "", &[]).await;
    fake.crash("silent").await;
    assert_eq!(get("/plugins/silent/").send(&server).await.status, 404);
}

#[tokio::test]
async fn a_request_reaches_the_plugin_without_anybodys_secrets() {
    let (server, _) = with_plugin(&serving(), "http: echo", &[]).await;
    let asking = request(
        "PUT",
        "/plugins/bell/api/x/?b=2&a=1&a=9&accessToken=t&operatorPass=p",
    )
    .header("cookie", "service_session=x; other=y")
    .header("x-some-thing", "1")
    .by_admin()
    .raw_body("hällo");
    // A request with a cookie may come from a browser that another site sent here.
    let led = asking.clone().send(&server).await;
    assert_eq!(seen(&led.body)["authenticated"], false);
    let answer = asking.header("x-rillcast-csrf", "1").send(&server).await;
    assert_eq!(answer.status, 200);
    let seen = seen(&answer.body);
    assert_eq!(seen["method"], "PUT");
    assert_eq!(seen["path"], "/api/x");
    assert_eq!(seen["query"], json!({ "a": "1", "b": "2" }));
    assert_eq!(seen["body"], "hällo");
    assert_eq!(seen["authenticated"], true);
    assert_eq!(seen["headers"]["X-Some-Thing"], "1");
    let headers = seen["headers"].as_object().unwrap();
    assert!(!headers.contains_key("Cookie") && !headers.contains_key("Authorization"));
    let address = seen["remoteAddr"].as_str().unwrap();
    assert!(
        address.starts_with("127.0.0.1:") && !address.ends_with(":0"),
        "{address}"
    );
    let stranger = get("/plugins/bell/").send(&server).await;
    assert!(
        stranger.body.contains(r#""path":"/","query":{}"#),
        "{stranger:?}"
    );
    assert!(
        stranger.body.contains(r#""authenticated":false}"#),
        "{stranger:?}"
    );
}

#[tokio::test]
async fn a_body_over_a_megabyte_does_not_reach_the_plugin() {
    let (server, fake) = with_plugin(&serving(), "http: echo", &[]).await;
    let post = |size: usize| request("POST", "/plugins/bell/x").bytes(&vec![b'a'; size]);
    assert_eq!(post(1024 * 1024).send(&server).await.status, 200);
    fake.told.lock().unwrap().clear();
    assert_eq!(post(1024 * 1024 + 1).send(&server).await.status, 413);
    assert!(fake.told.lock().unwrap().is_empty());
}

#[tokio::test]
async fn answers_keep_only_harmless_headers_and_are_kept_apart_from_our_pages() {
    let code = r#"http: {"status":201,"headers":{"content-type":"text/html","x-powered-by":"me","Set-Cookie":["a=1","service_session=x","rillcast_admin=x","b=2"]},"body":"<p>"}"#;
    let (server, _) = with_plugin(&serving(), code, &[]).await;
    let answer = get("/plugins/bell/").send(&server).await;
    assert_eq!((answer.status, answer.body.as_str()), (201, "<p>"));
    assert_eq!(
        answer.header("set-cookie"),
        "a=1; Path=/plugins/bell/\nb=2; Path=/plugins/bell/"
    );
    assert_eq!(answer.header("x-powered-by"), "");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let policy = answer.header("content-security-policy");
    assert!(
        policy.starts_with("sandbox ") && !policy.contains("allow-same-origin"),
        "{policy}"
    );
}

#[tokio::test]
async fn an_answer_is_put_off_while_slow_readers_hold_all_that_a_plugin_may_have_waiting() {
    let (server, fake) = with_plugin(&serving(), r#"http: {"body":"hello"}"#, &[]).await;
    let mut held = Vec::new();
    while fake.hub().has_room("bell") {
        let waiting = bytes::Bytes::from(vec![0; SMALL_ANSWER_BYTES]);
        held.push(fake.hub().hold_answer("bell", waiting).unwrap());
    }
    let answer = get("/plugins/bell/").send(&server).await;
    assert_eq!(answer.status, 503);
    assert!(answer.body.contains("still being read"), "{answer:?}");
    assert!(fake.told.lock().unwrap().is_empty());
    drop(held);
    // Answers that were sent no longer count.
    for _ in 0..3 {
        let answer = get("/plugins/bell/").send(&server).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, "hello"));
    }
}

#[tokio::test]
async fn a_change_of_session_counts_though_its_answer_is_put_off() {
    let (server, fake) = with_plugin(&serving(), "http: end at length", &[]).await;
    let mut held = Vec::new();
    while let Some(waiting) = fake
        .hub()
        .hold_answer("bell", vec![0; MEDIUM_ANSWER_BYTES].into())
    {
        held.push(waiting);
    }
    let answer = get("/plugins/bell/").send(&server).await;
    assert_eq!(answer.status, 503);
    let cookie = answer.header("set-cookie");
    assert!(cookie.contains("service_session=;"), "{cookie}");
}

#[tokio::test]
async fn a_plugin_that_gives_no_answer_is_told_of_in_few_words() {
    for (code, status, body) in [
        ("http: raise", 500, "plugin error\n"),
        ("http: late", 504, "plugin timeout\n"),
        ("http: not now", 503, "plugin unavailable\n"),
        ("http: nonsense", 500, "invalid response\n"),
        (r#"http: {"body":7}"#, 500, "invalid response\n"),
        (r#"http: {"status":204}"#, 204, ""),
    ] {
        let (server, _) = with_plugin(&serving(), code, &[]).await;
        let answer = get("/plugins/bell/x").send(&server).await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (status, body),
            "{code}"
        );
        let can_be_asked_again = !answer.header("retry-after").is_empty();
        assert_eq!(can_be_asked_again, status == 503, "{code}");
    }
}

#[tokio::test]
async fn files_come_before_code_with_index_ranges_and_conditions() {
    let files: [(&str, &[u8]); 5] = [
        ("public/index.html", b"<p>home"),
        ("public/deep/index.html", b"<p>deep"),
        ("public/a.css", b"0123456789"),
        ("public/admin/secret.txt", b"secret"),
        ("assets/hidden.txt", b"hidden"),
    ];
    let (server, fake) = with_plugin(&serving(), "http: {\"status\":404}", &files).await;
    let page = get("/plugins/bell/").send(&server).await;
    assert_eq!((page.status, page.body.as_str()), (200, "<p>home"));
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(
        page.header("content-security-policy")
            .starts_with("sandbox ")
    );
    for (path, target) in [
        ("/plugins/bell", "/plugins/bell/"),
        ("/plugins/bell/deep?x=%201", "/plugins/bell/deep/?x=%201"),
    ] {
        let moved = get(path).send(&server).await;
        assert_eq!((moved.status, moved.header("location")), (301, target));
    }
    let sheet = get("/plugins/bell/a.css").send(&server).await;
    assert_eq!(sheet.header("content-type"), "text/css; charset=utf-8");
    let tag = sheet.header("etag").to_owned();
    let again = get("/plugins/bell/a.css").header("if-none-match", &tag);
    assert_eq!(again.send(&server).await.status, 304);
    let part = get("/plugins/bell/a.css").header("range", "bytes=2-4");
    let part = part.send(&server).await;
    assert_eq!((part.status, part.body.as_str()), (206, "234"));
    assert_eq!(part.header("content-range"), "bytes 2-4/10");
    let stale = get("/plugins/bell/a.css")
        .header("range", "bytes=2-4")
        .header("if-range", "\"other\"");
    assert_eq!(stale.send(&server).await.status, 200);
    let beyond = get("/plugins/bell/a.css").header("range", "bytes=10-");
    assert_eq!(beyond.send(&server).await.status, 416);
    let head = request("HEAD", "/plugins/bell/a.css").send(&server).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert!(fake.told.lock().unwrap().is_empty(), "no code ran");
    for path in [
        "/plugins/bell/../../etc/passwd",
        "/plugins/bell/..%2fassets/hidden.txt",
        "/plugins/bell/%2e%2e/assets/hidden.txt",
        "/plugins/bell/assets/hidden.txt",
        "/plugins/bell/hidden.txt",
        "/plugins/bell/a.css/",
        "/plugins/bell/plugin.py",
    ] {
        assert_eq!(get(path).send(&server).await.status, 404, "{path}");
    }
    let posted = request("POST", "/plugins/bell/a.css").send(&server).await;
    assert_eq!(
        posted.status, 404,
        "code answers what is no question for a file"
    );
    let secret = get("/plugins/bell/admin/secret.txt").send(&server).await;
    assert_eq!(
        (secret.status, secret.body.as_str()),
        (401, "Unauthorized\n")
    );
    let secret = get("/plugins/bell/admin/secret.txt").by_admin();
    assert_eq!(secret.send(&server).await.body, "secret");
}

#[tokio::test]
async fn pages_for_the_operator_run_no_code_for_anybody_else() {
    let page =
        r#"http: {"headers":{"content-type":"text/html"},"body":"<html><head></head></html>"}"#;
    let (server, fake) = with_plugin(&serving(), page, &[]).await;
    for path in [
        "/plugins/bell/admin",
        "/plugins/bell/admin/",
        "/plugins/bell/admin/api/x",
        "/plugins/bell//admin",
        "/plugins/bell/x/..%2fadmin",
        "/plugins/bell/%61dmin",
        "/plugins/bell/admin?operatorPass=x.y",
    ] {
        for method in ["GET", "POST", "DELETE", "PUT", "PATCH"] {
            let answer = request(method, path).send(&server).await;
            assert_eq!(
                (answer.status, answer.body.as_str()),
                (401, "Unauthorized\n"),
                "{path}"
            );
            assert!(
                answer
                    .header("www-authenticate")
                    .starts_with("Basic realm=")
            );
        }
    }
    assert!(fake.told.lock().unwrap().is_empty());
    let elsewhere = get("/plugins/bell/admin").by_admin();
    let elsewhere = elsewhere
        .header("origin", "https://evil.example")
        .send(&server)
        .await;
    assert_eq!(elsewhere.status, 403);
    let answer = get("/plugins/bell/admin").by_admin().send(&server).await;
    assert_eq!(answer.status, 200);
    let link = "<link rel=\"stylesheet\" href=\"/styles/plugin.css\"";
    assert_eq!(answer.body.matches(link).count(), 1);
    assert!(
        answer
            .header("content-security-policy")
            .ends_with("frame-ancestors 'self'")
    );
    assert_eq!(answer.header("cache-control"), "no-store");
    let sheet = get("/styles/plugin.css").send(&server).await;
    assert!(sheet.body.contains(".card-grid"));
}

#[tokio::test]
async fn a_page_for_the_operator_can_ask_its_own_plugin_and_nobody_else() {
    let page = r#"http: {"status":303,"headers":{"content-type":"text/html","location":"/plugins/bell/admin?a=1"},"body":"<p>"}"#;
    let (server, _) = with_plugin(&serving(), page, &[]).await;
    let other = json!({
        "slug": "other", "name": "Other", "permissions": ["http.serve"],
        "admin": { "pages": { "/admin": { "title": "Settings" } } },
    });
    install(&server, &other, "http: echo", &[]).await;
    let answer = get("/plugins/bell/admin").by_admin().send(&server).await;
    assert_eq!(answer.header("location"), "/plugins/bell/admin?a=1");
    let (_, pass) = answer.body.split_once("pass = \"").unwrap();
    let pass = pass.split('"').next().unwrap();
    let with_pass = |method: &str, path: &str| {
        let sent = request(method, &format!("{path}?operatorPass={pass}"));
        // As from a page with an opaque origin.
        sent.header("origin", "null")
    };
    let posted = with_pass("POST", "/plugins/bell/admin/done/7");
    let posted = posted.send(&server).await;
    assert_eq!(posted.status, 303);
    let onward = posted.header("location");
    assert!(
        onward.starts_with("/plugins/bell/admin?a=1&operatorPass="),
        "{onward}"
    );
    assert_eq!(get(onward).send(&server).await.status, 303);
    for path in ["/plugins/other/admin", "/api/admin/status", "/admin/"] {
        let answer = with_pass("GET", path).send(&server).await;
        assert!(matches!(answer.status, 401 | 403), "{path} {answer:?}");
    }
}
