use super::super::example::profile;
use super::metadata::COMMON_NAMESPACE;
use super::*;

const PEER: &str = "https://remote.example/users/alice";

fn a_follow() -> FollowRef {
    FollowRef {
        id: Some("https://remote.example/follows/1".into()),
        actor: PEER.into(),
        object: profile().names.actor(),
    }
}

fn a_request() -> QuoteRef {
    QuoteRef {
        id: "https://remote.example/requests/1".into(),
        actor: PEER.into(),
        object: "https://live.example/federation/n".into(),
        instrument: "https://remote.example/posts/1".into(),
    }
}

fn said<'a>(activity: &'a Activity, name: &str) -> &'a Value {
    &activity.json[format!("{COMMON_NAMESPACE}#{name}")]
}

#[test]
fn every_activity_has_a_context_a_name_an_actor_and_somebody_it_is_for() {
    let profile = profile();
    let (live, off) = (Presence::Live, Presence::Offline);
    let old = profile.names.under("old");
    let at = "2026-08-18T12:02:00Z".parse().unwrap();
    let all = [
        update(&profile, at),
        accept_follow(&profile, &a_follow(), None),
        reject_follow(&profile, &a_follow(), Some(off)),
        follow(&profile, &profile.names.new_follow(), PEER, live),
        undo_follow(
            &profile,
            "https://live.example/federation/follow/1",
            PEER,
            off,
        ),
        offer(&profile, &profile.names.new_object()),
        leave(&profile, &profile.names.new_object()),
        accept_quote(&profile, &a_request(), "https://live.example/federation/s"),
        reject_quote(&profile, &a_request()),
        delete_post(&profile, "https://live.example/federation/n"),
        delete_quote_authorization(&profile, "https://live.example/federation/s", PEER),
        move_account(&old, &profile.names, 1),
    ];
    for activity in all {
        let json = &activity.json;
        let context = &json["@context"];
        let begins = context.as_str().or(context[0].as_str());
        assert_eq!(begins, Some(context::ACTIVITY_STREAMS), "{json}");
        assert_eq!(json["id"], activity.id);
        assert!(
            profile.names.is_ours(json["actor"].as_str().unwrap()),
            "{json}"
        );
        assert!(!json["to"].as_array().unwrap().is_empty(), "{json}");
    }
}

#[test]
fn an_update_carries_the_whole_actor_and_follows_the_mode() {
    let at = "2026-08-18T12:00:00Z".parse().unwrap();
    let public = update(&profile(), at).json;
    assert_eq!(public["object"]["type"], "Service");
    assert_eq!(public["object"]["@context"], Value::Null);
    assert_eq!(
        (&public["to"], &public["cc"]),
        (&json!([PUBLIC]), &json!([profile().names.followers()]))
    );
    let private = ActorProfile {
        is_private: true,
        ..profile()
    };
    let private = update(&private, at).json;
    assert_eq!(private["to"], json!([profile().names.followers()]));
    assert_eq!(private["cc"], Value::Null);
}

#[test]
fn an_answer_repeats_the_follow_and_tells_directories_how_the_stream_is() {
    let person = accept_follow(&profile(), &a_follow(), None);
    assert_eq!(
        person.json["object"],
        json!({ "id": "https://remote.example/follows/1", "type": "Follow", "actor": PEER,
            "object": "https://live.example/federation/user/live" })
    );
    assert_eq!(person.json["to"], json!([PEER]));
    assert_eq!(said(&person, "streamStatus"), &Value::Null);
    let directory = accept_follow(&profile(), &a_follow(), Some(Presence::Live));
    assert_eq!(said(&directory, "streamStatus"), "live");
    assert_eq!(said(&directory, "directory"), &Value::Null);
    let nameless = FollowRef {
        id: None,
        ..a_follow()
    };
    let answer = reject_follow(&profile(), &nameless, None).json;
    assert_eq!(
        (&answer["type"], &answer["object"]["id"]),
        (&json!("Reject"), &Value::Null)
    );
}

