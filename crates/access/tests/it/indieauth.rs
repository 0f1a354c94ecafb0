//! Visitors prove who they are, against providers on loopback that may be hostile.

mod limits;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use access::indieauth::{IndieAuth, MAX_PENDING, SIGN_IN_LENGTH, SignInProblem, SignInRequester};
use access::sha256;
use model::UserId;
use outbound::{Client, FetchError, Lookup, Resolver, Url};
use testkit::ManualClock;
use testkit::https::{Authority, Peer, Reply, reply};

/// The address of our own server.
const SERVER: &str = "https://live.example";

struct World {
    clock: ManualClock,
    indieauth: IndieAuth,
    page: Peer,
    auth: Peer,
}

type Answers = Arc<Mutex<HashMap<&'static str, Reply>>>;

/// `me.example` is the visitor's page, `auth.example` the provider; both respond with the current `answers`.
struct Script {
    page: Answers,
    auth: Answers,
}

impl Script {
    /// A provider that behaves correctly.
    fn honest() -> Self {
        let script = Self {
            page: Answers::default(),
            auth: Answers::default(),
        };
        script.page(
            "/",
            reply(
                200,
                "",
                "<link rel=authorization_endpoint href=https://auth.example/go?tenant=1>",
            ),
        );
        script.confirms("https://me.example/");
        script
    }

    fn page(&self, path: &'static str, answer: Reply) {
        self.page.lock().unwrap().insert(path, answer);
    }

    fn auth(&self, path: &'static str, answer: Reply) {
        self.auth.lock().unwrap().insert(path, answer);
    }

    fn confirms(&self, me: &str) {
        let answer = format!("{{\"me\":{me:?},\"profile\":{{\"name\":\"Ann\"}}}}");
        self.auth("/go?tenant=1", reply(200, "", &answer));
    }

    fn start(&self) -> World {
        self.start_with(outbound::TOTAL_DEADLINE)
    }

    fn start_with(&self, deadline: Duration) -> World {
        let authority = Authority::new();
        let serve = |host: &str, answers: &Answers| {
            let answers = Arc::clone(answers);
            Peer::tls(authority.certify(host), move |request| {
                let answers = answers.lock().unwrap();
                let missing = reply(404, "", "");
                answers.get(request.target()).cloned().unwrap_or(missing)
            })
        };
        let page = serve("me.example", &self.page);
        let auth = serve("auth.example", &self.auth);
        let client = Client::builder()
            .user_agent("rillcast/0.0.0; https://live.example")
            .extra_ca(authority.pem())
            .resolver(Inside)
            .deadline(deadline)
            .danger_resolve("me.example", page.address())
            .danger_resolve("auth.example", auth.address())
            .build()
            .unwrap();
        let clock = ManualClock::default();
        World {
            indieauth: IndieAuth::new(client, Arc::new(clock.clone())),
            clock,
            page,
            auth,
        }
    }
}

/// Resolves every other name to this machine, as a hostile name server would.
struct Inside;

impl Resolver for Inside {
    fn lookup(&self, _host: String) -> Lookup {
        Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) })
    }
}

fn requester(name: &str) -> SignInRequester {
    SignInRequester {
        user: UserId::parse(name).unwrap(),
        token_hash: sha256(name),
    }
}

impl World {
    async fn begin(&self, name: &str) -> Result<Url, SignInProblem> {
        self.begin_at("https://me.example", name).await
    }

    async fn begin_at(&self, page: &str, name: &str) -> Result<Url, SignInProblem> {
        let server = Url::parse(SERVER).unwrap();
        self.indieauth.begin(page, requester(name), &server).await
    }
}

fn value(url: &Url, name: &str) -> String {
    let mut values = url.query_pairs().filter(|(key, _)| key == name);
    let (_, found) = values
        .next()
        .unwrap_or_else(|| panic!("no {name} in {url}"));
    assert!(values.next().is_none(), "{name} twice in {url}");
    found.into_owned()
}

fn address_of(listener: &std::net::TcpListener) -> SocketAddr {
    listener.local_addr().unwrap()
}

