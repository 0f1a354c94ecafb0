//! The operator's identity on a real database with a manual clock.
#![allow(clippy::unwrap_used, missing_docs)]

mod indieauth;
mod peer;
mod provider;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use access::{AdminIdentity, ChangeError, SESSION_LENGTH, SetupError, SignInError, Visitor};
use model::{Clock, Secret};
use store::{DatabaseUrl, Store};
use testkit::ManualClock;

struct World {
    _folder: tempfile::TempDir,
    clock: ManualClock,
    store: Store,
    admin: AdminIdentity,
}

async fn world(outside: Option<&str>) -> World {
    let folder = tempfile::tempdir().unwrap();
    let key_file = folder.path().join("secret.key");
    let store = Store::open(&DatabaseUrl::Sqlite(folder.path().join("db")), &key_file)
        .await
        .unwrap();
    let clock = ManualClock::default();
    let outside = outside.map(Secret::new);
    let admin = AdminIdentity::load(store.clone(), Arc::new(clock.clone()), outside.as_ref())
        .await
        .unwrap();
    World {
        _folder: folder,
        clock,
        store,
        admin,
    }
}

fn visitor(last: u8) -> Visitor {
    Visitor {
        address: IpAddr::from([192, 0, 2, last]),
        user_agent: "test".into(),
        device: None,
    }
}

fn secret(text: &str) -> Secret {
    Secret::new(text)
}

async fn set_up(world: &World) {
    let token = world.admin.setup_token().unwrap();
    world
        .admin
        .complete_setup(&token, secret("first password"), &visitor(1))
        .await
        .unwrap();
}

#[tokio::test]
async fn the_setup_link_works_once() {
    let world = world(None).await;
    let token = world.admin.setup_token().unwrap();
    set_up(&world).await;
    assert!(world.admin.setup_token().is_none());
    let again = world
        .admin
        .complete_setup(&token, secret("other password"), &visitor(1))
        .await;
    assert!(matches!(again, Err(SetupError::WrongToken)), "{again:?}");
    world
        .admin
        .sign_in(secret("first password"), &visitor(1))
        .await
        .unwrap();
}

#[tokio::test]
async fn nobody_without_the_printed_token_wins_the_setup() {
    let world = world(None).await;
    let mut racers = tokio::task::JoinSet::new();
    for number in 0..100u8 {
        let admin = world.admin.clone();
        racers.spawn(async move {
            let guess = access::random_token();
            admin
                .complete_setup(&guess, secret("attacker's one"), &visitor(number))
                .await
                .is_ok()
        });
    }
    let wins = racers
        .join_all()
        .await
        .into_iter()
        .filter(|won| *won)
        .count();
    assert_eq!(wins, 0);
    assert!(world.store.admin_password().await.unwrap().is_none());
}

#[tokio::test]
async fn a_weak_first_password_keeps_the_link_valid() {
    let world = world(None).await;
    let token = world.admin.setup_token().unwrap();
    let weak = world
        .admin
        .complete_setup(&token, secret("short"), &visitor(1))
        .await;
    assert!(matches!(weak, Err(SetupError::Password(_))), "{weak:?}");
    set_up(&world).await;
}

#[tokio::test]
async fn before_the_setup_no_password_opens() {
    let world = world(None).await;
    let outcome = world.admin.sign_in(secret("abc123"), &visitor(1)).await;
    assert!(matches!(outcome, Err(SignInError::NotSetUp)), "{outcome:?}");
}

#[tokio::test]
async fn a_session_lasts_eight_hours() {
    let world = world(None).await;
    set_up(&world).await;
    let cookie = world
        .admin
        .sign_in(secret("first password"), &visitor(1))
        .await
        .unwrap()
        .session;
    assert!(world.admin.has_session(&cookie).await.unwrap());
    assert!(
        !world
            .admin
            .has_session(&access::random_token())
            .await
            .unwrap()
    );
    world.clock.advance(SESSION_LENGTH - Duration::from_secs(1));
    assert!(world.admin.has_session(&cookie).await.unwrap());
    world.clock.advance(Duration::from_secs(1));
    assert!(!world.admin.has_session(&cookie).await.unwrap());
}

#[tokio::test]
async fn signing_out_ends_the_session() {
    let world = world(None).await;
    set_up(&world).await;
    let cookie = world.admin.open_session(&visitor(1)).await.unwrap();
    world.admin.sign_out(&cookie).await.unwrap();
    assert!(!world.admin.has_session(&cookie).await.unwrap());
}

