//! The operator signs in elsewhere with this server's address.

use outbound::http::{HeaderMap, HeaderValue, header};
use outbound::{Client, FetchBudget, Policy};
use serde_json::{Value, json};
use server::cli::Options;
use server::testing::TestServer;
use testkit::https::Authority;
use url::{Url, form_urlencoded};

use crate::chat::chatter::{Chatter, register};
use crate::http::{Answer, PASSWORD, get, post, request};

const PATH: &str = "/api/auth/provider/indieauth";
/// The pair of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const CLIENT: &str = "https://site.example/";
const REDIRECT: &str = "https://site.example/back";

async fn server() -> TestServer {
    let options = Options {
        admin_password: Some(PASSWORD.into()),
        server_url: Some("https://live.example".into()),
        set: vec!["name=Ada & friends".into()],
        ..Options::default()
    };
    TestServer::start_with(options).await
}

fn encoded(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

fn asking() -> String {
    let query = encoded(&[
        ("response_type", "code"),
        ("client_id", CLIENT),
        ("redirect_uri", REDIRECT),
        ("state", "a state"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("me", "https://live.example/"),
    ]);
    format!("{PATH}?{query}")
}

fn parameter(location: &str, name: &str) -> String {
    let url = Url::parse(location).unwrap_or_else(|_| panic!("no address: {location}"));
    let mut pairs = url.query_pairs();
    let found = pairs.find(|(key, _)| key == name);
    found
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

async fn exchange(server: &TestServer, code: &str, verifier: &str) -> Answer {
    let form = encoded(&[
        ("grant_type", "authorization_code"),
        ("code", code),
        ("client_id", CLIENT),
        ("redirect_uri", REDIRECT),
        ("code_verifier", verifier),
    ]);
    let request = request("POST", PATH).raw_body(&form);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    request.send(server).await
}

/// The cookie of a signed-in browser.
async fn session(server: &TestServer) -> String {
    let answer = post("/api/admin/session", &json!({ "password": PASSWORD }))
        .send(server)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.cookie()
}

async fn visit(server: &TestServer, cookie: &str) -> Answer {
    let request = get(&asking()).header("sec-fetch-mode", "navigate");
    request.header("cookie", cookie).send(server).await
}

fn question(page: &Answer) -> String {
    let (_, rest) = page.body.split_once("name=\"question\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

async fn answer(server: &TestServer, cookie: &str, question: &str, answer: &str) -> Answer {
    let form = encoded(&[("question", question), ("answer", answer)]);
    let request = request("POST", &format!("{PATH}/approve")).raw_body(&form);
    request.header("cookie", cookie).send(server).await
}

#[tokio::test]
async fn a_script_with_the_password_gets_its_code_at_once() {
    let server = server().await;
    let granted = get(&asking()).by_admin().send(&server).await;
    assert_eq!(granted.status, 307);
    let location = granted.header("location");
    assert!(
        location.starts_with("https://site.example/back?code="),
        "{location}"
    );
    assert_eq!(parameter(location, "state"), "a state");
    let code = parameter(location, "code");
    let told = exchange(&server, &code, VERIFIER).await;
    assert_eq!(
        (told.status, told.header("cache-control")),
        (200, "no-store")
    );
    let profile = json!({ "name": "Ada & friends", "url": "https://live.example/", "photo": "https://live.example/logo" });
    assert_eq!(
        told.json(),
        json!({ "me": "https://live.example/", "profile": profile })
    );
    let again = exchange(&server, &code, VERIFIER).await;
    assert_eq!(
        (again.status, &again.json()["error"]),
        (200, &json!("invalid_grant"))
    );
}

#[tokio::test]
async fn an_exchange_that_is_not_good_is_200_with_an_error() {
    let server = server().await;
    let granted = get(&asking()).by_admin().send(&server).await;
    let code = parameter(granted.header("location"), "code");
    let wrong = exchange(&server, &code, &"x".repeat(43)).await;
    assert_eq!(wrong.status, 200);
    let mut known = crate::chat::chatter::keys(&wrong.json())
        .iter()
        .map(|key| (*key).to_owned())
        .collect::<Vec<_>>();
    known.sort_unstable();
    assert_eq!(known, ["error", "error_description"]);
    assert_eq!(
        exchange(&server, &code, VERIFIER).await.json()["error"],
        "invalid_grant",
        "a wrong try spoils a code"
    );
    let empty = request("POST", PATH).send(&server).await;
    assert_eq!(
        (empty.status, &empty.json()["error"]),
        (200, &json!("invalid_request"))
    );
    let garbage = request("POST", PATH)
        .raw_body("{\"code\":1}")
        .send(&server)
        .await;
    assert_eq!(
        (garbage.status, &garbage.json()["error"]),
        (200, &json!("invalid_request"))
    );
}

#[tokio::test]
async fn a_browser_without_a_session_gets_the_sign_in_page_at_the_same_address() {
    let server = server().await;
    let page = visit(&server, "").await;
    assert_eq!((page.status, page.header("location")), (401, ""));
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(
        page.body.contains("\"authenticated\":false"),
        "{}",
        page.body
    );
    let cookie = session(&server).await;
    let page = visit(&server, &cookie).await;
    assert_eq!(
        page.status, 200,
        "the same request again, and the question is there"
    );
}

#[tokio::test]
async fn a_browser_is_asked_and_goes_back_with_a_code_after_a_yes() {
    let server = server().await;
    let cookie = session(&server).await;
    let page = visit(&server, &cookie).await;
    assert_eq!(
        (
            page.status,
            page.header("location"),
            page.header("cache-control")
        ),
        (200, "", "no-store")
    );
    assert!(
        page.body.contains("https://site.example/") && page.body.contains("https://live.example/")
    );
    assert!(
        !page.body.contains("<script") && !page.body.contains("style="),
        "{}",
        page.body
    );
    let policy = page.header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    assert!(
        policy.contains("form-action 'self' https://site.example;"),
        "{policy}"
    );
    let question = question(&page);
    let back = answer(&server, &cookie, &question, "allow").await;
    assert_eq!(back.status, 303, "{back:?}");
    assert_eq!(parameter(back.header("location"), "state"), "a state");
    let code = parameter(back.header("location"), "code");
    assert_eq!(
        exchange(&server, &code, VERIFIER).await.json()["me"],
        "https://live.example/"
    );
    assert_eq!(
        answer(&server, &cookie, &question, "allow").await.status,
        400,
        "a question is answered once"
    );
}

#[tokio::test]
async fn a_no_goes_back_without_a_code() {
    let server = server().await;
    let cookie = session(&server).await;
    let question = question(&visit(&server, &cookie).await);
    let back = answer(&server, &cookie, &question, "deny").await;
    let location = back.header("location");
    assert_eq!(
        (back.status, parameter(location, "error").as_str()),
        (303, "access_denied")
    );
    assert_eq!(parameter(location, "code"), "");
}

#[tokio::test]
async fn nobody_answers_in_the_operators_name() {
    let server = server().await;
    let (cookie, other) = (session(&server).await, session(&server).await);
    let question = question(&visit(&server, &cookie).await);
    assert_eq!(answer(&server, "", &question, "allow").await.status, 401);
    assert_eq!(
        answer(&server, "rillcast_admin=guess", &question, "allow")
            .await
            .status,
        401
    );
    assert_eq!(
        answer(&server, &other, &question, "allow").await.status,
        400
    );
    assert_eq!(answer(&server, &cookie, "guess", "allow").await.status, 400);
    let form = encoded(&[("question", &question), ("answer", "allow")]);
    let foreign = request("POST", &format!("{PATH}/approve")).raw_body(&form);
    let foreign = foreign
        .header("cookie", &cookie)
        .header("origin", "https://evil.example");
    assert_eq!(foreign.send(&server).await.status, 403);
    // A password that a browser has stored does not approve by itself either.
    let kept = get(&asking())
        .by_admin()
        .header("sec-fetch-mode", "navigate")
        .send(&server)
        .await;
    assert_eq!((kept.status, kept.header("location")), (200, ""));
    assert_eq!(
        answer(&server, &kept.cookie(), &self::question(&kept), "allow")
            .await
            .status,
        303
    );
}

#[tokio::test]
async fn a_request_that_could_send_a_code_astray_is_400_and_goes_nowhere() {
    let server = server().await;
    for (name, value) in [
        ("redirect_uri", "https://evil.example/back"),
        ("redirect_uri", "http://site.example/back"),
        ("client_id", "<script>alert(1)</script>"),
        ("code_challenge", ""),
        ("code_challenge_method", "plain"),
        ("state", ""),
    ] {
        let url = Url::parse(&format!("http://x{}", asking())).unwrap();
        let pairs = url.query_pairs().map(|(key, old)| match key == name {
            true => (key.into_owned(), value.to_owned()),
            false => (key.into_owned(), old.into_owned()),
        });
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        let refused = get(&format!("{PATH}?{query}"))
            .by_admin()
            .send(&server)
            .await;
        assert_eq!(
            (refused.status, refused.header("location")),
            (400, ""),
            "{name}={value}"
        );
        assert!(!refused.body.contains("<script"), "{}", refused.body);
    }
}

#[tokio::test]
async fn the_page_names_the_endpoint_once_the_server_has_an_address() {
    let link = format!("<link rel=\"authorization_endpoint\" href=\"{PATH}\">");
    let named = get("/").send(&server().await).await;
    assert!(named.body.contains(&link), "{}", named.body);
    let nameless = crate::http::server_with(&[]).await;
    assert!(
        !get("/")
            .send(&nameless)
            .await
            .body
            .contains("authorization_endpoint")
    );
    let refused = get(&asking()).by_admin().send(&nameless).await;
    assert_eq!(refused.status, 400);
}

/// A certificate for one host, and the authority that signed it.
fn certificate(folder: &std::path::Path, host: &str) -> [String; 3] {
    let authority = Authority::new();
    let (certificate, key) = authority.certificate(host);
    let files = [
        ("ca.pem", authority.pem().to_owned()),
        ("cert.pem", certificate),
        ("key.pem", key),
    ];
    files.map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    })
}

#[tokio::test]
async fn the_operator_of_one_server_signs_in_to_the_chat_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let [authority, certificate, key] = certificate(folder.path(), "me.example");
    let home = TestServer::start_with(Options {
        admin_password: Some(PASSWORD.into()),
        server_url: Some("https://me.example".into()),
        tls_cert: Some(certificate),
        tls_key: Some(key),
        ..Options::default()
    })
    .await;
    let elsewhere = TestServer::start_with(Options {
        admin_password: Some(PASSWORD.into()),
        server_url: Some("https://live.example".into()),
        extra_ca: Some(authority.clone()),
        danger_resolve: vec![format!("me.example={}", home.address())],
        ..Options::default()
    })
    .await;
    let person = register(&elsewhere, "ada").await;
    let path = format!("/api/auth/indieauth?accessToken={}", person.token);
    let begun = post(&path, &json!({ "authHost": "https://me.example" }))
        .send(&elsewhere)
        .await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let there = Url::parse(begun.json()["redirect"].as_str().unwrap()).unwrap();
    assert_eq!((there.host_str(), there.path()), (Some("me.example"), PATH));

    let browser = Client::builder()
        .user_agent("browser")
        .extra_ca(std::fs::read(authority).unwrap())
        .danger_resolve("me.example", home.address())
        .build()
        .unwrap();
    let mut headers = HeaderMap::new();
    let credentials = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        format!("admin:{PASSWORD}"),
    );
    let credentials = HeaderValue::from_str(&format!("Basic {credentials}")).unwrap();
    headers.insert(header::AUTHORIZATION, credentials);
    let policy = Policy::federation().returning_redirects();
    let granted = browser
        .get(&there, &policy, headers, &FetchBudget::new(1))
        .await
        .unwrap();
    assert_eq!(granted.status.as_u16(), 307);
    let back = Url::parse(granted.headers[header::LOCATION].to_str().unwrap()).unwrap();
    assert_eq!(back.host_str(), Some("live.example"));

    let path = format!("{}?{}", back.path(), back.query().unwrap());
    let done = get(&path)
        .header("cookie", &begun.cookie())
        .send(&elsewhere)
        .await;
    assert_eq!(
        (done.status, done.header("location")),
        (307, "/"),
        "{done:?}"
    );
    let mut ada = Chatter::connect(&elsewhere, person, "").await;
    let line = ada.say_and_hear("it is me").await;
    assert_eq!(line["user"]["authenticated"], Value::Bool(true));
}
