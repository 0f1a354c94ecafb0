//! Stories about moderators: what they see, why they acted, and how somebody becomes one.

use model::{MessageId, TokenId, UserId};
use store::{Actor, AddressBan, MAX_INVITATIONS, ModeratorInvitation, Store};

use crate::chat::{id, line, person, post};
use crate::support::{Home, at};

const TOKEN: [u8; 32] = [7; 32];

fn because(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn invitation(name: &str, created: i64, expires: i64) -> ModeratorInvitation {
    ModeratorInvitation {
        id: TokenId::parse(name).unwrap(),
        created_at: at(created),
        expires_at: at(expires),
    }
}

async fn invite(store: &Store, invitation: ModeratorInvitation, hash: &[u8]) -> bool {
    let adding = store.add_moderator_invitation(invitation, hash.to_vec(), Actor::operator());
    adding.await.unwrap()
}

async fn sign_in(store: &Store, user: &UserId) {
    let subject = format!("https://{user}.example/");
    let hash = user.as_str().as_bytes().to_vec();
    let attached = store.attach_identity("IndieAuth", subject, user, hash, at(1));
    assert!(attached.await.unwrap().is_some());
}

async fn is_moderator(store: &Store, user: &UserId) -> bool {
    store.user(user).await.unwrap().unwrap().is_moderator
}

pub(crate) async fn hidden_lines_are_there_for_moderators_from_a_time_on(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    for (text, second) in [("m1", 1), ("m2", 2), ("m3", 3), ("m4", 4)] {
        post(&store, line(&ada, text, second)).await;
    }
    let ids = ["m1", "m2", "m4"].map(|one| MessageId::parse(one).unwrap());
    let hiding = store.set_visibility(ids.to_vec(), false, Actor::operator(), at(5));
    hiding.await.unwrap();
    let hidden = async |since, limit| {
        let lines = store.hidden_messages(at(since), limit).await.unwrap();
        let ids = lines.into_iter().map(|one| one.id.to_string());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(hidden(0, 10).await, ["m1", "m2", "m4"]);
    assert_eq!(hidden(2, 10).await, ["m2", "m4"]);
    assert_eq!(hidden(0, 1).await, ["m4"]);
    let log = store.moderation_log(1).await.unwrap();
    assert_eq!(log[0].target_name, "ada", "whose line it was");
}

pub(crate) async fn a_reason_is_kept_with_the_sanction_and_for_good_in_the_log(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let operator = Actor::operator;
    let muting = store.mute_user_because(&ada, Some(at(60)), because("caps"), operator(), at(1));
    let muted = muting.await.unwrap().unwrap();
    assert_eq!(muted.muted_reason.as_deref(), Some("caps"));
    let unmuting = store.mute_user(&ada, None, operator(), at(2));
    assert_eq!(unmuting.await.unwrap().unwrap().muted_reason, None);
    let banning = store.ban_user_because(&ada, vec![], because("spam"), operator(), at(3));
    let (banned, _) = banning.await.unwrap().unwrap();
    assert_eq!(banned.disabled_reason.as_deref(), Some("spam"));
    let unbanning = store.unban_user(&ada, operator(), at(4));
    assert_eq!(unbanning.await.unwrap().unwrap().disabled_reason, None);
    let log = store.moderation_log(10).await.unwrap();
    let told: Vec<_> = log
        .iter()
        .map(|entry| (entry.action.as_str(), entry.reason.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("unban", ""),
            ("ban", "spam"),
            ("untimeout", ""),
            ("timeout", "caps")
        ]
    );
}

pub(crate) async fn who_is_banned_or_timed_out_is_listed_in_pages_until_it_is_over(home: Home) {
    let store = home.open().await;
    let operator = Actor::operator;
    for name in ["ada", "bob", "eve", "zoe"] {
        person(&store, name).await;
    }
    let ada = id("ada");
    let ban = store.ban_user(&ada, vec![], operator(), at(10));
    ban.await.unwrap();
    for (name, until) in [("bob", 20), ("eve", 30)] {
        let user = id(name);
        let mute = store.mute_user(&user, Some(at(until)), operator(), at(1));
        mute.await.unwrap();
    }
    let listed = async |now, offset, limit| {
        let page = store.sanctioned_users(at(now), offset, limit);
        let page = page.await.unwrap();
        let names = page.users.into_iter().map(|user| user.display_name);
        (page.total, names.collect::<Vec<_>>().join(" "))
    };
    assert_eq!(listed(15, 0, 10).await, (3, "eve bob ada".into()));
    assert_eq!(listed(15, 1, 1).await, (3, "bob".into()));
    assert_eq!(listed(25, 0, 10).await, (2, "eve ada".into()));
    assert_eq!(listed(30, 0, 10).await, (1, "ada".into()));
}

pub(crate) async fn a_ban_ends_at_its_time_with_the_addresses_it_banned(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let address = |of: Option<UserId>| AddressBan {
        address: if of.is_some() {
            "192.0.2.1"
        } else {
            "192.0.2.2"
        }
        .into(),
        note: String::new(),
        created_at: at(1),
        expires_at: of.as_ref().map(|_| at(60)),
        user_id: of,
    };
    let operator = Actor::operator;
    store.ban_address(address(None), operator()).await.unwrap();
    let addresses = vec![address(Some(ada.clone()))];
    let ban = store.ban_user_until(&ada, addresses, Some(at(60)), None, operator(), at(1));
    let (banned, _) = ban.await.unwrap().unwrap();
    assert!(banned.is_banned(at(59)));
    assert!(!banned.is_banned(at(60)));
    assert!(store.lift_ended_bans(at(59)).await.unwrap().is_empty());
    let page = store.sanctioned_users(at(59), 0, 10).await.unwrap();
    assert_eq!(page.users[0].disabled_until, Some(at(60)));
    assert_eq!(
        store.sanctioned_users(at(60), 0, 10).await.unwrap().total,
        0
    );
    let lifted = store.lift_ended_bans(at(60)).await.unwrap();
    assert_eq!(lifted.len(), 1);
    assert_eq!(
        (lifted[0].disabled_at, lifted[0].disabled_until),
        (None, None)
    );
    let left = store.address_bans().await.unwrap();
    let left: Vec<_> = left.iter().map(|ban| ban.address.as_str()).collect();
    assert_eq!(left, ["192.0.2.2"], "what the operator banned stays");
}

fn address_ban(of: Option<&UserId>, until: Option<i64>) -> AddressBan {
    AddressBan {
        address: "192.0.2.1".into(),
        note: String::new(),
        created_at: at(1),
        expires_at: until.map(at),
        user_id: of.cloned(),
    }
}

pub(crate) async fn an_address_banned_by_hand_stays_so_when_somebody_may_return(home: Home) {
    let store = home.open().await;
    let operator = Actor::operator;
    for (name, until) in [("ada", Some(60)), ("bob", None)] {
        let user = person(&store, name).await;
        let theirs = vec![address_ban(Some(&user), until)];
        let ban = store.ban_user_until(&user, theirs, until.map(at), None, operator(), at(1));
        ban.await.unwrap();
        let by_hand = || store.ban_address(address_ban(None, None), operator());
        assert!(by_hand().await.unwrap(), "{name}");
        assert!(!by_hand().await.unwrap(), "{name}");
        store.unban_user(&user, operator(), at(2)).await.unwrap();
        assert_eq!(store.address_bans().await.unwrap().len(), 1, "{name}");
        let lifting = store.unban_address("192.0.2.1".into(), operator(), at(3));
        assert!(lifting.await.unwrap(), "{name}");
    }
}

pub(crate) async fn an_older_ban_is_listed_and_lifted_with_its_addresses(home: Home) {
    let store = home.open().await;
    let operator = Actor::operator;
    let old = |address: &str, note: String, second| AddressBan {
        address: address.into(),
        note,
        created_at: at(second),
        expires_at: None,
        user_id: None,
    };
    for (name, address, second) in [("ada", "192.0.2.1", 1), ("bob", "192.0.2.2", 2)] {
        let user = person(&store, name).await;
        let theirs = vec![old(address, format!("Banning of {name}"), second)];
        let ban = store.ban_user(&user, theirs, operator(), at(second));
        ban.await.unwrap();
    }
    let by_hand = store.ban_address(old("192.0.2.3", "rude".into(), 2), operator());
    by_hand.await.unwrap();
    let left = async || {
        let bans = store.address_bans().await.unwrap();
        bans.into_iter().map(|ban| ban.address).collect::<Vec<_>>()
    };
    assert_eq!(left().await, ["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
    assert_eq!(store.banned_users().await.unwrap().len(), 2);
    let page = store.sanctioned_users(at(9), 0, 10).await.unwrap();
    assert_eq!(page.total, 2);

    // An end given to it now counts for the address, too.
    let bob = id("bob");
    let again = store.ban_user_until(&bob, vec![], Some(at(60)), None, operator(), at(3));
    again.await.unwrap();
    store.lift_ended_bans(at(60)).await.unwrap();
    assert_eq!(left().await, ["192.0.2.1", "192.0.2.3"]);
    store
        .unban_user(&id("ada"), operator(), at(61))
        .await
        .unwrap();
    assert_eq!(left().await, ["192.0.2.3"]);
    let lifting = store.unban_address("192.0.2.3".into(), operator(), at(62));
    assert!(lifting.await.unwrap());
    assert_eq!(store.banned_users().await.unwrap().len(), 0);
}

pub(crate) async fn a_ban_with_another_end_takes_its_addresses_along(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let operator = Actor::operator;
    let theirs = vec![address_ban(Some(&ada), None)];
    let ban = store.ban_user(&ada, theirs, operator(), at(1));
    ban.await.unwrap();
    // They are not connected any more, so no addresses come with it.
    for until in [Some(60), None, Some(30)] {
        let again = store.ban_user_until(&ada, vec![], until.map(at), None, operator(), at(2));
        again.await.unwrap();
        let bans = store.address_bans().await.unwrap();
        assert_eq!(bans[0].expires_at, until.map(at));
    }
    store.lift_ended_bans(at(30)).await.unwrap();
    assert!(store.address_bans().await.unwrap().is_empty());
}

pub(crate) async fn moderators_read_the_log_in_parts_and_without_addresses(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    let operator = Actor::operator;
    for second in 1..=3 {
        let mute = store.mute_user(&ada, Some(at(100)), operator(), at(second));
        mute.await.unwrap();
    }
    let ban = AddressBan {
        address: "192.0.2.1".into(),
        note: "manually added".into(),
        created_at: at(4),
        expires_at: None,
        user_id: None,
    };
    store.ban_address(ban, operator()).await.unwrap();
    let unban = store.unban_address("192.0.2.1".into(), operator(), at(5));
    unban.await.unwrap();
    invite(&store, invitation("i1", 6, 60), &TOKEN).await;
    assert_eq!(store.moderation_log(10).await.unwrap().len(), 6);
    let newest = store.moderators_log(None, 2).await.unwrap();
    let times: Vec<_> = newest.iter().map(|entry| entry.at).collect();
    assert_eq!(times, [at(3), at(2)]);
    let before = store.moderators_log(Some(newest[1].seq), 2).await.unwrap();
    assert_eq!(before.len(), 1);
    assert_eq!(before[0].at, at(1));
}

pub(crate) async fn an_invitation_makes_one_person_who_has_signed_in_a_moderator(home: Home) {
    let store = home.open().await;
    let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
    assert!(invite(&store, invitation("i1", 1, 60), &TOKEN).await);
    let accept = async |hash: &[u8], who: &UserId| {
        let accepting = store.accept_moderator_invitation(hash, who, at(2));
        accepting.await.unwrap()
    };
    assert_eq!(accept(&TOKEN, &ada).await, None, "not signed in");
    assert!(!is_moderator(&store, &ada).await);
    sign_in(&store, &ada).await;
    sign_in(&store, &bob).await;
    assert_eq!(accept(&[8; 32], &ada).await, None, "a guess");
    assert!(accept(&TOKEN, &ada).await.unwrap().is_moderator);
    assert!(is_moderator(&store, &ada).await);
    assert_eq!(accept(&TOKEN, &bob).await, None, "it was used");
    assert!(!is_moderator(&store, &bob).await);
    assert!(store.moderator_invitations(at(2)).await.unwrap().is_empty());
    let log = store.moderation_log(10).await.unwrap();
    let told: Vec<_> = log
        .iter()
        .map(|entry| (entry.action.as_str(), entry.actor.name.as_str()))
        .collect();
    assert_eq!(told, [("moderator", "ada"), ("invite", "operator")]);
    assert_eq!(log[0].detail, "invitation i1");
    drop(store);
    assert!(is_moderator(&home.open().await, &ada).await);
}

pub(crate) async fn a_banned_person_accepts_no_invitation_and_uses_none_up(home: Home) {
    let store = home.open().await;
    let (ada, bob) = (person(&store, "ada").await, person(&store, "bob").await);
    sign_in(&store, &ada).await;
    sign_in(&store, &bob).await;
    let ban = store.ban_user(&ada, vec![], Actor::operator(), at(1));
    ban.await.unwrap();
    invite(&store, invitation("i1", 1, 60), &TOKEN).await;
    let accept = |who| store.accept_moderator_invitation(&TOKEN, who, at(2));
    assert_eq!(accept(&ada).await.unwrap(), None);
    assert!(accept(&bob).await.unwrap().is_some());
}

pub(crate) async fn an_invitation_ends_at_its_time_or_when_it_is_taken_back(home: Home) {
    let store = home.open().await;
    let ada = person(&store, "ada").await;
    sign_in(&store, &ada).await;
    invite(&store, invitation("i1", 1, 60), &TOKEN).await;
    let accept = |now| store.accept_moderator_invitation(&TOKEN, &ada, at(now));
    assert_eq!(accept(60).await.unwrap(), None, "too late");
    assert!(
        store
            .moderator_invitations(at(60))
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(store.moderator_invitations(at(59)).await.unwrap().len(), 1);
    let revoke = async |name: &str| {
        let id = TokenId::parse(name).unwrap();
        let revoking = store.revoke_moderator_invitation(id, Actor::operator(), at(3));
        revoking.await.unwrap()
    };
    assert!(!revoke("i2").await);
    assert!(revoke("i1").await);
    assert!(!revoke("i1").await);
    assert_eq!(accept(4).await.unwrap(), None);
    assert!(!is_moderator(&store, &ada).await);
}

pub(crate) async fn there_is_an_end_to_open_invitations_and_old_ones_make_room(home: Home) {
    let store = home.open().await;
    for number in 0..MAX_INVITATIONS {
        let name = format!("i{number}");
        let hash = [u8::try_from(number).unwrap(); 32];
        assert!(invite(&store, invitation(&name, 1, 60), &hash).await);
    }
    let one_more = || invitation("one-more", 2, 90);
    assert!(!invite(&store, one_more(), &[99; 32]).await);
    let later = ModeratorInvitation {
        created_at: at(60),
        ..one_more()
    };
    assert!(invite(&store, later, &[99; 32]).await);
    let open = store.moderator_invitations(at(61)).await.unwrap();
    assert_eq!(open.len(), 1);
}
