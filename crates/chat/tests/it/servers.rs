//! Several servers with one database: the same chat at each of them.

use std::net::IpAddr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use chat::{ClientMessage, ClientReceiver, CloseReason, PeopleNoteKind};
use model::chat::Reply;
use model::{Clock, Event, StreamState, TokenId, UserId};
use serde_json::json;
use store::{Actor, DatabaseUrl, Store};
use testkit::eventually;

use crate::house::{House, line, next};

/// Waiting for longer means that nothing will come.
const PATIENCE: Duration = Duration::from_secs(20);

/// A PostgreSQL database for one test.
struct Database {
    server: String,
    name: String,
    folder: tempfile::TempDir,
}

impl Database {
    /// `None` if no PostgreSQL is available, which CI does not accept.
    fn create() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let Ok(server) = std::env::var("TEST_POSTGRES_URL") else {
            assert!(
                std::env::var_os("CI").is_none(),
                "TEST_POSTGRES_URL is not set: run `make test`"
            );
            return None;
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("chat_{}_{number}", std::process::id());
        psql(&server, &format!("CREATE DATABASE {name}"));
        Some(Self {
            server,
            name,
            folder: tempfile::tempdir().unwrap(),
        })
    }

    fn address(&self) -> String {
        self.server
            .replacen("/postgres?", &format!("/{}?", self.name), 1)
    }

    /// One more server.
    async fn server(&self) -> House {
        let address = self.address();
        let key_file = self.folder.path().join("secret.key");
        let store = Store::open_shared(&DatabaseUrl::Postgres(address), &key_file).await;
        House::with(store.unwrap(), tempfile::tempdir().unwrap()).await
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        psql(&self.server, &sql);
    }
}

fn psql(url: &str, sql: &str) {
    let done = Command::new("psql").args([url, "-qXc", sql]).status();
    assert!(done.unwrap().success());
}

async fn closed(receiver: &ClientReceiver) -> CloseReason {
    let reason = tokio::time::timeout(PATIENCE, receiver.closed()).await;
    reason.expect("a connection that is closed")
}

