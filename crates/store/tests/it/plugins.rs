//! Stories about plugins' records and values.

use model::UserId;
use store::plugins::{
    KvRefusal, MAX_KEY_BYTES, MAX_KEYS, MAX_VALUE_BYTES, MAX_VALUES_BYTES, PluginIdentity,
    PluginProfile, PluginRecord, RegistrationLimit, ValueKey,
};
use store::{Actor, NewUser, Store, StoreError, UserKind};

use crate::support::{Home, at, contains};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(crate) async fn what_was_decided_about_a_plugin_survives_a_restart(home: Home) {
    let store = home.open().await;
    assert_eq!(store.plugin_record("bell").await.unwrap(), None);
    let wanted = names(&["ui.modify", "chat.send"]);
    store.enable_plugin("bell", wanted, at(1)).await.unwrap();
    let config = r#"{"cooldownMs":7}"#.to_owned();
    store
        .set_plugin_config("bell", config.clone(), at(2))
        .await
        .unwrap();
    let actions = r#"[{"title":"x"}]"#.to_owned();
    store
        .set_plugin_actions("bell", actions.clone(), at(3))
        .await
        .unwrap();
    store
        .set_plugin_access_mode("bell", "website-only".into(), at(4))
        .await
        .unwrap();
    store.disable_plugin("away", at(5)).await.unwrap();
    drop(store);
    assert!(!contains(&home.dump(), "cooldownMs"), "settings are sealed");
    let store = home.open().await;
    let record = PluginRecord {
        slug: "bell".into(),
        is_enabled: true,
        approved: Some(names(&["chat.send", "ui.modify"])),
        access_mode: Some("website-only".into()),
        config,
        actions,
    };
    assert_eq!(
        store.plugin_record("bell").await.unwrap(),
        Some(record.clone())
    );
    let all = store.plugin_records().await.unwrap();
    assert_eq!(
        (all.len(), all[0].slug.as_str(), &all[1]),
        (2, "away", &record)
    );
    assert_eq!((all[0].is_enabled, all[0].config.as_str()), (false, "{}"));
}

pub(crate) async fn of_two_servers_that_make_a_secret_at_once_both_have_the_first(home: Home) {
    let (one, two) = (home.open().await, home.open().await);
    let name = "plugins.session_key";
    assert_eq!(
        one.keep_secret(name, b"first", at(1)).await.unwrap(),
        b"first"
    );
    assert_eq!(
        two.keep_secret(name, b"second", at(2)).await.unwrap(),
        b"first"
    );
    assert_eq!(one.secret(name).await.unwrap().unwrap(), b"first");
}

