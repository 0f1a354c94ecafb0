//! Stories about the chat tables.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::{Event, MessageId, TokenId, UserId};
use store::{
    Actor, AddressBan, ChatCounts, LineGap, MessageKind, NewMessage, NewUser, PostResult,
    RenameResult, Store, Token, UserFilter, UserKind,
};

use crate::support::{Home, at};

pub(crate) fn id(text: &str) -> UserId {
    UserId::parse(text).unwrap()
}

pub(crate) async fn person(store: &Store, name: &str) -> UserId {
    let user = NewUser {
        id: id(name),
        kind: UserKind::Standard,
        display_name: name.into(),
        display_color: 1,
    };
    let token = Token {
        id: TokenId::parse(format!("t-{name}")).unwrap(),
        user_id: id(name),
        prefix: "abc".into(),
        scopes: vec![],
        created_at: at(0),
        last_used_at: None,
    };
    let hash = name.as_bytes().to_vec();
    let user = store.register_user(user, "-x".into(), token, hash).await;
    user.unwrap().id
}

pub(crate) fn line(author: &UserId, text: &str, second: i64) -> NewMessage {
    NewMessage {
        id: MessageId::parse(text).unwrap(),
        kind: MessageKind::Chat,
        user_id: Some(author.clone()),
        body: format!("<p>{text}</p>"),
        raw_body: text.into(),
        reply: None,
        card: None,
        is_held: false,
        at: at(second),
    }
}

pub(crate) async fn post(store: &Store, message: NewMessage) -> PostResult {
    store.post_message(message, None, |_| ()).await.unwrap()
}

pub(crate) async fn readable(store: &Store) -> Vec<String> {
    let messages = store.recent_messages(100).await.unwrap();
    messages.into_iter().map(|one| one.id.to_string()).collect()
}

pub(crate) async fn lines_are_kept_in_the_order_of_their_commits(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..100 {
        let (store, told) = (store.clone(), Arc::clone(&told));
        let message = line(&ada, &format!("m{number}"), number);
        let id = message.id.to_string();
        writers.spawn(async move {
            let told = move |_| told.lock().unwrap().push(id);
            store.post_message(message, None, told).await.unwrap()
        });
    }
    writers.join_all().await;
    assert_eq!(readable(&store).await, *told.lock().unwrap());
    assert_eq!(store.message_count().await.unwrap(), 100);
    drop(store);
    let store = home.open().await;
    assert_eq!(readable(&store).await, *told.lock().unwrap());
    let ada = store.user(&ada).await.unwrap().unwrap();
    assert!(ada.spoke_at.is_some());
}

pub(crate) async fn the_newest_lines_that_were_written_are_found_among_all_others(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let (system, action) = (MessageKind::System, MessageKind::Action);
    for (text, kind) in [
        ("w1", MessageKind::Chat),
        ("w2", MessageKind::Chat),
        ("s1", system),
        ("w3", MessageKind::Chat),
        ("w4", MessageKind::Chat),
        ("s2", system),
        ("a1", action),
        ("s3", system),
    ] {
        let message = line(&ada, text, 1);
        post(&store, NewMessage { kind, ..message }).await;
    }
    let held = NewMessage {
        is_held: true,
        ..line(&ada, "held", 2)
    };
    post(&store, held).await;
    let hidden = vec![MessageId::parse("w3").unwrap()];
    let hiding = store.set_visibility(hidden, false, Actor::operator(), at(3));
    hiding.await.unwrap();
    let written = store.recent_written_messages(2).await.unwrap();
    let ids: Vec<&str> = written.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["w2", "w4"]);
}

