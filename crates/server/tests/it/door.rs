use serde_json::json;
use server::cli::Options;
use server::testing::TestServer;

use crate::http::{PASSWORD, get, post, request, set_up_server};

#[tokio::test]
async fn setup_sets_the_password_once_and_signs_in() {
    let server = TestServer::start().await;
    let session = get("/api/admin/session").send(&server).await.json();
    assert_eq!(
        session,
        json!({ "authenticated": false, "setupRequired": true })
    );
    let token = server.setup_token().unwrap();
    let body = json!({ "token": token, "password": PASSWORD, "name": "Mine", "serverUrl": "https://live.example.org/" });
    let answer = post("/api/admin/setup", &body).send(&server).await;
    assert_eq!(
        (answer.status, &answer.json()["success"]),
        (200, &json!(true))
    );
    let session = get("/api/admin/session")
        .header("cookie", &answer.cookie())
        .send(&server)
        .await
        .json();
    assert_eq!(
        session,
        json!({ "authenticated": true, "setupRequired": false })
    );
    assert_eq!(
        get("/api/config").send(&server).await.json()["name"],
        "Mine"
    );
    let again = post("/api/admin/setup", &body).send(&server).await;
    assert_eq!(
        (again.status, &again.json()["success"]),
        (401, &json!(false))
    );
}

#[tokio::test]
async fn a_setup_with_a_wrong_value_changes_nothing_and_can_be_repeated() {
    let server = TestServer::start().await;
    let token = server.setup_token().unwrap();
    for bad in [
        json!({ "token": token, "password": "short" }),
        json!({ "token": token, "password": PASSWORD, "serverUrl": "not.valid.url" }),
        json!({ "token": token, "password": PASSWORD, "name": "" }),
        json!({ "token": token }),
    ] {
        let answer = post("/api/admin/setup", &bad).send(&server).await;
        assert_eq!(
            (answer.status, &answer.json()["success"]),
            (400, &json!(false)),
            "{bad}"
        );
    }
    let wrong = post(
        "/api/admin/setup",
        &json!({ "token": "guess", "password": PASSWORD }),
    )
    .send(&server)
    .await;
    assert_eq!(wrong.status, 401);
    let right = post(
        "/api/admin/setup",
        &json!({ "token": token, "password": PASSWORD }),
    )
    .send(&server)
    .await;
    assert_eq!(right.status, 200, "{right:?}");
}

#[tokio::test]
async fn a_setup_link_can_be_checked_without_using_it() {
    let server = TestServer::start().await;
    let token = server.setup_token().unwrap();
    let check = async |token: &str| {
        let check = post("/api/admin/setup/check", &json!({ "token": token }));
        check.send(&server).await.status
    };
    assert_eq!(check(&token).await, 200);
    assert_eq!(check("not the token").await, 401);
    assert_eq!(check(&token).await, 200);
    let body = json!({ "token": token, "password": PASSWORD });
    let answer = post("/api/admin/setup", &body).send(&server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(check(&token).await, 401, "it works once");
}

#[tokio::test]
async fn the_page_says_that_the_chat_waits_for_the_setup() {
    let awaits_setup = async |server: &TestServer| {
        let config = get("/api/config").send(server).await.json();
        config["chatAwaitsSetup"].clone()
    };
    let server = TestServer::start().await;
    assert_eq!(awaits_setup(&server).await, json!(true));
    let body = json!({ "token": server.setup_token().unwrap(), "password": PASSWORD });
    let answer = post("/api/admin/setup", &body).send(&server).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(awaits_setup(&server).await, json!(null));
    let by_flag = TestServer::start_with(Options {
        admin_password: Some(PASSWORD.into()),
        ..Options::default()
    });
    assert_eq!(awaits_setup(&by_flag.await).await, json!(null));
}

#[tokio::test]
async fn there_is_no_default_password() {
    let server = TestServer::start().await;
    for password in ["", "admin", "abc123", "password"] {
        let answer = get("/api/admin/status")
            .basic("admin", password)
            .send(&server)
            .await;
        assert_eq!(answer.status, 401, "{password:?}");
    }
}

#[tokio::test]
async fn signing_in_hands_out_a_cookie_that_scripts_cannot_read() {
    let server = set_up_server().await;
    let answer = post("/api/admin/session", &json!({ "password": PASSWORD }))
        .send(&server)
        .await;
    assert_eq!(answer.status, 200);
    let cookie = answer.header("set-cookie");
    for part in [
        "rillcast_admin=",
        "Path=/",
        "Max-Age=28800",
        "HttpOnly",
        "SameSite=Lax",
    ] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let wrong = post("/api/admin/session", &json!({ "password": "wrong" }))
        .send(&server)
        .await;
    assert_eq!(
        (wrong.status, &wrong.json()["success"]),
        (401, &json!(false))
    );
    assert_eq!(wrong.header("set-cookie"), "");
}

#[tokio::test]
async fn behind_a_trusted_proxy_with_tls_the_cookie_is_bound_to_the_host() {
    let options = Options {
        admin_password: Some(PASSWORD.into()),
        trusted_proxies: Some("127.0.0.1".into()),
        ..Options::default()
    };
    let server = TestServer::start_with(options).await;
    let sign_in = post("/api/admin/session", &json!({ "password": PASSWORD }));
    let answer = sign_in
        .header("x-forwarded-proto", "https")
        .header("x-forwarded-for", "192.0.2.7")
        .send(&server)
        .await;
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-rillcast_admin=") && cookie.contains("; Secure"),
        "{cookie}"
    );
    let both = format!("rillcast_admin=stale; {}", answer.cookie());
    let seen = get("/api/admin/status")
        .header("x-forwarded-proto", "https")
        .header("cookie", &both)
        .send(&server)
        .await;
    assert_eq!(seen.status, 200);
}

