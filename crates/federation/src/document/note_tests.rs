use super::super::example::profile;
use super::*;

fn at() -> Timestamp {
    "2026-08-18T12:02:00Z".parse().unwrap()
}

fn ids() -> PostIds {
    PostIds {
        create: "https://live.example/federation/c".into(),
        note: "https://live.example/federation/n".into(),
    }
}

fn names_of(tags: &Value) -> Vec<&str> {
    let tags = tags.as_array().unwrap().iter();
    tags.map(|tag| tag["name"].as_str().unwrap()).collect()
}

#[test]
fn a_go_live_post_has_message_title_hashtags_and_the_way_here() {
    let image = Image {
        url: "https://live.example/federation/media/n.jpg".into(),
        media_type: "image/jpeg".into(),
        description: "Live stream preview".into(),
    };
    let post = go_live(&profile(), &ids(), at(), Some(&image));
    let create = &post.create.json;
    let note = &create["object"];
    assert_eq!(create["@context"], context::note());
    assert_eq!(
        (&create["type"], &note["type"]),
        (&json!("Create"), &json!("Note"))
    );
    assert_eq!(note["@context"], Value::Null);
    assert_eq!(
        note["content"],
        "<p>I've gone live!</p><p>Evening &quot;set&quot; &lt;3</p>\
         <p><a class=\"mention hashtag\" rel=\"tag\" href=\"https://directory.example/tags/music\">#music</a></p>\
         <p><a href=\"https://live.example\" rel=\"nofollow noopener noreferrer\" target=\"_blank\">https://live.example</a></p>"
    );
    assert_eq!(names_of(&note["tag"]), ["#music", "#rillcast"]);
    assert_eq!(note["attachment"][0]["url"], image.url);
    assert_eq!(note["sensitive"], false);
    assert_eq!(note["published"], "2026-08-18T12:02:00Z");
    for document in [create, note] {
        assert_eq!(document["to"], json!([PUBLIC]));
        assert_eq!(
            document["cc"],
            json!(["https://live.example/federation/user/live/followers"])
        );
    }
    assert_eq!(
        note["interactionPolicy"],
        json!({ "canQuote": { "automaticApproval": [PUBLIC] } })
    );
    let mut alone = post.note.json.clone();
    assert_eq!(alone["@context"], context::note());
    alone.as_object_mut().unwrap().remove("@context");
    assert_eq!(&alone, note);
    assert_eq!((post.create.id, post.note.id), (ids().create, ids().note));
}

#[test]
fn the_hashtag_of_the_product_is_there_once() {
    let mut profile = profile();
    profile.tags = vec!["Rillcast".into(), "music".into()];
    profile.live_message = "On air #Music".into();
    let post = go_live(&profile, &ids(), at(), None);
    assert_eq!(names_of(&post.note.json["tag"]), ["#Music", "#Rillcast"]);
    assert_eq!(post.note.json["attachment"], json!([]));
}

#[test]
fn a_private_post_is_for_followers_and_cannot_be_quoted() {
    let private = ActorProfile {
        is_private: true,
        is_sensitive: true,
        ..profile()
    };
    let note = go_live(&private, &ids(), at(), None).note.json;
    assert_eq!(
        note["to"],
        json!(["https://live.example/federation/user/live/followers"])
    );
    assert_eq!(note["cc"], json!([]));
    assert_eq!(note["interactionPolicy"], Value::Null);
    assert_eq!(note["sensitive"], true);
    let unquotable = ActorProfile {
        allows_quotes: false,
        ..profile()
    };
    let note = go_live(&unquotable, &ids(), at(), None).note.json;
    assert_eq!(note["interactionPolicy"], Value::Null);
}

#[test]
fn a_post_of_the_operator_is_rendered_and_its_hashtags_are_listed() {
    let post = operator_post(&profile(), &ids(), at(), "**Soon**: #gig & <more>", None);
    let note = post.note.json;
    assert_eq!(names_of(&note["tag"]), ["#gig"]);
    let content = note["content"].as_str().unwrap();
    assert!(
        content.starts_with("<p><strong>Soon</strong>: <a class="),
        "{content}"
    );
    assert!(content.ends_with("&amp; &lt;more&gt;</p>"), "{content}");
}

#[test]
fn a_direct_message_is_for_one_person_and_mentions_them() {
    let alice = Recipient {
        actor: "https://remote.example/users/alice".into(),
        handle: "@alice@remote.example".into(),
    };
    let message = direct_message(&profile(), &ids(), at(), &alice, "Your code is 123456.").json;
    let note = &message["object"];
    for document in [&message, note] {
        assert_eq!(document["to"], json!([alice.actor]));
        assert_eq!(document["cc"], json!([]));
    }
    assert_eq!(
        note["tag"],
        json!([{ "type": "Mention", "href": alice.actor, "name": alice.handle }])
    );
    assert!(
        note["content"]
            .as_str()
            .unwrap()
            .contains("<p>Your code is 123456.</p>")
    );
}

#[test]
fn every_note_says_that_it_is_no_reply() {
    let recipient = Recipient {
        actor: "https://remote.example/users/alice".into(),
        handle: "@alice@remote.example".into(),
    };
    let profile = profile();
    for create in [
        go_live(&profile, &ids(), at(), None).create,
        operator_post(&profile, &ids(), at(), "hello", None).create,
        direct_message(&profile, &ids(), at(), &recipient, "123456"),
    ] {
        let note = create.json["object"].as_object().unwrap();
        assert_eq!(note.get("inReplyTo"), Some(&Value::Null));
    }
}
