use serde_json::json;
use server::testing::TestServer;

use crate::http::{get, post, server_with, set_up_server};

fn nonce(policy: &str) -> String {
    let start = policy.find("'nonce-").unwrap() + 7;
    policy[start..].chars().take_while(|c| *c != '\'').collect()
}

#[tokio::test]
async fn every_page_has_a_strict_policy_with_a_fresh_nonce() {
    let server = TestServer::start().await;
    let mut nonces = Vec::new();
    for path in ["/", "/", "/admin/", "/admin/config/general/"] {
        let page = get(path).send(&server).await;
        let policy = page.header("content-security-policy").to_owned();
        for rule in [
            "default-src 'self'",
            "object-src 'none'",
            // The viewer page makes frames for plugin content, and those have a base URL.
            if path == "/" {
                "base-uri 'self'"
            } else {
                "base-uri 'none'"
            },
            "frame-ancestors",
        ] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for header in [
            "x-content-type-options",
            "referrer-policy",
            "permissions-policy",
        ] {
            assert!(!page.header(header).is_empty(), "{path}: {header}");
        }
        let nonce = nonce(&policy);
        assert!(
            page.body.contains(&format!("nonce=\"{nonce}\"")),
            "{path}: {}",
            page.body
        );
        assert!(
            !page.body.contains("__NONCE__") && !page.body.contains("__BOOT__"),
            "{path}"
        );
        nonces.push(nonce);
    }
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 4);
}

#[tokio::test]
async fn what_the_operator_writes_cannot_leave_its_place_in_the_page() {
    let attack = "</script><script>alert(1)</script>";
    let server = server_with(&[
        &format!("name={attack}"),
        &format!("summary=\"><img src=x onerror=alert(1)> {attack}"),
        "stream_title=__BOOT__ __NONCE__ <!--__HEAD__--> <!--__PLAIN__-->",
        "page_content=<a href=\"/\" title=\"</noscript><b>loose</b>\">x</a>",
    ])
    .await;
    let page = get("/").send(&server).await.body;
    assert!(!page.contains("<script>alert"), "{page}");
    assert!(!page.contains("<img src=x"), "{page}");
    assert_eq!(page.matches("</noscript").count(), 1, "{page}");
    assert!(
        page.contains("__NONCE__"),
        "text that looks like our placeholder stays text"
    );
}

#[tokio::test]
async fn the_admin_page_answers_401_with_the_sign_in_page_until_signed_in() {
    let server = set_up_server().await;
    for path in [
        "/admin/",
        "/admin/config/general/",
        "/admin/config-video",
        "/admin/chat/users/",
    ] {
        let stranger = get(path).send(&server).await;
        assert_eq!(stranger.status, 401, "{path}");
        assert!(stranger.header("content-type").starts_with("text/html"));
        assert!(
            stranger.body.contains(r#""authenticated":false"#),
            "{}",
            stranger.body
        );
        let operator = get(path).by_admin().send(&server).await;
        assert_eq!(operator.status, 200, "{path}");
        assert!(operator.body.contains(r#""authenticated":true"#));
        assert_eq!(operator.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn the_admin_address_without_a_slash_redirects_for_good() {
    let server = TestServer::start().await;
    let answer = get("/admin").send(&server).await;
    assert_eq!((answer.status, answer.header("location")), (301, "/admin/"));
}

#[tokio::test]
async fn the_admin_page_may_not_be_framed() {
    let server = TestServer::start().await;
    let page = get("/admin/").send(&server).await;
    assert!(
        page.header("content-security-policy")
            .contains("frame-ancestors 'none'")
    );
}

#[tokio::test]
async fn assets_are_cached_for_ever_and_sent_compressed() {
    let server = TestServer::start().await;
    let page = get("/").send(&server).await.body;
    let start = page.find("/assets/").expect("the page names its script");
    let address: String = page[start..].chars().take_while(|c| *c != '"').collect();
    let plain = get(&address).send(&server).await;
    assert_eq!(
        plain.header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(plain.header("content-encoding"), "");
    for (accepted, sent) in [
        ("gzip, br", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("identity", ""),
    ] {
        let answer = get(&address)
            .header("accept-encoding", accepted)
            .send(&server)
            .await;
        assert_eq!(
            (answer.status, answer.header("content-encoding")),
            (200, sent),
            "{accepted}"
        );
        assert!(answer.header("vary").contains("accept-encoding"));
    }
    let known = get(&address)
        .header("if-none-match", plain.header("etag"))
        .send(&server)
        .await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
}

#[tokio::test]
async fn no_path_leads_out_of_the_assets() {
    let server = TestServer::start().await;
    for path in [
        "/assets/../index.html",
        "/assets/..%2findex.html",
        "/assets/%2e%2e/admin.html",
        "/img/../../Cargo.toml",
        "/img//etc/passwd",
        "/assets/index.html%00.js",
        "/assets/..\\index.html",
    ] {
        let answer = get(path).send(&server).await;
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {}",
            answer.status
        );
        assert!(!answer.body.contains("<html"), "{path}");
    }
}

#[tokio::test]
async fn the_page_frames_other_sites_only_while_a_button_of_the_operators_needs_it() {
    let server = set_up_server().await;
    let policy = async || {
        let page = get("/").send(&server).await;
        page.header("content-security-policy").to_owned()
    };
    assert!(!policy().await.contains("frame-src"));
    let actions = json!([
        { "url": "http://tips.example/jar", "title": "Tip" },
        { "url": "https://elsewhere.example/", "title": "Tab", "openExternally": true },
    ]);
    let answer = post(
        "/api/admin/config/externalactions",
        &json!({ "value": actions }),
    );
    let answer = answer.by_admin().send(&server).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let policy = policy().await;
    assert!(
        policy.ends_with("; frame-src 'self' http://tips.example https:"),
        "{policy}"
    );
}