/// What somebody hears until this, and this.
async fn until(receiver: &mut ClientReceiver, last: &str) -> Vec<String> {
    let mut heard = Vec::new();
    while heard.last().is_none_or(|text| text != last) {
        heard.push(next(receiver).await);
    }
    heard
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_hears_the_same_lines_in_one_order_and_none_twice_whatever_server_they_are_at() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = (database.server().await, database.server().await);
    let (ada, mut ada_hears) = here.enter("ada").await;
    let (bo, mut bo_hears) = there.enter("bo").await;
    let mut stored = Vec::new();
    for round in 0..10 {
        here.wait(1).await;
        there.wait(1).await;
        let (a, b) = (format!("a{round}"), format!("b{round}"));
        tokio::join!(ada.say(line(&a)), bo.say(line(&b)));
        stored.extend([format!("line <p>{a}</p>"), format!("line <p>{b}</p>")]);
    }
    let (mut by_ada, mut by_bo) = (Vec::new(), Vec::new());
    for _ in 0..stored.len() {
        by_ada.push(next(&mut ada_hears).await);
        by_bo.push(next(&mut bo_hears).await);
    }
    assert_eq!(by_ada, by_bo);
    let in_database = here.store.recent_messages(100).await.unwrap();
    let in_database: Vec<String> = in_database
        .iter()
        .map(|message| format!("line {}", message.body))
        .collect();
    assert_eq!(by_ada, in_database);
    by_ada.sort();
    stored.sort();
    assert_eq!(by_ada, stored);

    // A server that starts now has them in its history, and hears the next one once.
    let late = database.server().await;
    assert_eq!(late.room.history().len(), 20);
    let (_, mut cy_hears) = late.enter("cy").await;
    here.wait(1).await;
    ada.say(line("more")).await;
    assert_eq!(next(&mut cy_hears).await, "line <p>more</p>");
    assert_eq!(late.room.history().len(), 21);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_moderator_does_takes_effect_on_every_server() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = (database.server().await, database.server().await);
    let (bo, mut bo_hears) = there.enter("bo").await;
    let (cy, mut cy_hears) = there.enter("cy").await;
    bo.say(line("rude")).await;
    assert_eq!(next(&mut cy_hears).await, "line <p>rude</p>");
    let rude = there.room.history()[0].id.clone();
    let operator = Actor::operator;

    here.room.pin(rude.clone(), operator()).await.unwrap();
    assert_eq!(next(&mut cy_hears).await, "pinned <p>rude</p>");
    let hiding = here.room.set_visibility(vec![rude], false, operator());
    assert!(hiding.await.unwrap());
    until(&mut cy_hears, "visibility 1 false").await;
    assert!(there.room.pinned().is_none());
    assert!(there.room.history().is_empty());

    let bo_id = UserId::parse("bo").unwrap();
    let minute = Duration::from_secs(60);
    let muting = here.room.mute(&bo_id, minute, None, operator());
    assert!(muting.await.unwrap());
    until(&mut bo_hears, "you are bo").await;
    there.wait(1).await;
    bo.say(line("still here?")).await;
    assert!(next(&mut bo_hears).await.starts_with("action <p>"));

    here.room.say_system("Be kind.".into()).await.unwrap();
    assert!(next(&mut cy_hears).await.starts_with("system <p>Be kind."));
    cy.say(ClientMessage::Rename("Cyd".into())).await;
    assert_eq!(next(&mut cy_hears).await, "renamed cy");

    assert!(here.room.ban(&bo_id, None, operator()).await.unwrap());
    assert_eq!(closed(&bo_hears).await, CloseReason::Removed);
    until(&mut bo_hears, "banned").await;

    let address = IpAddr::from([192, 0, 2, 7]);
    let dee = there.person("dee").await;
    let request = there.join_request(dee, [192, 0, 2, 7]);
    let (_, dee_hears) = there.room.enter(request).await.unwrap();
    let banning = here.room.ban_address(address, "rude".into(), operator());
    assert!(banning.await.unwrap());
    assert_eq!(closed(&dee_hears).await, CloseReason::Removed);
    assert!(there.room.is_banned(address));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_revoked_and_a_setting_changed_at_one_server_are_so_at_the_other() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = (database.server().await, database.server().await);
    let (_, bo_hears) = there.enter("bo").await;
    let revoked = Event::ChatTokenRevoked {
        token: TokenId::parse("t1").unwrap(),
    };
    let at = here.clock.now();
    here.store.log_event(revoked, at).await.unwrap();
    assert_eq!(closed(&bo_hears).await, CloseReason::Changed);

    let mut changes = there.settings.changes();
    here.set("chat_disabled", json!(true)).await;
    let key = model::settings::by_key("chat_disabled").unwrap();
    let change = changes.wait_for(|layers| layers.current(key).value.json == json!(true));
    let change = tokio::time::timeout(PATIENCE, change).await;
    change.expect("the change").unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_does_not_hold_up_the_chat() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = (database.server().await, database.server().await);
    let (ada, _ada_hears) = here.enter("ada").await;
    let (_bo, mut bo_hears) = there.enter("bo").await;
    let eve = here.person("eve").await;
    psql(
        &database.address(),
        "UPDATE users SET previous_names = 'none' WHERE id = 'eve'",
    );
    let changed = Event::ChatUserChanged { user: eve.id };
    here.store
        .log_event(changed, here.clock.now())
        .await
        .unwrap();
    ada.say(line("hello")).await;
    assert_eq!(next(&mut bo_hears).await, "line <p>hello</p>");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_quotes_its_line_on_every_server_and_who_comes_back_to_another_misses_nothing() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = (database.server().await, database.server().await);
    let (ada, mut ada_hears) = here.enter("ada").await;
    let (_, mut bo_hears) = there.enter("bo").await;
    ada.say(line("first")).await;
    assert_eq!(next(&mut bo_hears).await, "line <p>first</p>");
    next(&mut ada_hears).await;
    let first = here.room.history()[0].id.clone();
    here.wait(1).await;
    let reply = ClientMessage::Line {
        body: "second".into(),
        reply_to: Some(first.to_string()),
    };
    ada.say(reply).await;
    assert_eq!(next(&mut bo_hears).await, "line <p>second</p>");
    let quoted = Reply {
        id: first.clone(),
        display_name: "ada".into(),
        excerpt: "first".into(),
    };
    assert_eq!(there.room.history()[1].reply, Some(quoted));
    here.wait(1).await;
    ada.say(ClientMessage::Rename("Ada".into())).await;
    assert_eq!(next(&mut bo_hears).await, "renamed ada");

    let mut request = there.join_request(there.stored("ada").await, [127, 0, 0, 1]);
    request.last_event_id = Some(first);
    let (_, mut again) = there.room.enter(request).await.unwrap();
    for missed in ["you are Ada", "line <p>second</p>", "renamed ada"] {
        assert_eq!(next(&mut again).await, missed);
    }
}

