//! Posts: a Note inside the Create that carries it.

use jiff::Timestamp;
use model::product;
use serde_json::{Map, Value, json};

use super::activity::{Activity, Addressing};
use super::markdown::{self, RenderedMarkdown};
use super::text::{escaped, link, paragraph};
use super::{PUBLIC, context, hashtag, instant, object};
use crate::names::Names;
use crate::profile::ActorProfile;

/// The ids of a post about to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostIds {
    /// The id of the Create.
    pub create: String,
    /// The id of the Note.
    pub note: String,
}

impl PostIds {
    /// Generates new ids.
    pub fn new(names: &Names) -> Self {
        Self {
            create: names.new_object(),
            note: names.new_object(),
        }
    }
}

/// An image that belongs to a post and never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub url: String,
    pub media_type: String,
    /// A text alternative for people who cannot see it.
    pub description: String,
}

/// WordPress refuses a Note that does not say whether it is a reply.
const IN_REPLY_TO_NOTHING: (&str, Option<Value>) = ("inReplyTo", Some(Value::Null));

/// A post as it is sent and stored: Create and Note can both be fetched by their ids.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingPost {
    pub create: Activity,
    /// The Note alone.
    pub note: Activity,
}

/// The go-live post. Its text is the operator's message, the title, the hashtags and the link to the stream.
pub fn go_live(
    profile: &ActorProfile,
    ids: &PostIds,
    at: Timestamp,
    image: Option<&Image>,
) -> OutgoingPost {
    let RenderedMarkdown { html, tags } =
        markdown::render(&profile.live_message, &profile.directory_url);
    let mut content = html;
    content.push_str(&paragraph(&profile.stream_title).unwrap_or_default());
    let anchors = profile.tags.iter();
    let anchors: Vec<String> = anchors
        .map(|tag| hashtag::anchor(&profile.directory_url, tag))
        .collect();
    if !anchors.is_empty() {
        content.push_str(&format!("<p>{}</p>", anchors.join(" ")));
    }
    content.push_str(&format!("<p>{}</p>", link(profile.names.base())));
    let tags = tags.into_iter().chain(profile.tags.iter().cloned());
    let tags = hashtag::distinct(tags.chain([product::NAME.to_owned()]));
    public_post(profile, ids, at, &content, &tags, image)
}

/// A post the operator wrote in Markdown.
pub fn operator_post(
    profile: &ActorProfile,
    ids: &PostIds,
    at: Timestamp,
    text: &str,
    image: Option<&Image>,
) -> OutgoingPost {
    let RenderedMarkdown { html, tags } = markdown::render(text, &profile.directory_url);
    public_post(profile, ids, at, &html, &tags, image)
}

/// A post addressed by the mode of the server: to everybody or to followers.
fn public_post(
    profile: &ActorProfile,
    ids: &PostIds,
    at: Timestamp,
    content: &str,
    tags: &[String],
    image: Option<&Image>,
) -> OutgoingPost {
    let addressing = Addressing::by_mode(profile);
    let tags = tags.iter();
    let tags: Vec<Value> = tags
        .map(|tag| hashtag::object(&profile.directory_url, tag))
        .collect();
    let attachments: Vec<Value> = image.map(attachment).into_iter().collect();
    let may_be_quoted = profile.allows_quotes && !profile.is_private;
    let note = object([
        ("id", Some(json!(ids.note))),
        ("type", Some(json!("Note"))),
        ("attributedTo", Some(json!(profile.names.actor()))),
        ("url", Some(json!(ids.note))),
        IN_REPLY_TO_NOTHING,
        ("published", Some(json!(instant(at)))),
        ("to", Some(json!(addressing.to))),
        ("cc", Some(json!(addressing.cc))),
        ("content", Some(json!(content))),
        ("sensitive", Some(json!(profile.is_sensitive))),
        ("tag", Some(json!(tags))),
        ("attachment", Some(json!(attachments))),
        // Without it, servers assume that the post must not be quoted.
        (
            "interactionPolicy",
            may_be_quoted.then(|| json!({ "canQuote": { "automaticApproval": [PUBLIC] } })),
        ),
    ]);
    OutgoingPost::new(profile, ids, at, &addressing, note)
}

impl OutgoingPost {
    fn new(
        profile: &ActorProfile,
        ids: &PostIds,
        at: Timestamp,
        addressing: &Addressing,
        note: Map<String, Value>,
    ) -> Self {
        let create = object([
            ("@context", Some(context::note())),
            ("id", Some(json!(ids.create))),
            ("type", Some(json!("Create"))),
            ("actor", Some(json!(profile.names.actor()))),
            ("published", Some(json!(instant(at)))),
            ("to", Some(json!(addressing.to))),
            ("cc", Some(json!(addressing.cc))),
            ("object", Some(Value::Object(note.clone()))),
        ]);
        let mut alone = note;
        alone.insert("@context".into(), context::note());
        Self {
            create: Activity::new(&ids.create, create),
            note: Activity::new(&ids.note, alone),
        }
    }
}

fn attachment(image: &Image) -> Value {
    json!({
        "type": "Image",
        "mediaType": image.media_type,
        "url": image.url,
        "name": image.description,
    })
}

/// The recipient of a direct message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// Their actor.
    pub actor: String,
    /// `@alice@remote.example`; without it they would not be notified.
    pub handle: String,
}

/// Plain text for one person. It is sent but not stored: nobody can fetch it.
pub fn direct_message(
    profile: &ActorProfile,
    ids: &PostIds,
    at: Timestamp,
    recipient: &Recipient,
    text: &str,
) -> Activity {
    let mention = format!(
        "<p><a class=\"u-url mention\" href=\"{}\">{}</a></p>",
        escaped(&recipient.actor),
        escaped(&recipient.handle)
    );
    let paragraphs = text.split("\n\n").filter_map(paragraph);
    let content: String = [mention].into_iter().chain(paragraphs).collect();
    let addressing = Addressing::one(&recipient.actor);
    let note = object([
        ("id", Some(json!(ids.note))),
        ("type", Some(json!("Note"))),
        ("attributedTo", Some(json!(profile.names.actor()))),
        IN_REPLY_TO_NOTHING,
        ("published", Some(json!(instant(at)))),
        ("to", Some(json!(addressing.to))),
        ("cc", Some(json!(addressing.cc))),
        ("content", Some(json!(content))),
        (
            "tag",
            Some(json!([{
                "type": "Mention",
                "href": recipient.actor,
                "name": recipient.handle,
            }])),
        ),
    ]);
    OutgoingPost::new(profile, ids, at, &addressing, note).create
}

#[cfg(test)]
#[path = "note_tests.rs"]
mod tests;