#[tokio::test]
async fn a_new_password_ends_sessions_and_the_memory_of_the_old_one() {
    let world = world(None).await;
    set_up(&world).await;
    let cookie = world
        .admin
        .sign_in(secret("first password"), &visitor(1))
        .await
        .unwrap()
        .session;
    world
        .admin
        .check_basic("admin", secret("first password"), &visitor(1))
        .await
        .unwrap();
    world
        .admin
        .change_password(secret("second password"))
        .await
        .unwrap();
    assert!(!world.admin.has_session(&cookie).await.unwrap());
    let old = world
        .admin
        .check_basic("admin", secret("first password"), &visitor(1))
        .await;
    assert!(matches!(old, Err(SignInError::Wrong)), "{old:?}");
    world
        .admin
        .check_basic("admin", secret("second password"), &visitor(1))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_password_given_outside_wins_and_is_locked() {
    let world = world(Some("from the outside")).await;
    assert!(world.admin.setup_token().is_none());
    world
        .admin
        .check_basic("admin", secret("from the outside"), &visitor(1))
        .await
        .unwrap();
    let change = world.admin.change_password(secret("another one")).await;
    assert!(matches!(change, Err(ChangeError::Locked)), "{change:?}");
}

#[tokio::test]
async fn only_the_name_admin_signs_in() {
    let world = world(Some("from the outside")).await;
    let outcome = world
        .admin
        .check_basic("root", secret("from the outside"), &visitor(1))
        .await;
    assert!(matches!(outcome, Err(SignInError::Wrong)), "{outcome:?}");
}

#[tokio::test]
async fn guessing_is_slowed_down_and_the_wait_is_told() {
    let world = world(None).await;
    set_up(&world).await;
    for _ in 0..5 {
        let outcome = world
            .admin
            .sign_in(secret("wrong password"), &visitor(9))
            .await;
        assert!(matches!(outcome, Err(SignInError::Wrong)), "{outcome:?}");
    }
    let outcome = world
        .admin
        .sign_in(secret("first password"), &visitor(9))
        .await;
    let Err(SignInError::TooMany(wait)) = outcome else {
        panic!("{outcome:?}")
    };
    world.clock.advance(wait);
    world
        .admin
        .sign_in(secret("first password"), &visitor(9))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_jump_of_the_wall_clock_does_not_lift_the_limit() {
    let world = world(None).await;
    set_up(&world).await;
    for _ in 0..5 {
        drop(
            world
                .admin
                .sign_in(secret("wrong password"), &visitor(9))
                .await,
        );
    }
    world
        .clock
        .set_wall("2040-01-01T00:00:00Z".parse().unwrap());
    let outcome = world
        .admin
        .sign_in(secret("first password"), &visitor(9))
        .await;
    assert!(
        matches!(outcome, Err(SignInError::TooMany(_))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_password_replaced_by_another_process_counts_at_once() {
    let world = world(None).await;
    set_up(&world).await;
    world
        .admin
        .check_basic("admin", secret("first password"), &visitor(1))
        .await
        .unwrap();
    let hash = access::hash_password(secret("second password"))
        .await
        .unwrap();
    world
        .store
        .replace_admin_password(hash, world.clock.now())
        .await
        .unwrap();
    let old = world
        .admin
        .check_basic("admin", secret("first password"), &visitor(1))
        .await;
    assert!(matches!(old, Err(SignInError::Wrong)), "{old:?}");
    world
        .admin
        .check_basic("admin", secret("second password"), &visitor(1))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_right_passwords_at_once_are_no_guesses() {
    let world = world(None).await;
    set_up(&world).await;
    let mut scripts = tokio::task::JoinSet::new();
    for _ in 0..30 {
        let admin = world.admin.clone();
        scripts.spawn(async move {
            admin
                .check_basic("admin", secret("first password"), &visitor(3))
                .await
        });
    }
    for outcome in scripts.join_all().await {
        outcome.unwrap();
    }
}

#[tokio::test]
async fn strangers_cannot_keep_the_operator_from_the_first_setup() {
    let world = world(None).await;
    for number in 0..50 {
        drop(
            world
                .admin
                .complete_setup(
                    &access::random_token(),
                    secret("attacker's one"),
                    &visitor(number),
                )
                .await,
        );
    }
    set_up(&world).await;
}

#[tokio::test]
async fn after_a_restart_a_flood_does_not_lock_out_who_is_signed_in() {
    let world = world(None).await;
    set_up(&world).await;
    world
        .admin
        .sign_in(secret("first password"), &visitor(1))
        .await
        .unwrap();
    let again = AdminIdentity::load(world.store.clone(), Arc::new(world.clock.clone()), None)
        .await
        .unwrap();
    for number in 2..60 {
        drop(
            again
                .sign_in(secret("a wrong guess"), &visitor(number))
                .await,
        );
    }
    again
        .sign_in(secret("first password"), &visitor(1))
        .await
        .unwrap();
}

#[tokio::test]
async fn another_password_given_outside_ends_the_sessions_of_the_one_before() {
    let world = world(Some("the first outside")).await;
    let load = async |password: Option<&str>| {
        let password = password.map(Secret::new);
        AdminIdentity::load(
            world.store.clone(),
            Arc::new(world.clock.clone()),
            password.as_ref(),
        )
        .await
        .unwrap()
    };
    let cookie = world
        .admin
        .sign_in(secret("the first outside"), &visitor(1))
        .await
        .unwrap()
        .session;
    let same = load(Some("the first outside")).await;
    assert!(same.has_session(&cookie).await.unwrap());
    let other = load(Some("the second outside")).await;
    assert!(!other.has_session(&cookie).await.unwrap());
    let cookie = other
        .sign_in(secret("the second outside"), &visitor(1))
        .await
        .unwrap()
        .session;
    assert!(!load(None).await.has_session(&cookie).await.unwrap());
}

/// As often as nobody has a try left, from everywhere.
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
    // A new address without the cookie waits, also with a made-up one.
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
    // The known browser comes in, and needs no other cookie; its own wrong guesses are counted.
    let outcome = again.sign_in(password(), &known(4)).await.unwrap();
    assert!(outcome.device.is_none());
    for _ in 0..5 {
        let wrong = again.sign_in(secret("a wrong guess"), &known(5)).await;
        assert!(matches!(wrong, Err(SignInError::Wrong)), "{wrong:?}");
    }
    let slowed = again.sign_in(secret("a wrong guess"), &known(6)).await;
    assert!(matches!(slowed, Err(SignInError::TooMany(_))), "{slowed:?}");
    // A new password ends what the old one had opened.
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
