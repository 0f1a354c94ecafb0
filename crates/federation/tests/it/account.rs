//! Stories about the account's key and names.

use std::sync::Arc;
use std::time::Duration;

use federation::identity::Account;
use model::Clock;
use model::settings::table::SERVER_URL;
use model::settings::table::federation::{ENABLED, USERNAME};
use model::settings::{AnySetting, ExternalSettings};
use serde_json::{Value, json};
use store::federation::{
    DeliveryFilter, DeliveryKind, Effects, FollowerProfile, FollowerState, NewFollower,
};
use store::settings::Settings;
use store::{DatabaseUrl, Store};
use testkit::{ManualClock, eventually};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Where the stored identity lies.
const SECRET: &str = "federation-identity";

/// A database with its settings; accounts are opened on it repeatedly.
struct Home {
    folder: tempfile::TempDir,
    clock: ManualClock,
    store: Store,
    settings: Settings,
}

impl Home {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("test.db"));
        let key_file = folder.path().join("secret.key");
        let store = Store::open(&url, &key_file).await.unwrap();
        let outside = ExternalSettings::default();
        let settings = Settings::load(store.clone(), &outside).await.unwrap();
        let home = Self {
            folder,
            clock: ManualClock::default(),
            store,
            settings,
        };
        home.set(&SERVER_URL, json!("https://live.example")).await;
        home
    }

    async fn set(&self, setting: &'static dyn AnySetting, value: Value) {
        let set = self.settings.set(setting, value, self.clock.now());
        set.await.unwrap();
    }

    /// Locks the database for another process until the returned sender is dropped.
    async fn lock(&self) -> oneshot::Sender<()> {
        let url = DatabaseUrl::Sqlite(self.folder.path().join("test.db"));
        let key_file = self.folder.path().join("secret.key");
        let other = Store::open(&url, &key_file).await.unwrap();
        let ((begun, has_begun), (end, is_over)) = (oneshot::channel(), oneshot::channel::<()>());
        tokio::spawn(async move {
            let holding = other.write(move |_| {
                Box::pin(async move {
                    begun.send(()).unwrap();
                    drop(is_over.await);
                    Ok(())
                })
            });
            drop(holding.await);
        });
        has_begun.await.unwrap();
        end
    }

    async fn account(&self) -> Account {
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        let opened = Account::open(self.store.clone(), self.settings.clone(), clock);
        opened.await.unwrap()
    }

    async fn add_follower(&self) {
        let iri = "https://remote.example/users/alice";
        let new = NewFollower {
            iri: iri.into(),
            profile: FollowerProfile {
                inbox: format!("{iri}/inbox"),
                shared_inbox: None,
                username: "alice".into(),
                handle: "@alice@remote.example".into(),
                name: "Alice".into(),
                url: None,
                image: None,
            },
            follow_id: format!("{iri}#follow"),
            follow_json: "{}".into(),
            is_directory: false,
        };
        let tables = self.store.federation();
        let (state, now) = (FollowerState::Accepted, self.clock.now());
        let added = tables.add_follower(new, state, Effects::default(), now);
        added.await.unwrap();
    }

    /// The number of queued Move deliveries.
    async fn moves(&self) -> usize {
        let tables = self.store.federation();
        let listed = tables.deliveries_page(DeliveryFilter::default(), 0, 100);
        let (queued, _) = listed.await.unwrap();
        let moves = queued.iter().filter(|one| one.kind == DeliveryKind::Move);
        moves.count()
    }
}

#[tokio::test]
async fn there_is_no_key_before_federation_is_on_and_one_for_everybody_afterwards() {
    let home = Home::open().await;
    let account = home.account().await;
    account.settle().await.unwrap();
    assert!(home.store.secret(SECRET).await.unwrap().is_none());
    assert!(account.known_signers("peer.example").is_none());

    home.set(&ENABLED, json!(true)).await;
    let (one, other) = tokio::join!(account.identity(), account.identity());
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(one.key.public_pem(), other.key.public_pem());
    assert!(
        one.key
            .public_pem()
            .starts_with("-----BEGIN PUBLIC KEY-----\n")
    );
    let signer = account.known_signers("peer.example").unwrap().first;
    assert_eq!(
        signer.key_id,
        "https://live.example/federation/user/live#main-key"
    );

    let again = home.account().await.identity().await.unwrap();
    assert_eq!(again.key.public_pem(), one.key.public_pem());
    assert_eq!(again.published, one.published);
}

