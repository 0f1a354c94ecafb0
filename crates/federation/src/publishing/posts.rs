//! The operator's posts: written and deleted.

use serde_json::Value;
use store::federation::{DeliveryKind, ObjectKind, StoredObject};
use store::{StoreError, StoredFile};
use thiserror::Error;

use super::post_image::PostImage;
use super::{Outbox, effects};
use crate::document::{Image, PostIds, author_of, note};
use crate::identity::IdentityError;
use crate::names::new_id;
use crate::profile::ActorProfile;

/// Limit (operators): characters of a Fediverse post; a longer one is refused. Servers of others cut or fold what is
/// longer.
pub const MAX_POST_CHARS: usize = 5_000;
/// Longest description of a picture; a longer one is refused.
pub const MAX_DESCRIPTION_CHARS: usize = 1_500;

/// A post the operator wants to publish.
#[derive(Clone, Debug)]
pub struct NewPost {
    /// In Markdown.
    pub text: String,
    /// A picture and its text alternative.
    pub picture: Option<(PostImage, String)>,
}

/// Why a post is refused.
#[derive(Debug, Error)]
pub enum PostError {
    /// No account may publish now.
    #[error("federation is off, or the server has no public address that begins with https://")]
    Silent,
    /// Neither text nor picture.
    #[error("write something first")]
    Empty,
    /// Too long.
    #[error("the text is longer than {MAX_POST_CHARS} characters")]
    TooLong,
    /// The picture has no description, or too long a one.
    #[error("describe the picture in at most {MAX_DESCRIPTION_CHARS} characters")]
    Description,
    /// No post at this address.
    #[error("there is no such post")]
    Unknown,
    /// The account's key failed.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Outbox {
    /// Publishes a post; returns its address.
    ///
    /// # Errors
    /// See [`PostError`].
    pub async fn post(&self, new: NewPost) -> Result<String, PostError> {
        let text = new.text.trim();
        if text.is_empty() && new.picture.is_none() {
            return Err(PostError::Empty);
        }
        if text.chars().count() > MAX_POST_CHARS {
            return Err(PostError::TooLong);
        }
        let profile = self.speaker().await?.ok_or(PostError::Silent)?;
        let image = match new.picture {
            Some((picture, description)) => {
                let description = description.trim().to_owned();
                if description.chars().count() > MAX_DESCRIPTION_CHARS {
                    return Err(PostError::Description);
                }
                Some(self.keep_picture(&profile, &picture, description).await?)
            }
            None => None,
        };
        let at = self.0.clock.now();
        let ids = PostIds::new(&profile.names);
        let post = note::operator_post(&profile, &ids, at, text, image.as_ref());
        let effects = effects::post(&profile, &post, DeliveryKind::Post, at);
        self.0.store.federation().send(effects, at).await?;
        Ok(ids.note)
    }

    /// Deletes a post, by its address or the last part of it: it is gone here, and followers' servers are told.
    ///
    /// # Errors
    /// See [`PostError`].
    pub async fn delete_post(&self, post: &str) -> Result<(), PostError> {
        let profile = self.speaker().await?.ok_or(PostError::Silent)?;
        let note = match profile.names.is_ours(post) {
            true => post.to_owned(),
            false => profile.names.object(post),
        };
        let tables = self.0.store.federation();
        let found = tables.object(&note).await?;
        let found = found.filter(|object| object.kind == ObjectKind::Note);
        let found = found.ok_or(PostError::Unknown)?;
        let pictures = pictures(&profile, &found);
        let at = self.0.clock.now();
        let effects = effects::deletion(&profile, &note, &author_of(&found), at);
        if !tables.delete_object(note, effects, at).await? {
            return Err(PostError::Unknown);
        }
        for name in pictures {
            tables.delete_media(name).await?;
        }
        Ok(())
    }

    /// Stores a picture under a name of its own: what a post shows never changes.
    pub(super) async fn keep_picture(
        &self,
        profile: &ActorProfile,
        picture: &PostImage,
        description: String,
    ) -> Result<Image, StoreError> {
        let name = format!("{}.{}", new_id(), picture.extension());
        let image = Image {
            url: profile.names.media(&name),
            media_type: picture.content_type().to_owned(),
            description,
        };
        let file = StoredFile {
            content_type: picture.content_type().to_owned(),
            bytes: picture.bytes().to_vec(),
        };
        let now = self.0.clock.now();
        self.0.store.federation().put_media(name, file, now).await?;
        Ok(image)
    }
}

/// Names of the pictures in a post of ours.
fn pictures(profile: &ActorProfile, post: &StoredObject) -> Vec<String> {
    let note: Value = serde_json::from_str(&post.json).unwrap_or_default();
    let shown = note["attachment"].as_array().into_iter().flatten();
    let folder = profile.names.media("");
    shown
        .filter_map(|image| image["url"].as_str()?.strip_prefix(&folder))
        .map(str::to_owned)
        .collect()
}
