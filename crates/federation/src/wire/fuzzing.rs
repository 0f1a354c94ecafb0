//! The body of the inbox fuzz target.

use serde_json::Value;

use super::{
    MAX_ATTACHMENTS, MAX_DEPTH, MAX_NAME_CHARS, MAX_URL_CHARS, ParsedNote, Person,
    ReceivedActivity, StreamMetadata, html, parse, plain_text, same_host, visibility, web_url,
};

const NAMESPACES: [&str; 2] = ["https://rillcast.example/ns", "https://owncast.online/ns"];

/// Any input is refused or read within its limits, and nothing executable is left in it.
pub fn activity_holds(input: &[u8]) {
    if let Ok(text) = std::str::from_utf8(input) {
        text_holds(text);
    }
    let Ok(activity) = ReceivedActivity::parse(input) else {
        return;
    };
    let whole = Value::Object(activity.json.clone());
    assert!(depth(&whole) <= MAX_DEPTH);
    // It survives a round trip, so what was checked is what is stored.
    assert_eq!(
        parse(whole.to_string().as_bytes()).as_ref(),
        Ok(&activity.json)
    );
    let objects = [Some(&activity.json), activity.embedded()];
    for object in objects.into_iter().flatten() {
        if let Ok(person) = Person::read(object) {
            assert!(same_host(&person.id, &person.inbox));
            assert!(person.name.chars().count() <= MAX_NAME_CHARS);
            assert!(!person.name.chars().any(char::is_control));
            assert_eq!(person.handle().matches('@').count(), 2);
            let addresses = [Some(&person.url), person.image.as_ref()];
            assert!(
                addresses
                    .into_iter()
                    .flatten()
                    .all(|url| web_url(url).is_some())
            );
        }
        if let Some(post) = ParsedNote::read(object) {
            assert_eq!(html(&post.content), post.content);
            assert!(post.attachments.len() <= MAX_ATTACHMENTS);
            assert!(
                post.attachments
                    .iter()
                    .all(|one| web_url(&one.url).is_some())
            );
        }
        visibility(&activity.json, object);
        let news = StreamMetadata::read(object, &NAMESPACES);
        assert!(news.tags.len() <= 20);
        assert!(news.title.is_none_or(|title| title.chars().count() <= 300));
    }
}

fn text_holds(text: &str) {
    let once = html(text);
    assert_eq!(html(&once), once);
    let shown = plain_text(&once);
    assert!(
        shown
            .lines()
            .all(|line| !line.chars().any(char::is_control))
    );
    assert!(web_url(text).is_none_or(|url| url.len() <= MAX_URL_CHARS && url.starts_with("http")));
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(members) => 1 + members.iter().map(depth).max().unwrap_or_default(),
        Value::Object(object) => 1 + object.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}
