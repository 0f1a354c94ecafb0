//! The room with a clock of our own: who is seen coming and going, what newcomers are told, what is forgotten.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chat::emoji::EmojiShelf;
use chat::{
    Draft, Ear, Farewell, Furniture, Guest, Heard, MAX_PER_ADDRESS, MessageFilter, Refusal, Room,
    Said, Speaker, Transport, Verdict, What,
};
use futures_util::future::BoxFuture;
use model::settings::Outside;
use model::{Clock, StreamState, StreamStatus, TokenId, UserId};
use serde_json::json;
use store::settings::Settings;
use store::{DatabaseUrl, NewUser, Store, User, UserKind};
use testkit::{ManualClock, eventually};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A word for every kind of thing, enough to tell them apart.
fn encode(heard: &Heard) -> Bytes {
    let text = match &heard.what {
        What::Identity(user) => format!("you are {}", user.display_name),
        What::Joined(user) => format!("joined {}", user.display_name),
        What::Parted(user) => format!("parted {}", user.display_name),
        What::Renamed { old_name, .. } => format!("renamed {old_name}"),
        What::Line { body, .. } => format!("line {body}"),
        What::System { body, .. } => format!("system {body}"),
        What::Action { body, .. } => format!("action {body}"),
        What::Engagement { body, .. } => format!("engagement {body}"),
        What::Visibility { ids, visible } => format!("visibility {} {visible}", ids.len()),
        What::Banned => "banned".into(),
    };
    Bytes::from(text)
}

struct House {
    room: Room,
    store: Store,
    settings: Settings,
    clock: ManualClock,
    stream: watch::Sender<StreamStatus>,
    stop: CancellationToken,
    _folder: tempfile::TempDir,
}

impl House {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("chat.db"));
        let store = Store::open(&url, &folder.path().join("secret.key"))
            .await
            .unwrap();
        let settings = Settings::load(store.clone(), &Outside::default())
            .await
            .unwrap();
        let clock = ManualClock::default();
        let (stream, status) = watch::channel(StreamStatus::default());
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let furniture = Furniture {
            store: store.clone(),
            settings: settings.clone(),
            clock: Arc::clone(&shared),
            stream: status,
            emoji: EmojiShelf::open(folder.path().join("emoji"), shared).unwrap(),
            encode,
            max_connections: 50,
        };
        let stop = CancellationToken::new();
        let (room, hall) = Room::open(furniture, stop.clone()).await.unwrap();
        tokio::spawn(hall);
        Self {
            room,
            store,
            settings,
            clock,
            stream,
            stop,
            _folder: folder,
        }
    }

    async fn set(&self, key: &str, value: serde_json::Value) {
        let setting = model::settings::by_key(key).unwrap();
        self.settings
            .set(setting, value, self.clock.now())
            .await
            .unwrap();
    }

    fn go(&self, state: StreamState) {
        self.stream.send_modify(|status| {
            status.state = state;
            if state == StreamState::Offline {
                status.last_disconnect = Some(self.clock.now());
            }
        });
    }

    async fn person(&self, name: &str) -> User {
        let user = NewUser {
            id: UserId::parse(name).unwrap(),
            kind: UserKind::Standard,
            display_name: name.into(),
            display_color: 0,
        };
        self.store.add_user(user, self.clock.now()).await.unwrap();
        self.stored(name).await
    }

    async fn stored(&self, name: &str) -> User {
        self.store
            .user(&UserId::parse(name).unwrap())
            .await
            .unwrap()
            .unwrap()
    }

    fn guest(&self, user: User, address: [u8; 4]) -> Guest {
        Guest {
            user,
            token_id: TokenId::parse("t1").unwrap(),
            address: IpAddr::from(address),
            user_agent: "test".into(),
            transport: Transport::WebSocket,
            last_heard: None,
        }
    }

    async fn enter(&self, name: &str) -> (Speaker, Ear) {
        let user = match self
            .store
            .user(&UserId::parse(name).unwrap())
            .await
            .unwrap()
        {
            Some(user) => user,
            None => self.person(name).await,
        };
        let (speaker, mut ear) = self
            .room
            .enter(self.guest(user, [127, 0, 0, 1]))
            .await
            .unwrap();
        assert!(next(&mut ear).await.starts_with("you are"));
        (speaker, ear)
    }

    /// Lets time pass in small steps, so that everything that is due happens in between.
    async fn wait(&self, seconds: u64) {
        for _ in 0..seconds {
            self.clock.advance(Duration::from_secs(1));
            // The hall answers only after it has looked at the clock.
            self.room.connections().await;
            self.room.connections().await;
        }
    }
}

