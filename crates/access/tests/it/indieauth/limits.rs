//! How long a sign-in waits, how many can wait, and what is rejected on the way.

use testkit::https::endless;

use super::*;

#[tokio::test]
async fn a_state_works_once() {
    let script = Script::honest();
    let world = script.start();
    let redirect = world.begin("ann").await.unwrap();
    let state = value(&redirect, "state");
    world.indieauth.finish(&state, "code").await.unwrap();
    let again = world.indieauth.finish(&state, "code").await;
    assert!(matches!(again, Err(SignInProblem::UnknownState)));

    script.confirms("https://bob.example/");
    let redirect = world.begin("ann").await.unwrap();
    let state = value(&redirect, "state");
    world.indieauth.finish(&state, "code").await.unwrap_err();
    script.confirms("https://me.example/");
    let again = world.indieauth.finish(&state, "code").await;
    assert!(
        matches!(again, Err(SignInProblem::UnknownState)),
        "also after a failure"
    );
    assert_eq!(world.auth.requests().len(), 2, "the replays asked nobody");
}

#[tokio::test]
async fn a_state_belongs_to_whoever_began() {
    let world = Script::honest().start();
    let of_ann = world.begin("ann").await.unwrap();
    let of_bob = world.begin("bob").await.unwrap();
    assert_ne!(value(&of_ann, "state"), value(&of_bob, "state"));
    assert_ne!(
        value(&of_ann, "code_challenge"),
        value(&of_bob, "code_challenge")
    );
    let proven = world
        .indieauth
        .finish(&value(&of_ann, "state"), "code")
        .await
        .unwrap();
    assert_eq!(proven.requester.user, requester("ann").user);
    for made_up in ["", "x", "AAAAAAAAAAAAAAAAAAAA", &"A".repeat(100_000)] {
        let refused = world.indieauth.finish(made_up, "code").await;
        assert!(matches!(refused, Err(SignInProblem::UnknownState)));
    }
    assert_eq!(world.auth.requests().len(), 1);
}

#[tokio::test]
async fn a_sign_in_expires_after_ten_minutes() {
    let world = Script::honest().start();
    let early = value(&world.begin("ann").await.unwrap(), "state");
    let late = value(&world.begin("ann").await.unwrap(), "state");
    world.clock.advance(SIGN_IN_LENGTH - Duration::from_secs(1));
    world.indieauth.finish(&early, "code").await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    let refused = world.indieauth.finish(&late, "code").await;
    assert!(matches!(refused, Err(SignInProblem::UnknownState)));
}

#[tokio::test]
async fn a_hundred_may_wait_and_failures_do_not_count() {
    let script = Script::honest();
    script.page("/broken", reply(500, "", ""));
    let world = script.start();
    for number in 0..MAX_PENDING {
        let failed = world.begin_at("https://me.example/broken", "ann").await;
        assert!(matches!(failed, Err(SignInProblem::Unreachable(_))));
        world.begin(&format!("user{number}")).await.unwrap();
    }
    let refused = world.begin("ann").await;
    assert!(matches!(refused, Err(SignInProblem::Busy)), "{refused:?}");
    let fetched = world.page.requests().len();
    assert_eq!(fetched, 2 * MAX_PENDING, "nothing was fetched for the last");
    world.clock.advance(SIGN_IN_LENGTH);
    assert!(world.begin("ann").await.is_ok());
}

#[tokio::test]
async fn a_page_without_end_is_given_up() {
    let script = Script::honest();
    script.page("/", endless("text/html"));
    let endless = script.start().begin("ann").await;
    assert!(
        matches!(
            endless,
            Err(SignInProblem::Unreachable(FetchError::TooLarge { .. }))
        ),
        "{endless:?}"
    );
}

#[tokio::test]
async fn a_page_that_says_nothing_is_given_up() {
    let script = Script::honest();
    script.page("/", Reply::Silent);
    let world = script.start_with(Duration::from_millis(500));
    let silent = world.begin("ann").await;
    assert!(
        matches!(
            silent,
            Err(SignInProblem::Unreachable(
                FetchError::DeadlinePassed { .. }
            ))
        ),
        "{silent:?}"
    );
}

#[tokio::test]
async fn refuses_every_answer_to_the_code_that_is_no_confirmation() {
    let script = Script::honest();
    let world = script.start();
    let confirmation = "{\"me\":\"https://me.example/\"}";
    for answer in [
        reply(400, "", "{\"error\":\"invalid_grant\"}"),
        reply(200, "", "{\"error\":\"invalid_grant\"}"),
        reply(200, "", ""),
        reply(200, "", "me=https%3A%2F%2Fme.example%2F"),
        reply(200, "", "{\"me\":\"not an address\"}"),
        reply(200, "", "{\"me\":[\"https://me.example/\"]}"),
        reply(201, "", confirmation),
        reply(401, "", confirmation),
    ] {
        script.auth("/go?tenant=1", answer);
        let redirect = world.begin("ann").await.unwrap();
        let state = value(&redirect, "state");
        let refused = world.indieauth.finish(&state, "code").await;
        assert!(
            matches!(refused, Err(SignInProblem::NotConfirmed)),
            "{refused:?}"
        );
    }
    script.auth("/go?tenant=1", endless("text/html"));
    let redirect = world.begin("ann").await.unwrap();
    let state = value(&redirect, "state");
    let refused = world.indieauth.finish(&state, "code").await;
    assert!(
        matches!(
            refused,
            Err(SignInProblem::ProviderUnreachable(
                FetchError::TooLarge { .. }
            ))
        ),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_redirect_of_the_exchange_is_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let script = Script::honest();
        script.auth("/go?tenant=1", reply(status, "location: /other\r\n", ""));
        script.auth("/other", reply(200, "", "{\"me\":\"https://me.example/\"}"));
        let world = script.start();
        let redirect = world.begin("ann").await.unwrap();
        let state = value(&redirect, "state");
        let refused = world.indieauth.finish(&state, "code").await;
        assert!(matches!(refused, Err(SignInProblem::NotConfirmed)));
        assert_eq!(world.auth.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_code_that_cannot_be_one_is_not_sent() {
    let world = Script::honest().start();
    for code in ["", &"a".repeat(10_000)] {
        let redirect = world.begin("ann").await.unwrap();
        let state = value(&redirect, "state");
        let refused = world.indieauth.finish(&state, code).await;
        assert!(matches!(refused, Err(SignInProblem::NotConfirmed)));
    }
    assert!(world.auth.requests().is_empty());
}
