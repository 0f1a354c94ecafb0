//! The operator's identity on a real database with a manual clock.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod indieauth;
mod lockout;
mod machines;
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
async fn a_server_is_set_up_as_soon_as_somebody_has_a_password() {
    let linked = world(None).await;
    let is_set_up = linked.admin.is_set_up();
    assert!(!*is_set_up.borrow());
    set_up(&linked).await;
    assert!(*is_set_up.borrow());
    let given = world(Some("given outside")).await;
    assert!(*given.admin.is_set_up().borrow());
    // As `rillcast admin reset-password` does while the server runs.
    let reset = world(None).await;
    let is_set_up = reset.admin.is_set_up();
    let hash = access::hash_password(secret("from the console"))
        .await
        .unwrap();
    let stored = reset.store.create_admin_password(hash, reset.clock.now());
    assert!(stored.await.unwrap());
    reset
        .admin
        .sign_in(secret("from the console"), &visitor(1))
        .await
        .unwrap();
    assert!(*is_set_up.borrow());
    assert!(reset.admin.setup_token().is_none());
}

#[tokio::test]
async fn a_server_that_is_only_looked_at_counts_as_set_up_and_can_still_be_set_up() {
    let world = world(None).await;
    world.admin.count_as_set_up();
    assert!(*world.admin.is_set_up().borrow());
    let early = world.admin.sign_in(secret("anything"), &visitor(1)).await;
    assert!(matches!(early, Err(SignInError::NotSetUp)), "{early:?}");
    set_up(&world).await;
    assert!(*world.admin.is_set_up().borrow());
    assert!(world.admin.setup_token().is_none());
}

#[tokio::test]
async fn checking_a_setup_link_leaves_it_valid_and_guesses_are_slowed_down() {
    let world = world(None).await;
    let token = world.admin.setup_token().unwrap();
    let guess = secret("a guess");
    let mut refusals = (0..50).map(|_| world.admin.check_setup_token(&guess, &visitor(2)));
    assert!(refusals.any(|refusal| matches!(refusal, Err(SetupError::TooMany(_)))));
    world.admin.check_setup_token(&token, &visitor(2)).unwrap();
    set_up(&world).await;
    let used = world.admin.check_setup_token(&token, &visitor(1));
    assert!(used.is_err(), "it works once");
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