#[tokio::test]
async fn a_visitor_proves_their_page() {
    let world = Script::honest().start();
    let redirect = world.begin("ann").await.unwrap();
    assert_eq!(redirect.host_str(), Some("auth.example"));
    assert_eq!(redirect.path(), "/go");
    assert_eq!(value(&redirect, "tenant"), "1");
    assert_eq!(value(&redirect, "response_type"), "code");
    assert_eq!(value(&redirect, "client_id"), "https://live.example/");
    assert_eq!(
        value(&redirect, "redirect_uri"),
        "https://live.example/api/auth/indieauth/callback"
    );
    assert_eq!(value(&redirect, "me"), "https://me.example/");
    assert_eq!(value(&redirect, "code_challenge_method"), "S256");
    let state = value(&redirect, "state");
    assert_eq!(state.len(), 20);
    assert!(state.chars().all(|c| c.is_ascii_alphabetic()));

    let proven = world.indieauth.finish(&state, "the code&=").await.unwrap();
    assert_eq!(proven.me.as_str(), "https://me.example/");
    assert_eq!(proven.requester.user, requester("ann").user);
    assert_eq!(proven.requester.token_hash, requester("ann").token_hash);

    let requests = world.auth.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].head.starts_with("POST /go?tenant=1 "));
    assert!(
        requests[0]
            .head
            .to_lowercase()
            .contains("content-type: application/x-www-form-urlencoded")
    );
    let form = Url::parse(&format!("https://x.example/?{}", requests[0].body)).unwrap();
    assert_eq!(value(&form, "grant_type"), "authorization_code");
    assert_eq!(value(&form, "code"), "the code&=");
    assert_eq!(value(&form, "client_id"), value(&redirect, "client_id"));
    assert_eq!(
        value(&form, "redirect_uri"),
        value(&redirect, "redirect_uri")
    );
    let verifier = value(&form, "code_verifier");
    assert_eq!(verifier.len(), 50);
    assert_ne!(verifier, value(&redirect, "code_challenge"));
}

#[tokio::test]
async fn the_endpoint_is_found_in_headers_and_in_a_metadata_document() {
    let script = Script::honest();
    script.page(
        "/header",
        reply(
            200,
            "link: <https://auth.example/header>; rel=\"authorization_endpoint\"\r\n",
            "<link rel=authorization_endpoint href=https://auth.example/html>",
        ),
    );
    script.page(
        "/modern",
        reply(
            200,
            "",
            "<link rel=authorization_endpoint href=https://auth.example/old><link rel=indieauth-metadata href=/meta>",
        ),
    );
    script.page(
        "/modern-header",
        reply(200, "Link: </meta>; rel=indieauth-metadata\r\n", ""),
    );
    script.page(
        "/meta",
        reply(
            200,
            "",
            "{\"issuer\":\"https://auth.example/\",\"authorization_endpoint\":\"https://auth.example/new\"}",
        ),
    );
    let world = script.start();
    for (page, path) in [
        ("/header", "/header"),
        ("/modern", "/new"),
        ("/modern-header", "/new"),
    ] {
        let redirect = world
            .begin_at(&format!("https://me.example{page}"), "ann")
            .await
            .unwrap();
        assert_eq!(redirect.path(), path, "{page}");
    }
}

#[tokio::test]
async fn one_redirect_of_the_page_is_followed_and_the_address_stays_the_typed_one() {
    let script = Script::honest();
    script.page("/moved", reply(302, "location: /\r\n", ""));
    script.confirms("https://me.example/moved/");
    let world = script.start();
    let redirect = world
        .begin_at("https://me.example/moved", "ann")
        .await
        .unwrap();
    assert_eq!(value(&redirect, "me"), "https://me.example/moved");
    let proven = world
        .indieauth
        .finish(&value(&redirect, "state"), "code")
        .await
        .unwrap();
    assert_eq!(proven.me.as_str(), "https://me.example/moved");
}

