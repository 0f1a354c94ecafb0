//! Plugin calls against the real components.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use model::UserId;
use plugins::host::mock::{InitialState, Mock};
use plugins::host::wire::{MaybeRaw, VideoConfigChange, VideoVariant};
use plugins::host::{
    Assets, Bot, Host, HostCalls, HostParts, HostServices, Identity, Plugin, SocialNotice,
};
use plugins::manifest::Manifest;
use store::{Actor, MessageKind};
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tracing_subscriber::layer::SubscriberExt;
use web::LogBook;

use super::Services;
use crate::cli::Options;
use crate::clock::SystemClock;
use crate::cluster::NodeAddresses;
use crate::config::{Config, ConfigSources};
use crate::data_dir::DataDir;
use crate::logging::LogBuffer;
use crate::wiring::{Components, Previews};

struct Fixture {
    services: Services,
    components: Components,
    folder: TempDir,
    _stop: DropGuard,
}

async fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        data_dir: Some(folder.path().join("data").display().to_string()),
        ..Options::default()
    };
    let config = Config::read(&ConfigSources::new(options, BTreeMap::new()).unwrap()).unwrap();
    let data_dir = DataDir::open(&config.data_dir).unwrap();
    let clock = Arc::new(SystemClock::new());
    let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
    let addresses = NodeAddresses {
        http: config.listen,
        rtmp: Some(config.rtmp_listen),
    };
    let components = Components::open(&config, data_dir, addresses, clock, &tasks, &stop)
        .await
        .unwrap();
    let live = components.open_stream(&tasks, &stop).await.unwrap();
    let chat = components
        .open_chat(&live, 10, &tasks, &stop)
        .await
        .unwrap();
    let previews = Arc::new(Previews {
        thumbnails: components.open_thumbnails(&live, &tasks, &Handle::current(), &stop),
        plugins: OnceLock::new(),
    });
    let federation = components
        .open_federation(&live, previews, &tasks, &Handle::current(), &stop)
        .await
        .unwrap();
    Fixture {
        services: components.services(live, chat, federation),
        components,
        folder,
        _stop: stop.drop_guard(),
    }
}

fn bell() -> Bot {
    Bot {
        slug: "bell".into(),
        display_name: "Door Bell".into(),
    }
}

#[tokio::test]
async fn a_plugin_speaks_as_one_bot_and_reads_what_was_said() {
    let fixture = fixture().await;
    for text in ["ding", "dong"] {
        fixture.services.send_chat(&bell(), text).await.unwrap();
    }
    fixture
        .services
        .send_chat_action(&bell(), "rings")
        .await
        .unwrap();
    fixture
        .services
        .send_chat_system("<b>hi</b>")
        .await
        .unwrap();
    fixture
        .services
        .send_chat_to(7, "nobody is there")
        .await
        .unwrap();
    let lines = fixture.services.chat_history(10).await.unwrap();
    let bodies: Vec<_> = lines.iter().map(|line| line.body.as_str()).collect();
    assert_eq!(bodies, ["ding", "dong"], "lines of people and bots only");
    let bot = lines[0].user.clone().unwrap();
    assert_eq!(bot.display_name, "Door Bell");
    assert!(bot.is_bot);
    assert_eq!(lines[1].user.as_ref(), Some(&bot));
    let stored = fixture.components.store.recent_messages(10).await.unwrap();
    let action = stored.iter().find(|one| one.kind == MessageKind::Action);
    let action = action.unwrap();
    assert_eq!(action.body, "<p><strong>Door Bell</strong> rings</p>");
    let doer = action.user.as_ref().map(|user| user.id.as_str());
    assert_eq!(doer, Some(bot.id.as_str()));

    fixture
        .services
        .delete_message("bell", &lines[0].id)
        .await
        .unwrap();
    assert_eq!(fixture.services.chat_history(10).await.unwrap().len(), 1);
    assert!(fixture.services.chat_clients().await.unwrap().is_empty());
    assert!(fixture.services.kick_client("bell", 7).await.is_err());
}

#[tokio::test]
async fn what_a_plugins_bot_says_is_plain_text_and_its_announcements_are_html() {
    let fixture = fixture().await;
    let services = &fixture.services;
    let text = "1. a<b and c>d *star*";
    services.send_chat(&bell(), text).await.unwrap();
    services.send_chat_action(&bell(), text).await.unwrap();
    services.send_chat_system("<b>hi</b>").await.unwrap();
    let stored = fixture.components.store.recent_messages(10).await.unwrap();
    let body = |kind| {
        let found = stored.iter().find(|one| one.kind == kind);
        found.unwrap().body.as_str()
    };
    let shown = "1. a&lt;b and c&gt;d *star*</p>";
    assert_eq!(body(MessageKind::Chat), format!("<p>{shown}"));
    assert_eq!(
        body(MessageKind::Action),
        format!("<p><strong>Door Bell</strong> {shown}")
    );
    assert!(body(MessageKind::System).contains("<b>hi</b>"));
}

