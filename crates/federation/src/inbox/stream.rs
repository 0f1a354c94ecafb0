//! Other servers announce that they stream, or no longer do.

use store::federation::StreamMetadata as StoredMetadata;

use super::context::{HandlerError, HandlerResult, InboxContext, ignored};
use crate::wire::{StreamMetadata, authority, web_iri};

pub(super) async fn offer(context: &InboxContext<'_>) -> HandlerResult {
    let metadata = StreamMetadata::read(&context.activity.json, &context.namespaces());
    if metadata.is_live != Some(true) {
        return ignored("an offer that does not say that a stream is live");
    }
    let home = speaking_for(context).await?;
    let (actor, effects) = (context.actor.to_owned(), context.effects());
    let tables = &context.shared.tables;
    tables
        .note_offer(home, actor, as_stored(metadata), effects, context.now)
        .await?;
    Ok(())
}

pub(super) async fn leave(context: &InboxContext<'_>) -> HandlerResult {
    let home = speaking_for(context).await?;
    let tables = &context.shared.tables;
    tables
        .note_leave(home, context.effects(), context.now)
        .await?;
    Ok(())
}

/// The server the sender may speak for: its own, unless the operator features another account there.
async fn speaking_for(context: &InboxContext<'_>) -> Result<String, HandlerError> {
    let Some(home) = home_of(context.actor) else {
        return ignored("the sender has no server");
    };
    let known = context.shared.tables.server_by_iri(&home).await?;
    let is_another =
        known.is_some_and(|known| !known.is_unsolicited && known.actor_iri != context.actor);
    match is_another {
        true => ignored("another account speaks for that server"),
        false => Ok(home),
    }
}

/// The `https://remote.example` an actor belongs to.
pub(super) fn home_of(actor: &str) -> Option<String> {
    let url = web_iri(actor)?;
    Some(format!("{}://{}", url.scheme(), authority(&url)))
}

pub(super) fn as_stored(metadata: StreamMetadata) -> StoredMetadata {
    StoredMetadata {
        title: metadata.title,
        description: metadata.description,
        server_name: metadata.server_name,
        logo_url: metadata.logo_url,
        thumbnail_url: metadata.thumbnail_url,
        tags: Some(metadata.tags).filter(|tags| !tags.is_empty()),
    }
}