/// Two servers that tell each other who is there.
async fn neighbours(database: &Database) -> (House, House) {
    let (here, there) = (database.server().await, database.server().await);
    here.room.begin_telling("one", 1);
    there.room.begin_telling("two", 2);
    (here, there)
}

/// Brings what one server has to tell to the other, as a network would.
fn carry(from: &House, to: &House) {
    let mut notes = from.room.people_news();
    notes.extend(from.room.people_sign(PeopleNoteKind::Changes));
    let mut is_asked = false;
    for note in notes {
        is_asked |= to.room.hear_people(note);
    }
    if is_asked {
        for note in from.room.everybody_here() {
            to.room.hear_people(note);
        }
    }
}

/// How often the log says that somebody joined, and left.
async fn joined_and_left(store: &Store, name: &str) -> (usize, usize) {
    let events = store.events_after(0).await.unwrap();
    let is_joined = |event: &Event| match event {
        Event::ChatUserJoined { user, .. } => user.id.as_str() == name,
        _ => false,
    };
    let is_left = |event: &Event| match event {
        Event::ChatUserParted { user, .. } => user.id.as_str() == name,
        _ => false,
    };
    let count = |is_it: &dyn Fn(&Event) -> bool| {
        let found = events.iter().filter(|logged| is_it(&logged.event));
        found.count()
    };
    (count(&is_joined), count(&is_left))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_at_two_servers_joins_once_and_leaves_once_for_everybody() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = neighbours(&database).await;
    here.go(StreamState::Live);
    there.go(StreamState::Live);
    let (_, mut ada_hears) = here.enter("ada").await;
    let (_, bo_here) = here.enter("bo").await;
    until(&mut ada_hears, "joined bo").await;
    carry(&here, &there);
    let (_, mut cy_hears) = there.enter("cy").await;
    until(&mut ada_hears, "joined cy").await;
    until(&mut cy_hears, "joined cy").await;
    let (_, bo_there) = there.enter("bo").await;
    carry(&there, &here);

    drop(bo_here);
    here.wait(1).await;
    carry(&here, &there);
    here.wait(12).await;
    assert_eq!(joined_and_left(&here.store, "bo").await, (1, 0));
    there.wait(5).await;
    drop(bo_there);
    there.wait(1).await;
    carry(&there, &here);
    there.wait(12).await;
    for hears in [&mut ada_hears, &mut cy_hears] {
        let heard = until(hears, "parted bo").await;
        assert!(!heard.contains(&"joined bo".to_owned()), "{heard:?}");
    }
    assert_eq!(joined_and_left(&here.store, "bo").await, (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_takes_its_people_with_it() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = neighbours(&database).await;
    let (_, mut ada_hears) = here.enter("ada").await;
    let (_, _bo_hears) = there.enter("bo").await;
    eventually("bo has joined", async || {
        let told = joined_and_left(&here.store, "bo").await;
        (told == (1, 0)).then_some(())
    })
    .await;
    carry(&there, &here);
    let since = Some(here.clock.uptime());
    // Nothing is heard of the other server from now on.
    for _ in 0..25 {
        here.wait(1).await;
        here.room.watch_people(since);
    }
    until(&mut ada_hears, "parted bo").await;
    assert_eq!(joined_and_left(&here.store, "bo").await, (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_moderator_reaches_those_at_another_server_as_if_they_were_here() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = neighbours(&database).await;
    let bo = there.person("bo").await;
    let bo_id = bo.id.clone();
    let request = there.join_request(bo, [192, 0, 2, 9]);
    let (_, mut bo_hears) = there.room.enter(request).await.unwrap();
    let minute = Duration::from_secs(60);
    let muting = here
        .room
        .mute(&bo_id, minute, Some("spam".into()), Actor::operator());
    assert!(muting.await.unwrap());
    let told = "action <p>A moderator has timed you out for 1 minute. Reason: spam</p>";
    until(&mut bo_hears, told).await;

    assert!(here.room.kick(bo_hears.client_id()).await);
    assert_eq!(closed(&bo_hears).await, CloseReason::Removed);
    let request = there.join_request(there.stored("bo").await, [192, 0, 2, 9]);
    let (_, bo_hears) = there.room.enter(request).await.unwrap();
    assert!(
        here.room
            .ban(&bo_id, None, Actor::operator())
            .await
            .unwrap()
    );
    assert_eq!(closed(&bo_hears).await, CloseReason::Removed);
    let address = IpAddr::from([192, 0, 2, 9]);
    for house in [&there, &here] {
        eventually("their address is banned", async || {
            house.room.is_banned(address).then_some(())
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_mode_holds_for_somebody_who_writes_through_two_servers() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = neighbours(&database).await;
    let key = model::settings::by_key("chat_slow_mode_seconds").unwrap();
    let mut changes = there.settings.changes();
    here.set("chat_slow_mode_seconds", json!(30)).await;
    let change = changes.wait_for(|layers| layers.current(key).value.json == json!(30));
    let change = tokio::time::timeout(PATIENCE, change).await;
    drop(change.expect("the change").unwrap());
    let (ada_here, mut hears_here) = here.enter("ada").await;
    let (ada_there, mut hears_there) = there.enter("ada").await;
    ada_here.say(line("first")).await;
    until(&mut hears_there, "line <p>first</p>").await;
    ada_there.say(line("second")).await;
    let refused = next(&mut hears_there).await;
    assert!(refused.starts_with("action <p>"), "{refused}");
    there.wait(31).await;
    ada_there.say(line("third")).await;
    until(&mut hears_here, "line <p>third</p>").await;
    assert_eq!(here.store.recent_messages(10).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_was_too_fast_at_one_server_is_silent_at_the_other() {
    let Some(database) = Database::create() else {
        return;
    };
    let (here, there) = neighbours(&database).await;
    let (ada_here, _hears_here) = here.enter("ada").await;
    let (ada_there, mut hears_there) = there.enter("ada").await;
    for _ in 0..40 {
        ada_here.say(ClientMessage::Nothing).await;
    }
    let punished = here.room.punished();
    assert_eq!(punished, [UserId::parse("ada").unwrap()]);
    assert!(here.room.punished().is_empty(), "told once");
    for user in punished {
        there.room.punish(user).await;
    }
    there.room.connections().await;
    ada_there.say(line("hello?")).await;
    there.wait(11).await;
    ada_there.say(line("hello again")).await;
    assert_eq!(
        next(&mut hears_there).await,
        "line <p>hello again</p>",
        "the first was not taken"
    );
}
