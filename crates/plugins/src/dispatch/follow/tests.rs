use jiff::Timestamp;
use model::chat::ChatUser;
use model::settings::ExternalSettings;
use model::{Event, MessageId, UserId};
use testkit::eventually;

use super::super::fake::{FakePlugins, command, listening, to, with};
use super::super::listener::EventListener;
use super::*;
use crate::host::mock::{InitialState, Mock};

fn said(body: &str) -> Event {
    let user = ChatUser {
        id: UserId::parse("u-7").unwrap(),
        display_name: "mira".into(),
        display_color: 2,
        created_at: Timestamp::UNIX_EPOCH,
        previous_names: vec![],
        name_changed_at: None,
        is_bot: false,
        is_authenticated: false,
        is_moderator: false,
    };
    Event::ChatMessagePosted {
        id: MessageId::parse("m-1").unwrap(),
        user,
        body: String::new(),
        raw_body: body.into(),
        client_id: 1,
        reply: None,
    }
}

/// A plugin with one command.
fn rolling(slug: &str, events: &[&str]) -> EventListener {
    with(slug, |made| {
        made.subscriptions.notify = to(events);
        made.commands = vec![command("roll")];
    })
}

/// Delivers logged events to plugins, until the last of `facts` has arrived as `end`.
async fn hear(
    plugins: FakePlugins,
    facts: &[Event],
    end: &str,
) -> (Vec<(String, String)>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let url = store::DatabaseUrl::Sqlite(folder.path().join("test.db"));
    let store = Store::open(&url, &folder.path().join("secret.key"))
        .await
        .unwrap();
    let now = Timestamp::UNIX_EPOCH;
    let before = Event::StreamStarted {
        id: "before".into(),
        title: String::new(),
    };
    store.log_event(before, now).await.unwrap();
    let settings = Settings::load(store.clone(), &ExternalSettings::default())
        .await
        .unwrap();
    let (plugins, server) = (Arc::new(plugins), Mock::new(InitialState::default()));
    let stop = CancellationToken::new();
    let task = tokio::spawn(follow(
        store.clone(),
        settings,
        plugins.clone(),
        server.clone(),
        stop.clone(),
    ));
    // It has reached its position once it delivers an event that nobody could have received before.
    let found = || async {
        let fresh = Event::StreamStopped { id: "fresh".into() };
        store.log_event(fresh, now).await.unwrap();
        let heard = plugins.heard();
        heard
            .iter()
            .any(|(_, event)| event == "stream.stopped")
            .then_some(())
    };
    eventually("the first event", found).await;
    for fact in facts {
        store.log_event(fact.clone(), now).await.unwrap();
    }
    let ended = || async {
        plugins
            .heard()
            .iter()
            .any(|(_, event)| event == end)
            .then_some(())
    };
    eventually("the last event", ended).await;
    stop.cancel();
    task.await.unwrap();
    let mut heard = plugins.heard();
    heard.retain(|(_, event)| event != "stream.stopped");
    (heard, server.recorded().chat_systems)
}

#[tokio::test]
async fn plugins_hear_what_happens_from_now_on_and_only_what_they_asked_for() {
    let every = listening(
        "every",
        &[
            "stream.started",
            "stream.stopped",
            "chat.message.received",
            "stream.title.changed",
        ],
    );
    let one = listening("one", &["chat.message.received"]);
    let title = Event::StreamTitleChanged { title: "x".into() };
    let facts = [Event::AdminPasswordChanged, said("hi"), title];
    let (heard, announced) = hear(
        FakePlugins::new([every, one]),
        &facts,
        "stream.title.changed",
    )
    .await;
    let wanted = [
        ("every", "chat.message.received"),
        ("one", "chat.message.received"),
        ("every", "stream.title.changed"),
    ];
    assert_eq!(
        heard,
        wanted.map(|(slug, event)| (slug.to_owned(), event.to_owned()))
    );
    assert_eq!(announced, [""; 0]);
}

#[tokio::test]
async fn a_command_comes_after_its_line_and_every_plugin_that_has_it_runs_it() {
    let plugins = [
        rolling("a", &["chat.message.received", "stream.stopped"]),
        rolling("b", &[]),
        listening("c", &["stream.title.changed"]),
    ];
    let title = Event::StreamTitleChanged { title: "x".into() };
    let (heard, _) = hear(
        FakePlugins::new(plugins),
        &[said("!roll"), title],
        "stream.title.changed",
    )
    .await;
    let wanted = [
        ("a", "chat.message.received"),
        ("a", "chat.command"),
        ("b", "chat.command"),
        ("c", "stream.title.changed"),
    ];
    assert_eq!(
        heard,
        wanted.map(|(slug, event)| (slug.to_owned(), event.to_owned()))
    );
}

#[tokio::test]
async fn the_server_answers_a_call_for_help() {
    let plugin = rolling("dice", &["stream.stopped", "stream.title.changed"]);
    let title = Event::StreamTitleChanged { title: "x".into() };
    let (_, announced) = hear(
        FakePlugins::new([plugin]),
        &[said("!help"), title],
        "stream.title.changed",
    )
    .await;
    let [html] = announced.as_slice() else {
        panic!("{announced:?}");
    };
    assert!(html.contains("<code>!roll</code>"), "{html}");
}