#[tokio::test]
async fn the_name_of_a_bot_is_cleaned_and_bounded_as_peoples_are() {
    let fixture = fixture().await;
    let services = &fixture.services;
    let long = "x".repeat(3_000);
    for (given, shown) in [
        ("a\nb\u{1b}[31m\u{202e}c", "ab[31mc"),
        ("<b>Door</b> Bell", "Door Bell"),
        (" \u{200b} ", "bell"),
        (long.as_str(), &long[..30]),
    ] {
        let bot = Bot {
            slug: "bell".into(),
            display_name: given.into(),
        };
        services.send_chat(&bot, "ding").await.unwrap();
        let lines = services.chat_history(1).await.unwrap();
        let user = lines[0].user.as_ref().unwrap();
        assert_eq!(user.display_name, shown, "{given:?}");
    }
}

#[tokio::test]
async fn the_history_has_as_many_lines_as_were_asked_for_whatever_the_server_says_in_between() {
    let fixture = fixture().await;
    let services = &fixture.services;
    for number in 0..4 {
        let line = format!("line {number}");
        services.send_chat(&bell(), &line).await.unwrap();
        for _ in 0..3 {
            services.send_chat_system("the server says").await.unwrap();
        }
    }
    let lines = services.chat_history(3).await.unwrap();
    let bodies: Vec<_> = lines.iter().map(|line| line.body.as_str()).collect();
    assert_eq!(bodies, ["line 1", "line 2", "line 3"]);
}

#[tokio::test]
async fn a_session_is_for_people_the_plugin_vouches_for() {
    let fixture = fixture().await;
    let ana = Identity {
        auth_id: "7".into(),
        display_name: Some("Ana".into()),
        scopes: Some(vec!["MODERATOR".into()]),
        handle: Some("@ana".into()),
        public: Some(false),
        ..Identity::default()
    };
    let registered = fixture.services.register_user("gate", &ana).await.unwrap();
    assert_eq!(registered.handle.as_deref(), Some("@ana"));
    assert_eq!(registered.public, Some(false));
    let later = Identity {
        handle: Some("@other".into()),
        ..ana.clone()
    };
    assert_eq!(
        fixture
            .services
            .register_user("gate", &later)
            .await
            .unwrap(),
        registered
    );
    let id = registered.user_id;
    let user = fixture.services.user(&id).await.unwrap().unwrap();
    assert_eq!(user.display_name, "Ana");
    assert_eq!(user.scopes, ["MODERATOR"]);
    assert!(user.is_authenticated);

    let token = fixture.services.session_token("gate", &id).await.unwrap();
    let hash = access::sha256(token.expose());
    let found = fixture.components.store.user_by_token(&hash).await.unwrap();
    assert_eq!(found.unwrap().1.id, UserId::parse(id.as_str()).unwrap());
    for (slug, user) in [
        ("other", id.as_str()),
        ("gate", "somebody"),
        ("gate", "no id"),
    ] {
        let refused = fixture
            .services
            .session_token(slug, user)
            .await
            .unwrap_err();
        assert!(refused.contains("not registered"), "{refused}");
    }
}

#[tokio::test]
async fn a_plugin_that_registers_too_many_people_is_told_so_and_goes_on_a_minute_later() {
    let clock = testkit::ManualClock::default();
    let mut fixture = fixture().await;
    fixture.services.clock = Arc::new(clock.clone());
    let register = async |number: u32| {
        let identity = Identity {
            auth_id: number.to_string(),
            ..Identity::default()
        };
        fixture.services.register_user("gate", &identity).await
    };
    for number in 0..60 {
        register(number).await.unwrap();
    }
    let refused = register(60).await.unwrap_err();
    assert!(refused.contains("60 new users a minute"), "{refused}");
    register(7).await.expect("somebody it knows");
    clock.advance(std::time::Duration::from_secs(60));
    register(60).await.unwrap();
}