pub(crate) async fn a_banned_author_cannot_slip_a_line_in(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let event = Event::ChatVisibilityChanged {
        ids: vec![],
        visible: true,
        moderator: None,
    };
    let muted = store
        .mute_user(&ada, Some(at(10)), Actor::operator(), at(1))
        .await;
    assert_eq!(muted.unwrap().unwrap().muted_until, Some(at(10)));
    assert_eq!(
        post(&store, line(&ada, "muted", 9)).await,
        PostResult::Muted
    );
    assert!(matches!(
        post(&store, line(&ada, "spoke", 10)).await,
        PostResult::Posted(_)
    ));
    store
        .ban_user(&ada, vec![], Actor::operator(), at(11))
        .await
        .unwrap();
    let refused = store
        .post_message(line(&ada, "banned", 12), Some(event), |_| ())
        .await;
    assert_eq!(refused.unwrap(), PostResult::Banned);
    let logged = store.events_after(0).await.unwrap();
    assert_eq!(logged.len(), 1, "only the ban's own: {logged:?}");
    assert_eq!(
        post(&store, line(&id("nobody"), "ghost", 13)).await,
        PostResult::Banned
    );
}

pub(crate) async fn a_line_too_soon_after_the_last_one_is_refused_at_whatever_server(home: Home) {
    let (one, two) = (home.open_shared().await, home.open_shared().await);
    let ada = person(&one, "ada").await;
    let bo = person(&one, "bo").await;
    let least = Duration::from_secs(30);
    let gap = LineGap {
        least,
        last_here: None,
    };
    let post = async |store: &Store, message: NewMessage| {
        let posted = store.post_message_after(gap, message, None, |_| ());
        posted.await.unwrap()
    };
    let is_posted = |result| matches!(result, PostResult::Posted(_));
    assert!(is_posted(post(&one, line(&ada, "first", 0)).await));
    assert_eq!(
        post(&two, line(&ada, "second", 10)).await,
        PostResult::TooSoon(Duration::from_secs(20))
    );
    let by_a_slow_clock = post(&two, line(&ada, "third", -60)).await;
    assert_eq!(by_a_slow_clock, PostResult::TooSoon(least));
    assert!(is_posted(post(&two, line(&bo, "other", 10)).await));
    assert!(is_posted(post(&two, line(&ada, "fourth", 30)).await));
    assert_eq!(readable(&one).await, ["first", "other", "fourth"]);
    // The server they said it at has its own limits, and knows better when it was typed.
    let gap = LineGap {
        last_here: Some(at(30)),
        ..gap
    };
    let message = line(&ada, "fifth", 31);
    let posted = one.post_message_after(gap, message, None, |_| ());
    assert!(is_posted(posted.await.unwrap()));
    let message = line(&ada, "sixth", 32);
    let posted = two.post_message_after(gap, message, None, |_| ());
    assert!(!is_posted(posted.await.unwrap()));
}

pub(crate) async fn a_ban_hides_every_line_and_an_end_of_it_shows_none(home: Home) {
    let store = home.open().await;
    let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
    for (author, text) in [(&ada, "a1"), (&bob, "b1"), (&ada, "a2")] {
        post(&store, line(author, text, 1)).await;
    }
    let ban = AddressBan {
        address: "192.0.2.1".into(),
        note: "Banning of ada".into(),
        created_at: at(2),
        expires_at: None,
        user_id: None,
    };
    let banned = store
        .ban_user(&ada, vec![ban], Actor::operator(), at(2))
        .await;
    let (user, hidden) = banned.unwrap().unwrap();
    assert_eq!(user.disabled_at, Some(at(2)));
    let hidden: Vec<&str> = hidden.iter().map(MessageId::as_str).collect();
    assert_eq!(hidden, ["a1", "a2"]);
    assert_eq!(readable(&store).await, ["b1"]);
    assert_eq!(store.address_bans().await.unwrap()[0].address, "192.0.2.1");
    assert_eq!(store.banned_users().await.unwrap().len(), 1);
    store
        .unban_user(&ada, Actor::operator(), at(3))
        .await
        .unwrap();
    assert_eq!(readable(&store).await, ["b1"]);
    assert!(store.banned_users().await.unwrap().is_empty());
    assert_eq!(store.all_messages().await.unwrap().len(), 3);
    let log = store.moderation_log(10).await.unwrap();
    let actions: Vec<&str> = log.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["unban", "ban"]);
    assert_eq!(log[1].target_name, "ada");
}