#[tokio::test]
async fn the_profile_needs_a_public_address() {
    let home = Home::open().await;
    let account = home.account().await;
    let profile = account.profile().await.unwrap().unwrap();
    assert_eq!(profile.published, home.clock.now());
    home.set(&SERVER_URL, json!("")).await;
    assert_eq!(account.profile().await.unwrap(), None);
    assert!(
        account
            .signers("peer.example", None)
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn a_replaced_key_can_be_taken_back_for_a_week() {
    let home = Home::open().await;
    let account = home.account().await;
    let pem = async || {
        let identity = account.identity().await.unwrap();
        identity.key.public_pem().to_owned()
    };
    let first = pem().await;
    let published = account.identity().await.unwrap().published;
    home.clock.advance(Duration::from_secs(60));
    account.rotate_key(false).await.unwrap();
    let second = pem().await;
    assert_ne!(first, second);
    assert_eq!(account.identity().await.unwrap().published, published);

    home.clock.advance(Duration::from_secs(7 * 24 * 3600 - 1));
    assert!(account.take_back_key().await.unwrap());
    assert_eq!(pem().await, first);

    account.rotate_key(false).await.unwrap();
    home.clock.advance(Duration::from_secs(7 * 24 * 3600));
    assert!(!account.take_back_key().await.unwrap());
    assert_ne!(pem().await, first);
}

// Case 19 of docs/federation-cases.md.
#[tokio::test]
async fn a_crash_while_the_account_is_renamed_says_the_same_move_again_and_no_other() {
    let home = Home::open().await;
    home.set(&ENABLED, json!(true)).await;
    home.add_follower().await;
    let account = home.account().await;
    account.settle().await.unwrap();
    let before = home.store.secret(SECRET).await.unwrap().unwrap();

    home.set(&USERNAME, json!("stage")).await;
    account.settle().await.unwrap();
    assert_eq!(home.moves().await, 1);
    account.settle().await.unwrap();
    assert_eq!(home.moves().await, 1, "said once");

    // As if the process had died between the Move and storing the identity.
    let now = home.clock.now();
    home.store.put_secret(SECRET, &before, now).await.unwrap();
    let account = home.account().await;
    account.settle().await.unwrap();
    assert_eq!(home.moves().await, 1);
    assert_eq!(account.former_usernames(), ["live"]);
    let former = account.signers("peer.example", Some("live")).await;
    assert_eq!(
        former.unwrap().unwrap().first.key_id,
        "https://live.example/federation/user/live#main-key"
    );
}

#[tokio::test]
async fn a_name_changed_while_federation_is_off_is_told_when_it_is_on_again() {
    let home = Home::open().await;
    home.set(&ENABLED, json!(true)).await;
    home.add_follower().await;
    let account = home.account().await;
    account.settle().await.unwrap();
    home.set(&ENABLED, json!(false)).await;
    for name in ["passing", "stage"] {
        home.set(&USERNAME, json!(name)).await;
        account.settle().await.unwrap();
    }
    assert_eq!(
        (home.moves().await, account.former_usernames().len()),
        (0, 0)
    );
    home.set(&ENABLED, json!(true)).await;
    account.settle().await.unwrap();
    assert_eq!(home.moves().await, 1);
    assert_eq!(account.former_usernames(), ["live"]);
}

#[tokio::test]
async fn a_rename_that_the_database_refuses_is_tried_again_without_another_change() {
    let home = Home::open().await;
    home.set(&ENABLED, json!(true)).await;
    home.add_follower().await;
    let account = home.account().await;
    account.settle().await.unwrap();
    home.set(&USERNAME, json!("stage")).await;

    let lock = home.lock().await;
    let stop = CancellationToken::new();
    let following = tokio::spawn(account.clone().follow_settings(stop.clone()));
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    // Writes are refused in order: once this one is, the earlier one was too.
    let now = home.clock.now();
    let refused = home.store.put_secret("probe", b"probe", now).await;
    assert!(refused.is_err());
    assert_eq!(home.moves().await, 0);
    drop(lock);
    eventually("the account is renamed", async || {
        home.clock.advance(Duration::from_secs(1));
        (account.former_usernames() == ["live"]).then_some(())
    })
    .await;
    assert_eq!(home.moves().await, 1);
    stop.cancel();
    following.await.unwrap();
}
