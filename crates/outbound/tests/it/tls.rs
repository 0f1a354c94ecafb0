//! The identity a peer proves.

use outbound::{BuildError, Client, FetchError, Policy, Response, Retry};

use crate::support::{
    Authority, Peer, USER_AGENT, authority, builder, get, reply, url, whole_text,
};

fn distrusted(outcome: &Result<Response, FetchError>, wanted: &str) {
    match outcome {
        Err(error @ FetchError::Untrusted { detail, .. }) => {
            assert_eq!(*detail, wanted);
            assert_eq!(error.retry(), Retry::Backoff, "certificates get renewed");
        }
        other => panic!("not distrusted: {other:?}"),
    }
}

#[tokio::test]
async fn an_extra_authority_is_trusted_and_an_unknown_one_is_not() {
    let peer = Peer::tls(authority().certify("peer.test"), |_| reply("hello"));
    let trusting = builder()
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    let response = get(&trusting, "https://peer.test/", &Policy::federation())
        .await
        .unwrap();
    assert_eq!(&response.body[..], b"hello");

    let other = Authority::new();
    let strict = Client::builder()
        .user_agent(USER_AGENT)
        .extra_ca(other.pem())
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    let outcome = get(&strict, "https://peer.test/", &Policy::federation()).await;
    distrusted(&outcome, "its issuer is unknown");
    assert_eq!(
        peer.heads().len(),
        1,
        "nothing was said to a peer that is not trusted"
    );
}

#[tokio::test]
async fn several_authorities_can_be_added() {
    let other = Authority::new();
    let peer = Peer::tls(other.certify("peer.test"), |_| reply("hello"));
    let bundle = format!("{}{}", authority().pem(), other.pem());
    let client = Client::builder()
        .user_agent(USER_AGENT)
        .extra_ca(bundle)
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    assert!(
        get(&client, "https://peer.test/", &Policy::federation())
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn an_expired_certificate_is_refused() {
    let peer = Peer::tls(authority().certify_expired("peer.test"), |_| reply("hello"));
    let client = builder()
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    let outcome = get(&client, "https://peer.test/", &Policy::federation()).await;
    distrusted(&outcome, "it has expired");
    assert!(peer.heads().is_empty());
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let peer = Peer::tls(authority().certify("other.test"), |_| reply("hello"));
    let client = builder()
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    let outcome = get(&client, "https://peer.test/", &Policy::federation()).await;
    distrusted(&outcome, "it is for another name");
    assert!(peer.heads().is_empty());
}

#[tokio::test]
async fn skipping_verification_is_possible_only_on_request() {
    let stranger = Authority::new();
    let peer = Peer::tls(stranger.certify_expired("other.test"), |_| reply("hello"));
    let careless = builder()
        .danger_resolve("peer.test", peer.address())
        .danger_skip_tls_verify()
        .build()
        .unwrap();
    assert!(
        get(&careless, "https://peer.test/", &Policy::federation())
            .await
            .is_ok()
    );
    let careful = builder()
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    assert!(
        get(&careful, "https://peer.test/", &Policy::federation())
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_plain_peer_behind_an_https_url_is_unreachable() {
    let greeting = b"220 mail.example ready\r\n".to_vec();
    let peer = Peer::blurting(greeting);
    let client = builder()
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    let outcome = get(&client, "https://peer.test/", &Policy::federation()).await;
    assert!(
        matches!(outcome, Err(FetchError::Unreachable { .. })),
        "{outcome:?}"
    );
}

#[test]
fn unusable_settings_are_named() {
    let base = || {
        Client::builder()
            .user_agent(USER_AGENT)
            .extra_ca(authority().pem())
    };
    assert!(matches!(
        Client::builder().build(),
        Err(BuildError::UserAgent)
    ));
    assert!(matches!(
        base().user_agent("a\nb").build(),
        Err(BuildError::UserAgent)
    ));
    assert!(matches!(
        base().user_agent(" ").build(),
        Err(BuildError::UserAgent)
    ));
    assert!(matches!(
        base().extra_ca("nonsense").build(),
        Err(BuildError::ExtraCa)
    ));
    let address = "127.0.0.1:1234".parse().unwrap();
    for host in ["127.0.0.1", "[::1]", "2130706433", "a b", ""] {
        let outcome = base().danger_resolve(host, address).build();
        assert!(matches!(outcome, Err(BuildError::Mapping { .. })), "{host}");
    }
    let portless = base()
        .danger_resolve("peer.test", "127.0.0.1:0".parse().unwrap())
        .build();
    assert!(matches!(portless, Err(BuildError::Mapping { .. })));
}

#[tokio::test]
async fn errors_never_show_paths_queries_or_headers() {
    let peer = Peer::tls(authority().certify("other.test"), |_| reply("hello"));
    let client = builder()
        .danger_resolve("peer.test", peer.address())
        .build()
        .unwrap();
    for text in [
        "https://peer.test/hush/hook?token=hush",
        "https://gone.example/hush?hush",
        "https://user:hush@peer.test/",
        "https://127.0.0.1/hush",
        "ftp://peer.test/hush",
    ] {
        let mut headers = outbound::http::HeaderMap::new();
        headers.insert("authorization", "hush".parse().unwrap());
        let budget = outbound::FetchBudget::new(1);
        let error = client
            .get(&url(text), &Policy::federation(), headers, &budget)
            .await
            .unwrap_err();
        let shown = whole_text(&error);
        assert!(!shown.contains("hush"), "{text}: {shown}");
    }
}