#[tokio::test]
async fn refuses_a_page_without_a_usable_endpoint() {
    for body in [
        "",
        "hello",
        "<body><link rel=authorization_endpoint href=https://auth.example/go>",
        "<link rel=authorization_endpoint href=http://auth.example/go>",
        "<link rel=authorization_endpoint href=https://127.0.0.1/go>",
        "<link rel=authorization_endpoint href=https://localhost/go>",
        "<link rel=authorization_endpoint href=https://metadata.google.internal/>",
        "<link rel=authorization_endpoint href='javascript:alert(1)'>",
        "<link rel=authorization_endpoint href=https://u:p@auth.example/>",
        "<link rel=indieauth-metadata href=/none>",
    ] {
        let script = Script::honest();
        script.page("/", reply(200, "", body));
        script.page("/none", reply(200, "", "[]"));
        let world = script.start();
        let refused = world.begin("ann").await;
        assert!(
            matches!(refused, Err(SignInProblem::NoEndpoint)),
            "{body}: {refused:?}"
        );
        assert!(world.auth.requests().is_empty());
    }
}

#[tokio::test]
async fn nobody_makes_the_server_contact_its_own_network() {
    let trap = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    trap.set_nonblocking(true).unwrap();
    let port = address_of(&trap).port();
    let script = Script::honest();
    script.page(
        "/away",
        reply(302, &format!("location: https://127.0.0.1:{port}/\r\n"), ""),
    );
    script.page(
        "/named",
        reply(
            302,
            &format!("location: https://evil.example:{port}/\r\n"),
            "",
        ),
    );
    script.page(
        "/meta",
        reply(
            200,
            &format!("link: <https://evil.example:{port}/>; rel=indieauth-metadata\r\n"),
            "",
        ),
    );
    let world = script.start();
    for page in [
        format!("https://127.0.0.1:{port}"),
        format!("https://localhost:{port}"),
        format!("https://evil.example:{port}"),
        format!("https://2130706433:{port}"),
        format!("https://[::ffff:127.0.0.1]:{port}"),
        "https://me.example/away".to_owned(),
        "https://me.example/named".to_owned(),
        "https://me.example/meta".to_owned(),
    ] {
        let refused = world.begin_at(&page, "ann").await.unwrap_err();
        assert!(
            matches!(refused, SignInProblem::Address),
            "{page}: {refused:?}"
        );
        assert!(!refused.to_string().contains("127.0.0.1"), "{refused}");
    }
    let caught = std::iter::from_fn(|| trap.accept().ok()).count();
    assert_eq!(caught, 0);
}

#[tokio::test]
async fn the_endpoint_is_guarded_again_when_the_code_is_exchanged() {
    let script = Script::honest();
    // The name is public when the page is read; its address is known only when it is contacted.
    script.page(
        "/",
        reply(
            200,
            "",
            "<link rel=authorization_endpoint href=https://evil.example/go>",
        ),
    );
    let world = script.start();
    let redirect = world.begin("ann").await.unwrap();
    let refused = world
        .indieauth
        .finish(&value(&redirect, "state"), "code")
        .await
        .unwrap_err();
    assert!(
        matches!(
            refused,
            SignInProblem::ProviderUnreachable(FetchError::Refused { .. })
        ),
        "{refused:?}"
    );
}

#[tokio::test]
async fn refuses_the_identity_of_somebody_else() {
    let script = Script::honest();
    let world = script.start();
    for me in [
        "https://bob.example/",
        "https://me.example.evil.example/",
        "https://me.example/bob",
        "https://me.example@evil.example/",
        "http://me.example/",
        "https://me.example:8443/",
    ] {
        script.confirms(me);
        let redirect = world.begin("ann").await.unwrap();
        let refused = world
            .indieauth
            .finish(&value(&redirect, "state"), "code")
            .await;
        assert!(
            matches!(refused, Err(SignInProblem::OtherIdentity)),
            "{me}: {refused:?}"
        );
    }
    script.confirms("https://ME.example");
    let redirect = world.begin("ann").await.unwrap();
    let state = value(&redirect, "state");
    assert!(world.indieauth.finish(&state, "code").await.is_ok());
}