#[tokio::test]
async fn people_and_addresses_are_kept_out_in_the_plugins_name() {
    let fixture = fixture().await;
    let ana = Identity {
        auth_id: "7".into(),
        ..Identity::default()
    };
    let services = &fixture.services;
    let id = services.register_user("gate", &ana).await.unwrap().user_id;
    services
        .set_user_enabled("mod", &id, false, "")
        .await
        .unwrap();
    let users = services.users().await.unwrap();
    assert!(
        users
            .iter()
            .any(|user| user.id == id && user.disabled_at.is_some())
    );
    services
        .set_user_enabled("mod", &id, true, "")
        .await
        .unwrap();
    let user = services.user(&id).await.unwrap().unwrap();
    assert_eq!(user.disabled_at, None);
    assert!(
        services
            .set_user_enabled("mod", "nobody", false, "")
            .await
            .is_err()
    );
    assert_eq!(services.user("no id").await.unwrap(), None);

    services.ban_ip("mod", "198.51.100.7").await.unwrap();
    assert!(services.chat.is_banned("198.51.100.7".parse().unwrap()));
    let bans = fixture.components.store.address_bans().await.unwrap();
    assert!(bans[0].note.contains("mod"), "{}", bans[0].note);
    let Actor { id, .. } = super::actor("mod");
    assert_eq!(id, "plugin:mod");
}

#[tokio::test]
async fn a_public_file_has_an_address_below_the_plugins_own() {
    let fixture = fixture().await;
    let url = fixture
        .services
        .upload("bell", "a b?.png", b"x")
        .await
        .unwrap();
    assert_eq!(url, "/public/plugins/bell/a%20b%3F.png");
    let file = fixture
        .folder
        .path()
        .join("data/public/plugins/bell/a b?.png");
    assert_eq!(std::fs::read(file).unwrap(), b"x");
}

#[tokio::test]
async fn the_server_tells_about_itself_and_takes_wishes_for_the_video() {
    let fixture = fixture().await;
    let services = &fixture.services;
    assert!(matches!(services.stream().await, Ok(MaybeRaw::Typed(now)) if !now.online));
    assert!(
        matches!(services.broadcaster().await, Ok(MaybeRaw::Typed(who)) if who.codecs.is_empty())
    );
    assert!(
        matches!(services.server_info().await, Ok(MaybeRaw::Typed(info)) if !info.version.is_empty())
    );
    assert!(matches!(services.federation().await, Ok(MaybeRaw::Typed(facts)) if !facts.enabled));
    assert!(!HostServices::emotes(services).await.unwrap().is_empty());
    services.socials().await.unwrap();
    HostServices::tags(services).await.unwrap();

    let wanted = VideoVariant {
        height: 720,
        framerate: 30,
        video_bitrate: 2500,
        cpu_usage_level: 3,
        ..VideoVariant::default()
    };
    let change = VideoConfigChange {
        latency_level: Some(1),
        variants: Some(vec![wanted.clone()]),
        ..VideoConfigChange::default()
    };
    services.write_video_config("ops", &change).await.unwrap();
    let Ok(MaybeRaw::Typed(video)) = services.video_config().await else {
        panic!("no video settings");
    };
    assert_eq!(video.latency_level, 1);
    assert_eq!(video.variants, [wanted]);
}

#[tokio::test]
async fn who_pushes_to_browsers_reads_once_in_the_log_that_nobody_is_there() {
    let Fixture {
        services,
        components,
        folder,
        _stop,
    } = fixture().await;
    let around = Mock::new(InitialState::default());
    let parts = HostParts {
        services: Arc::new(services),
        ..around.parts(folder.path().join("storage"), components.clock.now())
    };
    let manifest =
        r#"{"api":"1","name":"Bell","version":"1","permissions":["notifications.send"]}"#;
    let manifest = Manifest::parse(manifest).unwrap();
    let plugin = Plugin {
        permissions: manifest.permissions,
        manifest: Arc::new(manifest),
        assets: Assets::Folder("none".into()),
    };
    let host = Host::new(plugin, parts);
    let buffer = Arc::new(LogBuffer::default());
    let lines = tracing_subscriber::registry().with(buffer.layer());
    let _reading = tracing::subscriber::set_default(lines);
    for _ in 0..3 {
        let pushed = host.call("notify_browser_push", r#"{"title":"live"}"#);
        pushed.await.unwrap();
    }
    let told = buffer.of_plugin("bell");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].level, "warning");
    assert!(told[0].message.contains("reaches nobody"), "{told:?}");
}

#[tokio::test]
async fn notices_need_somewhere_to_go() {
    let fixture = fixture().await;
    let services = &fixture.services;
    services
        .notify_discord("nobody set a channel")
        .await
        .unwrap();
    let notice = SocialNotice {
        kind: "like".into(),
        body: "likes it".into(),
        ..SocialNotice::default()
    };
    services.notify_fediverse(&notice).await.unwrap();
    let refused = services.fediverse_post("bell", "hello").await.unwrap_err();
    assert!(refused.contains("federation is off"), "{refused}");
    let off = fixture.components.settings.set(
        &model::settings::table::federation::PLUGIN_POSTS,
        false.into(),
        fixture.components.clock.now(),
    );
    off.await.unwrap();
    let refused = services.fediverse_post("bell", "hello").await.unwrap_err();
    assert!(
        refused.contains("does not allow plugins to post"),
        "{refused}"
    );
}