pub(crate) async fn a_held_line_is_seen_by_nobody_until_it_is_released_once(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let held = NewMessage {
        is_held: true,
        ..line(&ada, "first", 1)
    };
    post(&store, held).await;
    assert!(readable(&store).await.is_empty());
    assert!(store.all_messages().await.unwrap().is_empty());
    assert_eq!(store.held_messages().await.unwrap().len(), 1);
    assert_eq!(store.user(&ada).await.unwrap().unwrap().spoke_at, None);
    let second = NewMessage {
        is_held: true,
        ..line(&ada, "second", 1)
    };
    assert_eq!(post(&store, second).await, PostResult::Waiting);
    let first = MessageId::parse("first").unwrap();
    let held = store.held_message(&first).await.unwrap().unwrap();
    assert_eq!(held.raw_body, "first");
    let operator = Actor::operator;
    let approve = |text: &str| {
        let message = line(&ada, text, 2);
        store.approve_message(first.clone(), message, None, operator(), |_| ())
    };
    let mute = |until| store.mute_user(&ada, until, operator(), at(1));
    mute(Some(at(9))).await.unwrap();
    assert_eq!(approve("anew").await.unwrap(), Some(PostResult::Muted));
    assert_eq!(
        store.held_messages().await.unwrap().len(),
        1,
        "it goes on waiting"
    );
    mute(None).await.unwrap();
    assert!(matches!(
        approve("anew").await.unwrap(),
        Some(PostResult::Posted(_))
    ));
    assert_eq!(readable(&store).await, ["anew"]);
    assert_eq!(approve("again").await.unwrap(), None);
    let rejected = store.reject_message(first.clone(), operator(), at(3)).await;
    assert!(!rejected.unwrap());
}

pub(crate) async fn a_hidden_line_says_who_hid_it(home: Home) {
    let store = home.open().await;
    let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
    post(&store, line(&ada, "first", 1)).await;
    let by_bob = Actor {
        id: bob.to_string(),
        name: "bob".into(),
    };
    let ids = || vec![MessageId::parse("first").unwrap()];
    let hide = async |actor| store.set_visibility(ids(), false, actor, at(2)).await;
    hide(by_bob.clone()).await.unwrap();
    hide(Actor::operator()).await.unwrap();
    post(&store, line(&ada, "second", 2)).await;
    store.ban_user(&ada, vec![], by_bob, at(3)).await.unwrap();
    let told = store.events_after(0).await.unwrap();
    let moderators = told.into_iter().filter_map(|logged| match logged.event {
        Event::ChatVisibilityChanged { moderator, .. } => Some(moderator.map(|user| user.id)),
        _ => None,
    });
    let moderators: Vec<_> = moderators.collect();
    assert_eq!(moderators, [Some(bob.clone()), None, Some(bob)]);
}

pub(crate) async fn a_held_line_may_keep_its_id_when_it_is_released(home: Home) {
    let store = home.open().await;
    let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
    let held = NewMessage {
        is_held: true,
        ..line(&ada, "first", 1)
    };
    post(&store, held).await;
    post(&store, line(&bob, "between", 2)).await;
    let released = line(&ada, "first", 3);
    let approved = store.approve_message(
        released.id.clone(),
        released,
        None,
        Actor::operator(),
        |_| (),
    );
    assert!(matches!(
        approved.await.unwrap(),
        Some(PostResult::Posted(_))
    ));
    assert_eq!(readable(&store).await, ["between", "first"]);
    assert!(store.held_messages().await.unwrap().is_empty());
}