async fn next(ear: &mut Ear) -> String {
    let frame = tokio::time::timeout(Duration::from_secs(20), ear.next()).await;
    let frame = frame.expect("something to hear").expect("no farewell");
    String::from_utf8(frame.to_vec()).unwrap()
}

/// What is there to hear right now.
async fn heard(house: &House, ear: &mut Ear) -> Vec<String> {
    house.room.connections().await;
    std::iter::from_fn(|| ear.ready())
        .map(|frame| String::from_utf8(frame.to_vec()).unwrap())
        .collect()
}

fn line(text: &str) -> Said {
    Said::Line {
        body: text.into(),
        reply_to: None,
    }
}

#[tokio::test]
async fn comings_and_goings_are_shown_while_a_stream_is_on_and_a_short_absence_is_not() {
    let house = House::open().await;
    let (_, mut ada) = house.enter("ada").await;
    let _silent = house.enter("early").await;
    assert_eq!(
        heard(&house, &mut ada).await,
        Vec::<String>::new(),
        "no stream, no word"
    );
    house.go(StreamState::Live);
    assert!(next(&mut ada).await.contains("starting"));
    let (_, bob) = house.enter("bob").await;
    assert_eq!(next(&mut ada).await, "joined bob");
    let second = house.enter("bob").await;
    drop(bob);
    house.wait(15).await;
    assert_eq!(
        heard(&house, &mut ada).await,
        Vec::<String>::new(),
        "there is another connection"
    );
    drop(second);
    house.wait(5).await;
    let (_, bob) = house.enter("bob").await;
    house.wait(20).await;
    assert_eq!(
        heard(&house, &mut ada).await,
        Vec::<String>::new(),
        "back before it was noticed"
    );
    drop(bob);
    house.wait(9).await;
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
    house.wait(2).await;
    assert_eq!(heard(&house, &mut ada).await, ["parted bob"]);
    house.set("chat_join_messages", json!(false)).await;
    let _bob = house.enter("bob").await;
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
    let kinds = eventually("the log", || async {
        let logged = house.store.events_after(0).await.unwrap();
        let kinds = logged.iter().map(|entry| entry.event.kind());
        let kinds: Vec<_> = kinds.filter(|kind| kind.starts_with("ChatUser")).collect();
        (kinds.len() == 3).then_some(kinds)
    })
    .await;
    assert_eq!(
        kinds,
        ["ChatUserJoined", "ChatUserParted", "ChatUserJoined"]
    );
}

#[tokio::test]
async fn in_a_rush_not_everybody_is_announced() {
    let house = House::open().await;
    house.go(StreamState::Live);
    let (_, mut ada) = house.enter("ada").await;
    let mut others = Vec::new();
    for number in 0..30 {
        others.push(house.enter(&format!("guest{number}")).await);
    }
    let joins = heard(&house, &mut ada).await;
    assert!(joins.len() < 10, "{joins:?}");
}