#[test]
fn the_account_that_was_asked_answers_even_under_its_former_name() {
    let mut profile = profile();
    profile.names = profile.names.under("stage");
    profile.former_usernames = vec!["live".into()];
    let answer = reject_follow(&profile, &a_follow(), None).json;
    assert_eq!(answer["actor"], a_follow().object);
    let elsewhere = FollowRef {
        object: "https://live.example/federation/user/nobody".into(),
        ..a_follow()
    };
    let answer = reject_follow(&profile, &elsewhere, None).json;
    assert_eq!(answer["actor"], profile.names.actor());
}

#[test]
fn following_and_taking_it_back_name_the_same_follow() {
    let id = profile().names.new_follow();
    let begun = follow(&profile(), &id, PEER, Presence::Offline);
    assert_eq!(
        (&begun.json["object"], said(&begun, "directory")),
        (&json!(PEER), &json!(true))
    );
    assert_eq!(said(&begun, "streamStatus"), "offline");
    let undone = undo_follow(&profile(), &id, PEER, Presence::Live);
    assert_eq!(undone.json["object"]["id"], id);
    assert_eq!(undone.json["object"]["object"], PEER);
    assert_eq!(said(&undone, "streamStatus"), "live");
    assert_eq!(said(&undone, "directory"), &Value::Null);
}

#[test]
fn pings_name_the_server_and_its_state() {
    let on = offer(&profile(), "https://live.example/federation/o");
    assert_eq!(
        (&on.json["type"], &on.json["object"]),
        (&json!("Offer"), &json!("https://live.example"))
    );
    assert_eq!(said(&on, "streamStatus"), "live");
    let off = leave(&profile(), "https://live.example/federation/l");
    assert_eq!(
        (&off.json["type"], said(&off, "streamStatus")),
        (&json!("Leave"), &json!("offline"))
    );
    assert_eq!(said(&off, "thumbnailUrl"), &Value::Null);
}

#[test]
fn a_quote_is_allowed_with_a_stamp_that_names_both_posts() {
    let id = "https://live.example/federation/s";
    let yes = accept_quote(&profile(), &a_request(), id).json;
    assert_eq!(
        (&yes["result"], &yes["object"]["instrument"]),
        (&json!(id), &json!(a_request().instrument))
    );
    assert_eq!(yes["object"]["type"], "QuoteRequest");
    let no = reject_quote(&profile(), &a_request()).json;
    assert_eq!(
        (&no["type"], &no["result"]),
        (&json!("Reject"), &Value::Null)
    );
    let authorization =
        quote_authorization(&profile(), id, &a_request().instrument, &a_request().object).json;
    assert_eq!(authorization["type"], "QuoteAuthorization");
    assert_eq!(authorization["attributedTo"], profile().names.actor());
    assert_eq!(authorization["interactingObject"], a_request().instrument);
    assert_eq!(authorization["interactionTarget"], a_request().object);
    let gone = delete_quote_authorization(&profile(), id, PEER).json;
    assert_eq!((&gone["object"], &gone["to"]), (&json!(id), &json!([PEER])));
}

#[test]
fn a_deleted_post_leaves_a_tombstone_for_those_who_had_it() {
    let note = "https://live.example/federation/n";
    let private = ActorProfile {
        is_private: true,
        ..profile()
    };
    assert_eq!(delete_post(&profile(), note).json["to"], json!([PUBLIC]));
    let gone = delete_post(&private, note).json;
    assert_eq!(gone["to"], json!([profile().names.followers()]));
    assert_eq!(gone["object"], json!({ "id": note, "type": "Tombstone" }));
    let left = tombstone(note, "2026-08-18T12:00:00Z".parse().unwrap());
    assert_eq!(
        (&left["id"], &left["deleted"]),
        (&json!(note), &json!("2026-08-18T12:00:00Z"))
    );
}

// Case 19 of docs/federation-cases.md.
#[test]
fn the_old_account_says_that_it_moved() {
    let new = profile().names.under("stage");
    let old = profile().names;
    let moved = move_account(&old, &new, 1).json;
    assert_eq!(
        (&moved["actor"], &moved["object"]),
        (&json!(old.actor()), &json!(old.actor()))
    );
    assert_eq!(moved["target"], new.actor());
    assert_eq!(moved["to"], json!([old.followers()]));
    assert_eq!(moved["id"], format!("{}#moves/1", old.actor()));
}