#[tokio::test]
async fn a_change_by_cookie_needs_proof_that_it_comes_from_our_own_page() {
    let server = set_up_server().await;
    let signed_in = post("/api/admin/session", &json!({ "password": PASSWORD }))
        .send(&server)
        .await;
    let change = post("/api/admin/config/name", &json!({ "value": "Forged?" }))
        .header("cookie", &signed_in.cookie());
    for forged in [
        change.clone(),
        change.clone().header("sec-fetch-site", "cross-site"),
        change.clone().header("x-rillcast-csrf", "0"),
    ] {
        assert_eq!(forged.send(&server).await.status, 403);
    }
    for (name, value) in [
        ("sec-fetch-site", "same-origin"),
        ("x-rillcast-csrf", "1"),
        ("x-owncast-csrf-protection", "1"),
    ] {
        assert_eq!(
            change
                .clone()
                .header(name, value)
                .send(&server)
                .await
                .status,
            200,
            "{name}"
        );
    }
}

#[tokio::test]
async fn signing_out_ends_the_session_at_once() {
    let server = set_up_server().await;
    let cookie = post("/api/admin/session", &json!({ "password": PASSWORD }))
        .send(&server)
        .await
        .cookie();
    let out = request("DELETE", "/api/admin/session")
        .header("x-rillcast-csrf", "1")
        .header("cookie", &cookie)
        .send(&server)
        .await;
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{out:?}");
    assert_eq!(
        get("/api/admin/status")
            .header("cookie", &cookie)
            .send(&server)
            .await
            .status,
        401
    );
}

#[tokio::test]
async fn a_new_password_counts_from_the_next_request_and_ends_other_sessions() {
    let server = set_up_server().await;
    let mine = post("/api/admin/session", &json!({ "password": PASSWORD }))
        .send(&server)
        .await
        .cookie();
    let other = post("/api/admin/session", &json!({ "password": PASSWORD }))
        .send(&server)
        .await
        .cookie();
    for guess in [json!(null), json!("not the password")] {
        let body = json!({ "value": "another password", "current": guess });
        let unproven = post("/api/admin/config/adminpass", &body)
            .header("cookie", &mine)
            .header("x-rillcast-csrf", "1")
            .send(&server)
            .await;
        assert_eq!(unproven.status, 400, "{unproven:?}");
        assert_eq!(unproven.json()["code"], "wrong-password");
    }
    let change = post(
        "/api/admin/config/adminpass",
        &json!({ "value": "another password", "current": PASSWORD }),
    );
    let answer = change
        .header("cookie", &mine)
        .header("x-rillcast-csrf", "1")
        .send(&server)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    for old in [mine, other] {
        assert_eq!(
            get("/api/admin/status")
                .header("cookie", &old)
                .send(&server)
                .await
                .status,
            401
        );
    }
    assert_eq!(
        get("/api/admin/status")
            .header("cookie", &answer.cookie())
            .send(&server)
            .await
            .status,
        200
    );
    assert_eq!(
        get("/api/admin/status")
            .by_admin()
            .send(&server)
            .await
            .status,
        401
    );
    assert_eq!(
        get("/api/admin/status")
            .basic("admin", "another password")
            .send(&server)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn guessing_gets_429_with_the_time_to_wait() {
    let server = set_up_server().await;
    let guess = || {
        post(
            "/api/admin/session",
            &json!({ "password": "a wrong guess" }),
        )
    };
    for _ in 0..5 {
        assert_eq!(guess().send(&server).await.status, 401);
    }
    let answer = guess().send(&server).await;
    assert_eq!(answer.status, 429, "{answer:?}");
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");
}