#[tokio::test]
async fn newcomers_are_welcomed_after_a_while_and_everybody_when_a_stream_starts() {
    let house = House::open().await;
    house
        .set("chat_welcome_message", json!("Hello **you**"))
        .await;
    let (_, mut ada) = house.enter("ada").await;
    house.wait(10).await;
    assert_eq!(
        heard(&house, &mut ada).await,
        Vec::<String>::new(),
        "nothing is on"
    );
    house.go(StreamState::Live);
    assert!(next(&mut ada).await.contains("starting"));
    assert_eq!(
        next(&mut ada).await.trim(),
        "system <p>Hello <strong>you</strong></p>"
    );
    let (_, mut bob) = house.enter("bob").await;
    house.wait(6).await;
    assert_eq!(heard(&house, &mut bob).await, Vec::<String>::new());
    house.wait(2).await;
    assert!(next(&mut bob).await.starts_with("system"));
    house.set("stream_title", json!("Water & <wine>")).await;
    house.wait(2).await;
    assert!(next(&mut bob).await.contains("Water &amp; &lt;wine&gt;"));
}

#[tokio::test]
async fn people_can_talk_until_five_minutes_after_a_stream() {
    let house = House::open().await;
    let (ada, mut ear) = house.enter("ada").await;
    house.go(StreamState::Live);
    house.wait(1).await;
    house.go(StreamState::Offline);
    house.wait(299).await;
    heard(&house, &mut ear).await;
    ada.say(line("in time")).await;
    assert_eq!(next(&mut ear).await, "line <p>in time</p>");
    house.wait(2).await;
    ada.say(line("too late")).await;
    assert_eq!(heard(&house, &mut ear).await, Vec::<String>::new());
    house.set("chat_when_offline", json!("always")).await;
    house.wait(1).await;
    ada.say(line("at any time")).await;
    assert_eq!(next(&mut ear).await, "line <p>at any time</p>");
}

#[tokio::test]
async fn established_and_known_people_may_write_where_newcomers_may_not() {
    let house = House::open().await;
    house.set("chat_established_only", json!(true)).await;
    let (ada, mut ear) = house.enter("ada").await;
    ada.say(line("new")).await;
    assert!(next(&mut ear).await.starts_with("action"));
    house.wait(15 * 60).await;
    ada.say(line("old")).await;
    assert_eq!(next(&mut ear).await, "line <p>old</p>");
    house.set("chat_known_people_only", json!(true)).await;
    house.wait(1).await;
    ada.say(line("barely known")).await;
    assert!(next(&mut ear).await.starts_with("action"));
    house.wait(10 * 60).await;
    ada.say(line("known")).await;
    assert_eq!(next(&mut ear).await, "line <p>known</p>");
}

#[tokio::test]
async fn an_address_gets_its_share_of_connections_and_the_room_has_an_end() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    let mut places = Vec::new();
    for _ in 0..MAX_PER_ADDRESS {
        let guest = house.guest(ada.clone(), [192, 0, 2, 1]);
        places.push(house.room.enter(guest).await.unwrap());
    }
    let guest = || house.guest(ada.clone(), [192, 0, 2, 1]);
    assert_eq!(
        house.room.enter(guest()).await.unwrap_err(),
        Refusal::TooManyFromThere
    );
    places.pop();
    places.push(house.room.enter(guest()).await.unwrap());
    for number in 0..30 {
        let guest = house.guest(ada.clone(), [192, 0, 2, 100 + number]);
        places.push(house.room.enter(guest).await.unwrap());
    }
    let guest = house.guest(ada.clone(), [192, 0, 2, 200]);
    assert_eq!(house.room.enter(guest).await.unwrap_err(), Refusal::Full);
}

