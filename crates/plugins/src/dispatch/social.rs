//! Payloads about people and posts on other servers.

use model::fediverse::{RemoteActor, RemoteAttachment, RemotePost};
use serde::Serialize;

use crate::host::wire::time;

/// A person on another server.
#[derive(Serialize)]
pub(super) struct ActorPayload<'a> {
    name: &'a str,
    handle: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<&'a str>,
}

impl<'a> From<&'a RemoteActor> for ActorPayload<'a> {
    fn from(actor: &'a RemoteActor) -> Self {
        Self {
            name: &actor.name,
            handle: &actor.handle,
            url: actor.url.as_deref(),
            image: actor.image.as_deref(),
        }
    }
}

/// One of our posts.
#[derive(Serialize)]
pub(super) struct TargetPayload<'a> {
    pub(super) url: &'a str,
}

/// A post on another server. Its audience is not included: a plugin that may see it may see all.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PostPayload<'a> {
    actor: ActorPayload<'a>,
    content: &'a str,
    content_text: &'a str,
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    posted_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<Attachment<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Attachment<'a> {
    url: &'a str,
    media_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    alt: Option<&'a str>,
}

impl<'a> From<&'a RemotePost> for PostPayload<'a> {
    fn from(post: &'a RemotePost) -> Self {
        Self {
            actor: (&post.actor).into(),
            content: &post.content,
            content_text: &post.content_text,
            url: &post.url,
            posted_at: post.posted_at.map(time),
            in_reply_to: post.in_reply_to.as_deref(),
            attachments: post.attachments.iter().map(Attachment::from).collect(),
            language: post.language.as_deref(),
        }
    }
}

impl<'a> From<&'a RemoteAttachment> for Attachment<'a> {
    fn from(attachment: &'a RemoteAttachment) -> Self {
        Self {
            url: &attachment.url,
            media_type: attachment.media_type.as_deref().unwrap_or_default(),
            alt: attachment.alt.as_deref(),
        }
    }
}
