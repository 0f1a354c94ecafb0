use model::settings::table::chat::{PAUSED, REQUIRE_AUTHENTICATION, SLOW_MODE_SECONDS};
use model::settings::table::{NAME, STREAM_KEYS, TAGS};
use model::settings::{AnySetting, ExternalSettings, SettingSource, by_key};
use serde_json::{Value, json};
use store::Actor;
use store::settings::{SetError, Settings};

use crate::support::{Home, at, contains};

async fn load(home: &Home) -> Settings {
    Settings::load(home.open().await, &ExternalSettings::default())
        .await
        .unwrap()
}

pub(crate) async fn a_setting_survives_a_restart(home: Home) {
    let settings = load(&home).await;
    settings
        .set(&NAME, json!("  Ünïcode 🎬 "), at(0))
        .await
        .unwrap();
    settings
        .set(&TAGS, json!(["#a", "b"]), at(1))
        .await
        .unwrap();
    assert_eq!(settings.now().get(&NAME), "Ünïcode 🎬");

    let again = load(&home).await.now();
    assert_eq!(again.get(&NAME), "Ünïcode 🎬");
    assert_eq!(again.get(&TAGS), &["a", "b"]);
    assert_eq!(again.current(&NAME).source, SettingSource::Database);
}

pub(crate) async fn a_refused_value_changes_nothing(home: Home) {
    let settings = load(&home).await;
    let refused = settings.set(&NAME, json!(7), at(0)).await.unwrap_err();
    assert!(refused.to_string().starts_with("name "), "{refused}");
    assert!(matches!(
        settings.set(&NAME, json!(""), at(0)).await,
        Err(SetError::Refused { .. })
    ));
    assert_eq!(
        load(&home).await.now().current(&NAME).source,
        SettingSource::Default
    );
}

pub(crate) async fn a_value_given_outside_is_locked(home: Home) {
    let mut outside = ExternalSettings::default();
    let name = by_key("name").unwrap();
    let source = SettingSource::Environment("RILLCAST_NAME".into());
    outside.add(name, name.accept_text("Given").unwrap(), source);
    let settings = Settings::load(home.open().await, &outside).await.unwrap();
    let refused = settings.set(&NAME, json!("Mine"), at(0)).await.unwrap_err();
    assert!(refused.to_string().contains("RILLCAST_NAME"), "{refused}");
    assert_eq!(settings.now().get(&NAME), "Given");
}

pub(crate) async fn a_secret_setting_is_sealed_at_rest(home: Home) {
    let settings = load(&home).await;
    let keys = json!([{"key": "canary-key-4711", "comment": "mine"}]);
    settings.set(&STREAM_KEYS, keys, at(0)).await.unwrap();
    settings
        .set(&NAME, json!("canary-name-4711"), at(0))
        .await
        .unwrap();
    let dump = home.dump();
    assert!(
        contains(&dump, "canary-name-4711"),
        "the dump must be able to show something"
    );
    assert!(!contains(&dump, "canary-key-4711"));
    assert_eq!(
        load(&home).await.now().get(&STREAM_KEYS)[0].key,
        "canary-key-4711"
    );
}

pub(crate) async fn two_writers_of_one_key_leave_memory_and_database_equal(home: Home) {
    let settings = load(&home).await;
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..50 {
        let settings = settings.clone();
        writers.spawn(async move {
            settings
                .set(&NAME, json!(format!("n{number}")), at(0))
                .await
        });
    }
    while let Some(done) = writers.join_next().await {
        done.unwrap().unwrap();
    }
    let in_memory = settings.now().get(&NAME).clone();
    assert_eq!(load(&home).await.now().get(&NAME), &in_memory);
}

pub(crate) async fn what_another_process_has_written_is_there_after_a_refresh(home: Home) {
    let (mine, theirs) = (load(&home).await, load(&home).await);
    theirs.set(&NAME, json!("theirs"), at(0)).await.unwrap();
    assert_eq!(mine.now().current(&NAME).source, SettingSource::Default);
    mine.refresh().await.unwrap();
    assert_eq!(mine.now().get(&NAME), "theirs");
}

