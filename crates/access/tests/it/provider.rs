//! The operator signs in at other sites, which may ask for anything.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use access::provider::{
    AuthorizationRequest, CODE_LENGTH, MAX_WAITING, Provider, RedeemProblem, RedeemRequest,
};
use model::Secret;
use testkit::ManualClock;
use url::Url;

/// The verifier and challenge of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const CLIENT: &str = "https://site.example/";
const REDIRECT: &str = "https://site.example/back?tenant=1";

fn read(changes: &[(&str, &str)]) -> Result<AuthorizationRequest, String> {
    let mut parameters = HashMap::from([
        ("client_id", CLIENT),
        ("redirect_uri", REDIRECT),
        ("state", "some state"),
        ("code_challenge", CHALLENGE),
    ]);
    parameters.extend(changes.iter().copied());
    let read =
        AuthorizationRequest::read(|name| parameters.get(name).map(|value| (*value).to_owned()));
    read.map_err(|problem| problem.to_string())
}

fn request() -> AuthorizationRequest {
    read(&[]).unwrap()
}

fn provider() -> (Provider, ManualClock) {
    let clock = ManualClock::default();
    (Provider::new(Arc::new(clock.clone())), clock)
}

fn parameter(url: &Url, name: &str) -> String {
    let mut pairs = url.query_pairs();
    let found = pairs.find(|(key, _)| key == name);
    found
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn redeem_request(redirect: &Url) -> RedeemRequest {
    RedeemRequest {
        grant_type: Some("authorization_code".into()),
        code: Some(parameter(redirect, "code")),
        client_id: Some(CLIENT.into()),
        redirect_uri: Some(REDIRECT.into()),
        code_verifier: Some(VERIFIER.into()),
    }
}

#[tokio::test]
async fn a_code_goes_back_with_the_state_and_is_exchanged_once() {
    let (provider, _) = provider();
    let redirect = provider.grant(request()).await;
    assert!(
        redirect
            .as_str()
            .starts_with("https://site.example/back?tenant=1&code=")
    );
    assert_eq!(parameter(&redirect, "state"), "some state");
    assert_eq!(provider.redeem(&redeem_request(&redirect)).await, Ok(()));
    assert_eq!(
        provider.redeem(&redeem_request(&redirect)).await,
        Err(RedeemProblem::Code)
    );
}

#[tokio::test]
async fn a_code_is_good_for_ten_minutes() {
    let (provider, clock) = provider();
    let (early, late) = (
        provider.grant(request()).await,
        provider.grant(request()).await,
    );
    clock.advance(CODE_LENGTH - Duration::from_secs(1));
    assert_eq!(provider.redeem(&redeem_request(&early)).await, Ok(()));
    clock.advance(Duration::from_secs(1));
    assert_eq!(
        provider.redeem(&redeem_request(&late)).await,
        Err(RedeemProblem::Code)
    );
}

#[tokio::test]
async fn a_code_is_good_for_whom_it_was_made_only_and_spoilt_by_a_wrong_try() {
    let (provider, _) = provider();
    let some = |text: &str| Some(text.to_owned());
    type Change = fn(RedeemRequest) -> RedeemRequest;
    let changes: [(Change, &str); 6] = [
        (
            |redeem_request| RedeemRequest {
                client_id: Some("https://other.example/".into()),
                ..redeem_request
            },
            "invalid_client",
        ),
        (
            |redeem_request| RedeemRequest {
                redirect_uri: Some("https://site.example/back".into()),
                ..redeem_request
            },
            "invalid_grant",
        ),
        (
            |redeem_request| RedeemRequest {
                redirect_uri: Some("no address".into()),
                ..redeem_request
            },
            "invalid_grant",
        ),
        (
            |redeem_request| RedeemRequest {
                code_verifier: Some("x".repeat(43)),
                ..redeem_request
            },
            "invalid_grant",
        ),
        (
            |redeem_request| RedeemRequest {
                code_verifier: Some(CHALLENGE.into()),
                ..redeem_request
            },
            "invalid_grant",
        ),
        (
            |redeem_request| RedeemRequest {
                code_verifier: Some("x".repeat(100_000)),
                ..redeem_request
            },
            "invalid_grant",
        ),
    ];
    for (change, code) in changes {
        let redirect = provider.grant(request()).await;
        let refused = provider
            .redeem(&change(redeem_request(&redirect)))
            .await
            .unwrap_err();
        assert_eq!(refused.code(), code, "{refused}");
        assert_eq!(
            provider.redeem(&redeem_request(&redirect)).await,
            Err(RedeemProblem::Code)
        );
    }
    let redirect = provider.grant(request()).await;
    let without: [Change; 2] = [
        |redeem_request| RedeemRequest {
            code: None,
            ..redeem_request
        },
        |redeem_request| RedeemRequest {
            code_verifier: None,
            ..redeem_request
        },
    ];
    for change in without {
        let refused = provider.redeem(&change(redeem_request(&redirect))).await;
        assert_eq!(refused.unwrap_err().code(), "invalid_request");
    }
    let password = RedeemRequest {
        grant_type: some("password"),
        ..redeem_request(&redirect)
    };
    assert_eq!(
        provider.redeem(&password).await.unwrap_err().code(),
        "unsupported_grant_type"
    );
    let bare = RedeemRequest {
        grant_type: None,
        ..redeem_request(&redirect)
    };
    assert_eq!(provider.redeem(&bare).await, Ok(()));
}

#[tokio::test]
async fn a_question_is_answered_once_and_by_the_session_that_was_asked() {
    let (provider, clock) = provider();
    let (own, other) = (Secret::new("own session"), Secret::new("other session"));
    let question = provider.ask(request(), &own).await;
    assert!(provider.approve(&question, &other).await.is_none());
    assert!(
        provider
            .approve(&Secret::new("guess"), &own)
            .await
            .is_none()
    );
    let redirect = provider.approve(&question, &own).await.unwrap();
    assert!(provider.approve(&question, &own).await.is_none());
    assert_eq!(provider.redeem(&redeem_request(&redirect)).await, Ok(()));
    let question = provider.ask(request(), &own).await;
    let redirect = provider.refuse(&question, &own).await.unwrap();
    assert_eq!(parameter(&redirect, "error"), "access_denied");
    assert_eq!(parameter(&redirect, "state"), "some state");
    let question = provider.ask(request(), &own).await;
    clock.advance(CODE_LENGTH);
    assert!(provider.approve(&question, &own).await.is_none());
}

#[tokio::test]
async fn no_more_than_a_hundred_codes_wait_and_the_oldest_gives_way() {
    let (provider, _) = provider();
    let first = provider.grant(request()).await;
    let second = provider.grant(request()).await;
    for _ in 1..MAX_WAITING {
        provider.grant(request()).await;
    }
    assert_eq!(
        provider.redeem(&redeem_request(&first)).await,
        Err(RedeemProblem::Code)
    );
    assert_eq!(provider.redeem(&redeem_request(&second)).await, Ok(()));
}

#[test]
fn requests_that_could_send_a_code_astray_are_refused() {
    for (name, value, reason) in [
        ("client_id", "", "missing"),
        ("redirect_uri", "", "missing"),
        ("state", "", "missing"),
        ("code_challenge", "", "missing"),
        ("client_id", "site.example", "full address"),
        ("client_id", "http://site.example/", "https"),
        ("client_id", "javascript:alert(1)", "https"),
        ("client_id", "https://me@site.example/", "user name"),
        ("redirect_uri", "http://site.example/back", "https"),
        ("redirect_uri", "https://site.example/#back", "fragment"),
        ("redirect_uri", "https://evil.example/back", "host"),
        ("redirect_uri", "https://site.example.evil.example/", "host"),
        ("redirect_uri", "https://site.example:8443/back", "port"),
        ("redirect_uri", "data:text/html,x", "https"),
        ("response_type", "token", "code"),
        ("code_challenge_method", "plain", "S256"),
        ("code_challenge", "short", "SHA-256"),
        (
            "code_challenge",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM",
            "SHA-256",
        ),
    ] {
        let refused = read(&[(name, value)]).unwrap_err();
        assert!(
            refused.contains(name) && refused.contains(reason),
            "{name}={value}: {refused}"
        );
    }
    let long = format!("https://site.example/{}", "a".repeat(3000));
    assert!(
        read(&[("client_id", &long)])
            .unwrap_err()
            .contains("too long")
    );
    let local = [
        ("client_id", "http://localhost:3000/"),
        ("redirect_uri", "http://localhost:3000/back"),
    ];
    assert!(read(&local).is_ok());
    let named = [("response_type", "code"), ("code_challenge_method", "S256")];
    assert!(read(&named).is_ok());
}