#[tokio::test]
async fn a_listener_that_falls_behind_is_given_up_and_hears_why() {
    let house = House::open().await;
    house.set("chat_join_messages", json!(false)).await;
    let (ada, mut ear) = house.enter("ada").await;
    let (_, mut stuck) = house.enter("stuck").await;
    for number in 0..chat::LISTENER_QUEUE + 10 {
        house.wait(1).await;
        ada.say(line(&format!("{number}"))).await;
        assert_eq!(next(&mut ear).await, format!("line <p>{number}</p>"));
    }
    stuck.given_up().await;
    let mut count = 0;
    let farewell = loop {
        match stuck.next().await {
            Ok(_) => count += 1,
            Err(farewell) => break farewell,
        }
    };
    assert_eq!((count, farewell), (chat::LISTENER_QUEUE, Farewell::TooSlow));
    assert_eq!(house.room.connections().await.len(), 1);
}

#[tokio::test]
async fn old_lines_are_forgotten_everywhere() {
    let house = House::open().await;
    let (ada, mut ear) = house.enter("ada").await;
    ada.say(line("old")).await;
    next(&mut ear).await;
    house.wait(60).await;
    ada.say(line("new")).await;
    next(&mut ear).await;
    let before = house.clock.now() - Duration::from_secs(30);
    assert_eq!(house.room.forget_old(before).await.unwrap(), 1);
    house.room.connections().await;
    let history = house.room.history();
    let bodies: Vec<&str> = history.iter().map(|line| line.body.as_str()).collect();
    assert_eq!(bodies, ["<p>new</p>"]);
}

#[tokio::test]
async fn the_room_says_farewell_when_the_server_stops() {
    let house = House::open().await;
    let (_, mut ear) = house.enter("ada").await;
    house.stop.cancel();
    assert_eq!(ear.next().await, Err(Farewell::Stopping));
    let guest = house.guest(house.stored("ada").await, [192, 0, 2, 1]);
    assert_eq!(
        house.room.enter(guest).await.unwrap_err(),
        Refusal::Stopping
    );
}

#[derive(Debug)]
struct Judge;

impl MessageFilter for Judge {
    fn judge(&self, draft: Draft) -> BoxFuture<'_, Verdict> {
        Box::pin(async move {
            match draft.body.as_str() {
                "replace" => Verdict::Replace("**replaced**".into()),
                "drop" => Verdict::Drop(None),
                "refuse" => Verdict::Drop(Some("no <b>".into())),
                "panic" => panic!("a broken plugin"),
                "sleep" => std::future::pending().await,
                _ => Verdict::Pass,
            }
        })
    }
}