pub(crate) async fn a_name_of_somebody_who_signed_in_is_theirs_alone(home: Home) {
    let store = home.open().await;
    let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
    let renamed = store.take_name(&bob, "ada".into(), 1, at(1)).await.unwrap();
    assert!(
        matches!(renamed, RenameResult::Done(_)),
        "two anonymous people may share one"
    );
    let attached = store.attach_identity(
        "indieauth",
        "https://ada.example/".into(),
        &ada,
        b"ada".to_vec(),
        at(2),
    );
    assert!(
        attached
            .await
            .unwrap()
            .unwrap()
            .user
            .authenticated_at
            .is_some()
    );
    store.take_name(&bob, "bob".into(), 1, at(3)).await.unwrap();
    let renamed = store.take_name(&bob, "ada".into(), 1, at(4)).await.unwrap();
    assert_eq!(renamed, RenameResult::Taken);
    let user = NewUser {
        id: id("eve"),
        kind: UserKind::Standard,
        display_name: "ada".into(),
        display_color: 1,
    };
    let token = Token {
        id: TokenId::parse("t-eve").unwrap(),
        user_id: id("eve"),
        prefix: "abc".into(),
        scopes: vec![],
        created_at: at(5),
        last_used_at: None,
    };
    let eve = store
        .register_user(user, "-x".into(), token, b"eve".to_vec())
        .await;
    assert_eq!(eve.unwrap().display_name, "ada-x");
}

pub(crate) async fn an_identity_that_is_known_brings_the_token_to_its_owner(home: Home) {
    let store = home.open().await;
    let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
    let attach = async |who: &UserId| {
        let hash = who.as_str().as_bytes().to_vec();
        let subject = "https://ada.example/".into();
        let attached = store.attach_identity("indieauth", subject, who, hash, at(2));
        attached.await.unwrap().unwrap()
    };
    assert!(!attach(&ada).await.is_other);
    let attached = attach(&bob).await;
    assert!(attached.is_other);
    assert_eq!(attached.user.id, ada);
    let (_, user) = store.user_by_token(b"bob").await.unwrap().unwrap();
    assert_eq!(user.id, ada);
    assert_eq!(store.providers_of(&ada).await.unwrap(), ["indieauth"]);
}

pub(crate) async fn an_identity_is_not_attached_without_the_token_of_its_user(home: Home) {
    let store = home.open().await;
    let (ada, _bob) = (person(&store, "ada").await, person(&store, "bob").await);
    for token in ["", "bob", "nobody"] {
        let subject = "https://ada.example/".into();
        let hash = token.as_bytes().to_vec();
        let attached = store.attach_identity("indieauth", subject, &ada, hash, at(2));
        assert_eq!(attached.await.unwrap(), None, "{token:?}");
    }
    assert!(store.providers_of(&ada).await.unwrap().is_empty());
    let (_, user) = store.user_by_token(b"ada").await.unwrap().unwrap();
    assert_eq!(user.authenticated_at, None);
}

pub(crate) async fn users_are_listed_in_pages_and_found_by_part_of_their_name(home: Home) {
    let store = home.open().await;
    for name in ["Ada", "bob", "b_d", "bad"] {
        person(&store, name).await;
    }
    let find = async |search: &str, oldest_first, offset, limit| {
        let filter = UserFilter::All;
        let page = store
            .users_page(filter, search, oldest_first, offset, limit)
            .await
            .unwrap();
        let names = page.users.into_iter().map(|user| user.display_name);
        (page.total, names.collect::<Vec<_>>())
    };
    assert_eq!(
        find("AD", true, 0, 10).await,
        (2, vec!["Ada".into(), "bad".into()])
    );
    assert_eq!(find("b_d", true, 0, 10).await, (1, vec!["b_d".into()]));
    assert_eq!(find("", true, 1, 2).await.0, 4);
    assert_eq!(find("", true, 1, 2).await.1.len(), 2);
    assert_eq!(find("%", true, 0, 10).await.0, 0);
    let bots = store
        .users_page(UserFilter::Bots, "", true, 0, 10)
        .await
        .unwrap();
    assert_eq!(bots.total, 0);
}