fn ada() -> Actor {
    Actor {
        id: "ada".into(),
        name: "ada".into(),
    }
}

async fn change(
    settings: &Settings,
    actor: Actor,
    changes: &[(&'static dyn AnySetting, Value)],
) -> Result<(), SetError> {
    settings.set_together(changes.to_vec(), actor, at(0)).await
}

pub(crate) async fn moderators_tighten_and_take_back_what_they_tightened(home: Home) {
    let settings = load(&home).await;
    settings
        .set(&SLOW_MODE_SECONDS, json!(5), at(0))
        .await
        .unwrap();
    let slow = |seconds: u32| {
        [(
            &SLOW_MODE_SECONDS as &'static dyn AnySetting,
            json!(seconds),
        )]
    };
    change(&settings, ada(), &slow(60)).await.unwrap();
    change(&settings, ada(), &slow(30)).await.unwrap();
    assert_eq!(*settings.now().get(&SLOW_MODE_SECONDS), 30);

    // What the operator chose is known after a restart.
    let settings = load(&home).await;
    let refused = change(&settings, ada(), &slow(4)).await;
    assert!(matches!(refused, Err(SetError::OnlyOperator { .. })));
    change(&settings, ada(), &slow(5)).await.unwrap();

    // A choice of the operator counts from now on, whatever moderators had before.
    change(&settings, ada(), &slow(60)).await.unwrap();
    settings
        .set(&SLOW_MODE_SECONDS, json!(20), at(1))
        .await
        .unwrap();
    let refused = change(&settings, ada(), &slow(10)).await;
    assert!(matches!(refused, Err(SetError::OnlyOperator { .. })));
    change(&settings, ada(), &slow(60)).await.unwrap();
    // Also one that changes nothing.
    change(&settings, Actor::operator(), &slow(60))
        .await
        .unwrap();
    let refused = change(&settings, ada(), &slow(20)).await;
    assert!(matches!(refused, Err(SetError::OnlyOperator { .. })));
    change(&settings, Actor::operator(), &slow(0))
        .await
        .unwrap();
    assert_eq!(*load(&home).await.now().get(&SLOW_MODE_SECONDS), 0);
}

pub(crate) async fn of_several_changes_one_that_is_refused_leaves_none(home: Home) {
    let settings = load(&home).await;
    let signed_in: &'static dyn AnySetting = &REQUIRE_AUTHENTICATION;
    settings.set(signed_in, json!(true), at(0)).await.unwrap();
    let paused = (&PAUSED as &'static dyn AnySetting, json!(true));
    let wrong = (&SLOW_MODE_SECONDS as &'static dyn AnySetting, json!(3601));
    let changes = [paused.clone(), wrong];
    let refused = change(&settings, ada(), &changes).await;
    assert!(matches!(refused, Err(SetError::Refused { .. })));
    let changes = [paused.clone(), (signed_in, json!(false))];
    let refused = change(&settings, ada(), &changes).await;
    assert!(matches!(refused, Err(SetError::OnlyOperator { .. })));
    for settings in [&settings, &load(&home).await] {
        assert!(!settings.now().get(&PAUSED), "all of a change or nothing");
    }

    let mut outside = ExternalSettings::default();
    let slow = by_key("chat_slow_mode_seconds").unwrap();
    let source = SettingSource::Flag("--set".into());
    outside.add(slow, slow.accept_text("9").unwrap(), source);
    let settings = Settings::load(home.open().await, &outside).await.unwrap();
    let changes = [paused, (slow, json!(30))];
    let refused = change(&settings, ada(), &changes).await;
    assert!(matches!(refused, Err(SetError::Locked { .. })));
    assert!(!settings.now().get(&PAUSED));
    let log = home.open().await.moderation_log(9).await.unwrap();
    assert!(log.is_empty(), "{log:?}");
}
