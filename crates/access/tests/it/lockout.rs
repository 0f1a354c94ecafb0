//! Nobody can lock the operator out by guessing.

use super::*;

/// Guesses from everywhere until nobody has an attempt left.
async fn flood(admin: &AdminIdentity) {
    for number in 100..160 {
        let guess = admin
            .sign_in(secret("a wrong guess"), &visitor(number))
            .await;
        assert!(guess.is_err());
    }
}

async fn restarted(world: &World) -> AdminIdentity {
    let clock = Arc::new(world.clock.clone());
    let again = AdminIdentity::load(world.store.clone(), clock, None);
    again.await.unwrap()
}

#[tokio::test]
async fn a_browser_that_signed_in_before_is_let_in_from_anywhere_during_a_flood() {
    let world = world(None).await;
    set_up(&world).await;
    let password = || secret("first password");
    let first = world.admin.sign_in(password(), &visitor(1)).await.unwrap();
    let device = first.device.unwrap();
    let known = |last| Visitor {
        device: Some(device.clone()),
        ..visitor(last)
    };
    let again = restarted(&world).await;
    flood(&again).await;
    // A new address without the cookie waits, even with a made-up one.
    for stranger in [
        visitor(2),
        Visitor {
            device: Some(secret("made up")),
            ..visitor(3)
        },
    ] {
        let outcome = again.sign_in(password(), &stranger).await;
        assert!(
            matches!(outcome, Err(SignInError::TooMany(_))),
            "{outcome:?}"
        );
    }
    // The known browser gets in and needs no new cookie; its own wrong guesses are counted.
    let outcome = again.sign_in(password(), &known(4)).await.unwrap();
    assert!(outcome.device.is_none());
    for _ in 0..5 {
        let wrong = again.sign_in(secret("a wrong guess"), &known(5)).await;
        assert!(matches!(wrong, Err(SignInError::Wrong)), "{wrong:?}");
    }
    let slowed = again.sign_in(secret("a wrong guess"), &known(6)).await;
    assert!(matches!(slowed, Err(SignInError::TooMany(_))), "{slowed:?}");
    // A new password ends the sessions opened with the old one.
    again
        .change_password(secret("second password"))
        .await
        .unwrap();
    let later = restarted(&world).await;
    flood(&later).await;
    let outcome = later.sign_in(secret("second password"), &known(7)).await;
    assert!(
        matches!(outcome, Err(SignInError::TooMany(_))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn an_address_that_used_the_password_by_basic_is_known_after_a_restart() {
    let world = world(None).await;
    set_up(&world).await;
    world
        .admin
        .check_basic("admin", secret("first password"), &visitor(1))
        .await
        .unwrap();
    let again = restarted(&world).await;
    flood(&again).await;
    again
        .check_basic("admin", secret("first password"), &visitor(1))
        .await
        .unwrap();
}

#[tokio::test]
async fn wrong_setup_tokens_do_not_hold_up_a_sign_in() {
    let world = world(None).await;
    for last in 0..50 {
        let (token, visitor) = (secret("wrong"), visitor(last));
        let wrong = world
            .admin
            .complete_setup(&token, secret("a password"), &visitor);
        assert!(wrong.await.is_err());
    }
    set_up(&world).await;
    let operator = visitor(1);
    let signed_in = world.admin.sign_in(secret("first password"), &operator);
    signed_in.await.unwrap();
}

#[tokio::test]
async fn a_link_from_the_console_signs_in_once_within_its_time_whatever_others_guess() {
    let world = world(None).await;
    set_up(&world).await;
    flood(&world.admin).await;
    let link = async |seconds| {
        let token = access::random_token();
        let hash = access::sha256(token.expose()).to_vec();
        let until = world.clock.now() + Duration::from_secs(seconds);
        world.store.add_operator_link(hash, until).await.unwrap();
        token
    };
    let (good, short) = (link(600).await, link(5).await);
    world.clock.advance(Duration::from_secs(10));
    for wrong in [&short, &secret("made up")] {
        let outcome = world.admin.sign_in_by_link(wrong, &visitor(2)).await;
        assert!(
            matches!(outcome, Err(SignInError::WrongLink)),
            "{outcome:?}"
        );
    }
    let signed_in = world
        .admin
        .sign_in_by_link(&good, &visitor(2))
        .await
        .unwrap();
    assert!(world.admin.has_session(&signed_in.session).await.unwrap());
    assert!(signed_in.device.is_some());
    let again = world.admin.sign_in_by_link(&good, &visitor(2)).await;
    assert!(matches!(again, Err(SignInError::WrongLink)), "{again:?}");
    let events = world.store.events_after(0).await.unwrap();
    let kinds: Vec<_> = events.iter().map(|logged| logged.event.kind()).collect();
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| **kind == "AdminSignedInByLink")
            .count(),
        1
    );
}