pub(crate) async fn a_forgotten_plugin_loses_its_approval_and_keeps_its_data(home: Home) {
    let store = home.open().await;
    store
        .enable_plugin("bell", names(&["chat.send"]), at(1))
        .await
        .unwrap();
    store
        .set_plugin_config("bell", r#"{"a":1}"#.into(), at(2))
        .await
        .unwrap();
    set(&store, "bell", "rings", "7").await.unwrap().unwrap();
    store.disable_plugin("bell", at(3)).await.unwrap();
    let record = store.plugin_record("bell").await.unwrap().unwrap();
    assert_eq!(
        (record.is_enabled, record.approved),
        (false, Some(names(&["chat.send"])))
    );
    store.forget_plugin("bell", at(4)).await.unwrap();
    let record = store.plugin_record("bell").await.unwrap().unwrap();
    assert_eq!((record.is_enabled, record.approved), (false, None));
    assert_eq!(record.config, r#"{"a":1}"#);
    assert_eq!(get(&store, "bell", "rings").await.as_deref(), Some("7"));
}

pub(crate) async fn a_plugin_keeps_values_that_no_other_one_sees(home: Home) {
    let store = home.open().await;
    let odd = "nul \0, quote ' and é";
    set(&store, "one", odd, odd).await.unwrap().unwrap();
    set(&store, "two", odd, "mine").await.unwrap().unwrap();
    assert_eq!(get(&store, "one", odd).await.as_deref(), Some(odd));
    assert_eq!(get(&store, "two", odd).await.as_deref(), Some("mine"));
    assert_eq!(get(&store, "one", "other").await, None);
    set(&store, "one", odd, "").await.unwrap().unwrap();
    assert_eq!(get(&store, "one", odd).await, None);
    set(&store, "one", odd, "").await.unwrap().unwrap();
    assert_eq!(get(&store, "two", odd).await.as_deref(), Some("mine"));
    // The server's own data about a plugin cannot be reached by any key.
    set(&store, "one", "service.config", "{\"x\":1}")
        .await
        .unwrap()
        .unwrap();
    let record = store.plugin_record("one").await.unwrap().unwrap();
    assert_eq!(record.config, "{}");
}

pub(crate) async fn the_quotas_of_values_are_kept_and_a_refusal_changes_nothing(home: Home) {
    let store = home.open().await;
    let refused = |answer: Result<Result<(), KvRefusal>, StoreError>| answer.unwrap().unwrap_err();
    assert_eq!(refused(set(&store, "x", "", "v").await), KvRefusal::Key);
    let long = "k".repeat(MAX_KEY_BYTES + 1);
    assert_eq!(refused(set(&store, "x", &long, "v").await), KvRefusal::Key);
    set(&store, "x", &long[1..], "v").await.unwrap().unwrap();
    let large = "v".repeat(MAX_VALUE_BYTES + 1);
    assert_eq!(
        refused(set(&store, "x", &long[1..], &large).await),
        KvRefusal::Value
    );
    assert_eq!(get(&store, "x", &long[1..]).await.as_deref(), Some("v"));

    let fits = MAX_VALUES_BYTES / i64::try_from(MAX_VALUE_BYTES).unwrap() - 1;
    for index in 0..fits {
        let key = format!("large {index}");
        set(&store, "x", &key, &large[1..]).await.unwrap().unwrap();
    }
    let answer = set(&store, "x", "more", &large[1..]).await;
    assert_eq!(refused(answer), KvRefusal::Total);
    set(&store, "x", "large 0", "").await.unwrap().unwrap();
    set(&store, "x", "more", &large[1..])
        .await
        .unwrap()
        .unwrap();
    set(&store, "y", "more", &large[1..])
        .await
        .unwrap()
        .unwrap();

    let keys = (0..MAX_KEYS).map(|index| set_owned(&store, "many", format!("{index}"), "v"));
    let answers = futures_util::future::join_all(keys).await;
    assert!(answers.into_iter().all(|answer| answer.unwrap().is_ok()));
    let answer = set(&store, "many", "one more", "v").await;
    assert_eq!(refused(answer), KvRefusal::Keys);
    set(&store, "many", "7", "longer than before")
        .await
        .unwrap()
        .unwrap();
    set(&store, "many", "7", "").await.unwrap().unwrap();
    set(&store, "many", "one more", "v").await.unwrap().unwrap();
}

async fn set(
    store: &Store,
    slug: &str,
    key: &str,
    value: &str,
) -> Result<Result<(), KvRefusal>, StoreError> {
    set_owned(store, slug, key.to_owned(), value).await
}

async fn set_owned(
    store: &Store,
    slug: &str,
    key: String,
    value: &str,
) -> Result<Result<(), KvRefusal>, StoreError> {
    let slug = slug.to_owned();
    store
        .set_plugin_value(ValueKey { slug, key }, value.to_owned(), at(9))
        .await
}

async fn get(store: &Store, slug: &str, key: &str) -> Option<String> {
    let (slug, key) = (slug.to_owned(), key.to_owned());
    store.plugin_value(&ValueKey { slug, key }).await.unwrap()
}

fn somebody(id: &str, name: &str, kind: UserKind) -> NewUser {
    NewUser {
        id: UserId::parse(id).unwrap(),
        kind,
        display_name: name.into(),
        display_color: 1,
    }
}

pub(crate) async fn somebody_a_plugin_vouches_for_is_the_same_user_each_time(home: Home) {
    let store = home.open().await;
    let profile = |handle: Option<&str>| PluginProfile {
        profile_url: Some("https://elsewhere.example/ana".into()),
        handle: handle.map(str::to_owned),
        public: Some(true),
    };
    let vouch_with = async |slug: &str, profile: PluginProfile, id: &str, name: &str| {
        let new = somebody(id, name, UserKind::Standard);
        let subject = "7".into();
        let voucher = PluginIdentity { subject, profile };
        let vouched = store.vouched_user(slug, voucher, new, "x1".into(), at(7));
        vouched.await.unwrap().unwrap()
    };
    let vouch = async |slug: &str, id: &str, name: &str| {
        let (user, kept) = vouch_with(slug, PluginProfile::default(), id, name).await;
        assert_eq!(kept, PluginProfile::default());
        user
    };
    let ana = vouch("gate", "u1", "Ana").await;
    assert_eq!(ana.display_name, "Ana");
    assert!(ana.authenticated_at.is_some());
    let again = vouch("gate", "u2", "Somebody else").await;
    assert_eq!(again.id, ana.id);
    assert_eq!(again.display_name, "Ana");
    let other = vouch("door", "u3", "ANA").await;
    assert_eq!(other.display_name, "ANAx1", "the name is taken");
    for (slug, user, is_so) in [
        ("gate", &ana.id, true),
        ("door", &ana.id, false),
        ("door", &other.id, true),
    ] {
        assert_eq!(store.is_vouched_by(slug, user).await.unwrap(), is_so);
    }
    // The profile given the first time counts.
    for handle in [Some("@ana"), Some("@other"), None] {
        let (_, kept) = vouch_with("third", profile(handle), "u4", "Third").await;
        assert_eq!(kept, profile(Some("@ana")));
    }
}

pub(crate) async fn a_plugin_makes_sixty_users_a_minute_and_those_it_knows_do_not_count(
    home: Home,
) {
    let store = home.open().await;
    let vouch = async |slug: &str, subject: &str, second: i64| {
        let new = somebody(&format!("{slug}-{subject}"), subject, UserKind::Standard);
        let voucher = PluginIdentity {
            subject: subject.into(),
            profile: PluginProfile::default(),
        };
        let vouched = store.vouched_user(slug, voucher, new, "x1".into(), at(second));
        vouched.await.unwrap().map(drop)
    };
    for number in 0..60 {
        vouch("gate", &format!("n{number}"), 100).await.unwrap();
    }
    let refused = vouch("gate", "late", 159).await.unwrap_err();
    assert_eq!(refused, RegistrationLimit::Minute);
    let id = UserId::parse("gate-late").unwrap();
    assert!(store.user(&id).await.unwrap().is_none(), "nobody was made");
    vouch("gate", "n7", 159).await.unwrap();
    vouch("other", "late", 159).await.unwrap();
    vouch("gate", "late", 160).await.unwrap();
    assert_eq!(
        RegistrationLimit::Minute.to_string(),
        "a plugin may register 60 new users a minute: try again later"
    );
}

pub(crate) async fn whom_a_plugin_made_is_listed_newest_first(home: Home) {
    let store = home.open().await;
    assert_eq!(store.vouched_users("gate", 9).await.unwrap().total, 0);
    for (slug, name, second) in [("gate", "Ana", 1), ("other", "Eve", 2), ("gate", "Bob", 3)] {
        let new = somebody(&name.to_lowercase(), name, UserKind::Standard);
        let voucher = PluginIdentity {
            subject: name.into(),
            profile: PluginProfile::default(),
        };
        let vouched = store.vouched_user(slug, voucher, new, "x1".into(), at(second));
        vouched.await.unwrap().unwrap();
    }
    let all = store.vouched_users("gate", 9).await.unwrap();
    let names = all.newest.iter().map(|user| user.display_name.as_str());
    let names: Vec<_> = names.collect();
    assert_eq!((all.total, names), (2, vec!["Bob", "Ana"]));
    let first = store.vouched_users("gate", 1).await.unwrap();
    assert_eq!((first.total, first.newest.len()), (2, 1));
    let ana = &all.newest[1].id;
    store
        .set_moderator(ana, true, Actor::operator(), at(4))
        .await
        .unwrap();
    let first = store.vouched_users("gate", 1).await.unwrap();
    assert_eq!(first.newest[0].id, *ana, "moderators come before others");
}

pub(crate) async fn a_plugins_bot_stays_the_same_user_under_another_name(home: Home) {
    let store = home.open().await;
    for name in ["Bell", "Bell", "Door Bell"] {
        let bot = somebody("plugin-bell", name, UserKind::Api);
        let user = store.plugin_bot(bot, at(1)).await.unwrap();
        assert_eq!(user.display_name, name);
        assert!(user.public().is_bot);
    }
    let user = store.user(&UserId::parse("plugin-bell").unwrap()).await;
    assert_eq!(user.unwrap().unwrap().previous_names, ["Bell", "Door Bell"]);
}