pub(crate) async fn what_is_old_is_forgotten_and_so_are_people_who_never_spoke(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    person(&store, "ghost").await;
    for (text, second) in [("old", 10), ("new", 20)] {
        post(&store, line(&ada, text, second)).await;
    }
    assert_eq!(store.prune_messages(at(15)).await.unwrap(), 1);
    assert_eq!(readable(&store).await, ["new"]);
    assert_eq!(store.prune_silent_users(at(100)).await.unwrap(), 1);
    assert!(store.user(&ada).await.unwrap().is_some());
    assert!(store.user_by_token(b"ghost").await.unwrap().is_none());
    let gone = store
        .delete_user(&ada, Actor::operator(), at(101))
        .await
        .unwrap();
    assert_eq!(gone.unwrap().len(), 1);
    assert_eq!(store.message_count().await.unwrap(), 0);
}

pub(crate) async fn an_address_is_kept_out_once(home: Home) {
    let store = home.open().await;
    let ban = AddressBan {
        address: "192.0.2.1".into(),
        note: "manually added".into(),
        created_at: at(1),
        expires_at: None,
        user_id: None,
    };
    assert!(
        store
            .ban_address(ban.clone(), Actor::operator())
            .await
            .unwrap()
    );
    assert!(!store.ban_address(ban, Actor::operator()).await.unwrap());
    let unban = || store.unban_address("192.0.2.1".into(), Actor::operator(), at(2));
    assert!(unban().await.unwrap());
    assert!(!unban().await.unwrap());
}

pub(crate) async fn people_and_lines_are_counted(home: Home) {
    let store = home.open().await;
    assert_eq!(store.chat_counts().await.unwrap(), ChatCounts::default());
    let ada = person(&store, "ada").await;
    person(&store, "bob").await;
    post(&store, line(&ada, "one", 1)).await;
    let held = NewMessage {
        is_held: true,
        ..line(&ada, "two", 2)
    };
    post(&store, held).await;
    let expected = ChatCounts {
        users: 2,
        visible_lines: 1,
        lines: 2,
    };
    assert_eq!(store.chat_counts().await.unwrap(), expected);
}

pub(crate) async fn nobody_is_called_like_a_moderator_or_the_server(home: Home) {
    let store = home.open().await;
    let (moderator, eve) = (person(&store, "Moddy").await, person(&store, "eve").await);
    let made = store.set_moderator(&moderator, true, Actor::operator(), at(3));
    assert!(made.await.unwrap().is_some());
    for name in [
        "Moddy",
        "moddy",
        "M\u{43e}ddy",
        "\u{ff2d}oddy",
        "m0ddy",
        "Server",
        "s\u{435}rver",
    ] {
        let renamed = store.take_name(&eve, name.into(), 1, at(4)).await.unwrap();
        assert_eq!(renamed, RenameResult::Taken, "{name}");
    }
    let renamed = store
        .take_name(&eve, "modest".into(), 1, at(4))
        .await
        .unwrap();
    assert!(matches!(renamed, RenameResult::Done(_)));
    let own = store
        .take_name(&moderator, "moddy".into(), 1, at(5))
        .await
        .unwrap();
    assert!(
        matches!(own, RenameResult::Done(_)),
        "a moderator may spell it differently"
    );
}

pub(crate) async fn whoever_registers_and_never_comes_in_is_forgotten(home: Home) {
    let store = home.open().await;
    let (unused, used) = (person(&store, "unused").await, person(&store, "used").await);
    let (token, _) = store.user_by_token(b"used").await.unwrap().unwrap();
    store.touch_token(&token.id, at(5)).await.unwrap();
    assert_eq!(
        store.prune_unused_users(at(0)).await.unwrap(),
        0,
        "too young"
    );
    assert_eq!(store.prune_unused_users(at(10_000)).await.unwrap(), 1);
    assert!(store.user(&unused).await.unwrap().is_none());
    assert!(store.user(&used).await.unwrap().is_some());
}