#[tokio::test]
async fn a_filter_may_replace_and_drop_and_a_broken_one_lets_everything_through() {
    let house = House::open().await;
    house.room.set_filter(Box::new(Judge));
    let (ada, mut ear) = house.enter("ada").await;
    for (text, wanted) in [
        ("pass", "line <p>pass</p>"),
        ("replace", "line <p><strong>replaced</strong></p>"),
        ("refuse", "action <p>no &lt;b&gt;</p>"),
        ("panic", "line <p>panic</p>"),
        ("sleep", "line <p>sleep</p>"),
    ] {
        house.wait(1).await;
        ada.say(line(text)).await;
        assert_eq!(next(&mut ear).await, wanted);
    }
    house.wait(1).await;
    ada.say(line("drop")).await;
    assert_eq!(heard(&house, &mut ear).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_revoked_token_ends_its_connections() {
    let house = House::open().await;
    let (_, mut ear) = house.enter("ada").await;
    house.room.revoke(TokenId::parse("other").unwrap()).await;
    house.room.revoke(TokenId::parse("t1").unwrap()).await;
    assert_eq!(ear.next().await, Err(Farewell::Removed));
}

#[tokio::test]
async fn words_of_the_server_are_stored_and_heard_by_all_or_by_one() {
    let house = House::open().await;
    let (_, mut ada) = house.enter("ada").await;
    let (_, mut bob) = house.enter("bob").await;
    house.room.say_system("restart at **noon**").await.unwrap();
    house
        .room
        .say_action("rolled <script>alert(1)</script>")
        .await
        .unwrap();
    house.room.say_to(bob.client_id(), "psst").await;
    assert!(next(&mut ada).await.contains("<strong>noon</strong>"));
    let action = next(&mut ada).await;
    assert!(!action.contains("script"), "{action}");
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
    assert!(
        heard(&house, &mut bob)
            .await
            .last()
            .unwrap()
            .contains("psst")
    );
    assert_eq!(house.store.message_count().await.unwrap(), 2);
    assert!(
        house.room.history().is_empty(),
        "history is what people wrote"
    );
}

fn name(text: &str) -> Said {
    Said::Rename(text.into())
}

#[tokio::test]
async fn no_number_of_new_names_pushes_the_lines_out() {
    let house = House::open().await;
    house.set("chat_spam_protection", json!(false)).await;
    let (ada, mut ear) = house.enter("ada").await;
    ada.say(line("keep me")).await;
    let last = house.room.history()[0].id.clone();
    for number in 0..600 {
        ada.say(name(&format!("ada {number}"))).await;
        house.clock.advance(Duration::from_millis(100));
        heard(&house, &mut ear).await;
    }
    ada.say(line("and me")).await;
    house.room.connections().await;
    assert_eq!(house.room.history().len(), 2);
    let mut guest = house.guest(house.stored("ada").await, [127, 0, 0, 1]);
    guest.last_heard = Some(last);
    let (_, mut ear) = house.room.enter(guest).await.unwrap();
    let missed = heard(&house, &mut ear).await;
    assert_eq!(missed.last().unwrap(), "line <p>and me</p>");
    let mut guest = house.guest(house.stored("ada").await, [127, 0, 0, 1]);
    guest.last_heard = Some(model::MessageId::parse("forgotten").unwrap());
    let (_, mut ear) = house.room.enter(guest).await.unwrap();
    assert_eq!(heard(&house, &mut ear).await[1], "line <p>keep me</p>");
}

#[tokio::test]
async fn a_name_is_no_way_around_the_rules_for_lines() {
    let house = House::open().await;
    house.set("chat_links", json!("nobody")).await;
    house.set("chat_forbidden_words", json!(["turnip"])).await;
    let (ada, mut ear) = house.enter("ada").await;
    for text in [
        "buy http://evil.example",
        "www.evil.example",
        "tur<i></i>nip",
        "\u{fe0f}",
    ] {
        house.wait(10).await;
        ada.say(name(text)).await;
        assert!(next(&mut ear).await.starts_with("action"), "{text}");
        assert_eq!(next(&mut ear).await, "you are ada");
    }
    house.wait(10).await;
    ada.say(name("ada two")).await;
    assert_eq!(next(&mut ear).await, "renamed ada");
    next(&mut ear).await;
    house.wait(1).await;
    ada.say(name("ada three")).await;
    assert!(
        next(&mut ear).await.starts_with("action"),
        "one name at a time"
    );
}

#[tokio::test]
async fn the_name_of_somebody_nobody_has_heard_of_is_told_to_nobody() {
    let house = House::open().await;
    house.set("chat_hold_first_message", json!(true)).await;
    let (_, mut ada) = house.enter("ada").await;
    let (eve, mut ear) = house.enter("eve").await;
    eve.say(name("look at me")).await;
    assert_eq!(next(&mut ear).await, "you are look at me");
    assert_eq!(heard(&house, &mut ada).await, Vec::<String>::new());
}

#[tokio::test]
async fn markup_hides_no_word() {
    let house = House::open().await;
    house.set("chat_forbidden_words", json!(["badword"])).await;
    let (ada, mut ear) = house.enter("ada").await;
    for text in [
        "bad<b></b>word",
        "ba&#100;word",
        "b<!-- x -->adword",
        "BADWORD",
    ] {
        house.wait(1).await;
        ada.say(line(text)).await;
        let heard = next(&mut ear).await;
        assert!(heard.starts_with("action"), "{text} was shown as {heard}");
    }
}

#[tokio::test]
async fn slow_mode_holds_for_many_connections_at_once() {
    let house = House::open().await;
    house.set("chat_spam_protection", json!(false)).await;
    house.set("chat_slow_mode_seconds", json!(60)).await;
    let mut speakers = Vec::new();
    let mut ears = Vec::new();
    for _ in 0..10 {
        let (speaker, ear) = house.enter("ada").await;
        speakers.push(speaker);
        ears.push(ear);
    }
    let said = speakers.iter().enumerate();
    futures_util::future::join_all(
        said.map(|(number, speaker)| speaker.say(line(&format!("line {number}")))),
    )
    .await;
    assert_eq!(house.store.message_count().await.unwrap(), 1);
}

#[tokio::test]
async fn a_newcomer_has_one_line_in_the_queue() {
    let house = House::open().await;
    house.set("chat_hold_first_message", json!(true)).await;
    let (eve, mut ear) = house.enter("eve").await;
    for _ in 0..4 {
        house.wait(1).await;
        eve.say(line("let me in")).await;
        assert!(next(&mut ear).await.starts_with("action"));
    }
    assert_eq!(house.store.held_messages().await.unwrap().len(), 1);
}

#[tokio::test]
async fn whoever_goes_while_coming_in_leaves_nothing_behind() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    for _ in 0..200 {
        let entering = house.room.enter(house.guest(ada.clone(), [127, 0, 0, 1]));
        let entering = tokio::spawn({
            let room = house.room.clone();
            let guest = house.guest(ada.clone(), [127, 0, 0, 1]);
            drop(entering);
            async move { room.enter(guest).await }
        });
        tokio::task::yield_now().await;
        entering.abort();
        drop(entering.await);
    }
    eventually("everybody has left", || async {
        house.room.connections().await.is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn somebody_who_was_banned_while_coming_in_does_not_come_in() {
    let house = House::open().await;
    let eve = house.person("eve").await;
    let guest = house.guest(eve.clone(), [127, 0, 0, 1]);
    house
        .room
        .ban(&eve.id, store::Actor::operator())
        .await
        .unwrap();
    assert_eq!(house.room.enter(guest).await.unwrap_err(), Refusal::Banned);
    assert!(house.room.connections().await.is_empty());
}

#[tokio::test]
async fn an_answer_does_not_quote_what_was_hidden() {
    let house = House::open().await;
    let (ada, mut ear) = house.enter("ada").await;
    let (bob, _bob) = house.enter("bob").await;
    ada.say(line("the address of bob")).await;
    next(&mut ear).await;
    let hidden = house.room.history()[0].id.clone();
    let reply_to = Some(hidden.to_string());
    let body = "please delete that".to_owned();
    bob.say(Said::Line { body, reply_to }).await;
    next(&mut ear).await;
    assert!(house.room.history()[1].reply.is_some());
    let actor = store::Actor::operator();
    house
        .room
        .set_visibility(vec![hidden], false, actor)
        .await
        .unwrap();
    house.room.connections().await;
    assert_eq!(house.room.history()[0].reply, None);
    let stored = house.store.recent_messages(10).await.unwrap();
    assert_eq!(stored[0].reply, None);
}

#[tokio::test]
async fn a_household_of_ipv6_counts_and_is_banned_as_one() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    let guest = |last: u16| Guest {
        address: IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]),
        ..house.guest(ada.clone(), [127, 0, 0, 1])
    };
    let mut places = Vec::new();
    for last in 0..20 {
        places.push(house.room.enter(guest(last)).await.unwrap());
    }
    assert_eq!(
        house.room.enter(guest(99)).await.unwrap_err(),
        Refusal::TooManyFromThere
    );
    let actor = store::Actor::operator();
    let address = guest(7).address;
    house
        .room
        .ban_address(address, "raid".into(), actor)
        .await
        .unwrap();
    assert!(house.room.is_banned(guest(500).address));
    assert!(house.room.connections().await.is_empty());
}
