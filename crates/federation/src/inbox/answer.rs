//! Another server answers our request to feature it.

use serde_json::{Map, Value};
use store::federation::{Effects, FollowStatus, Server, ServerProfile};

use super::context::{HandlerError, HandlerResult, InboxContext, ignored};
use super::stream::{as_stored, home_of};
use crate::wire::{Person, StreamMetadata, has_type, html, id_of, plain, plain_text, text_of};

/// Characters kept of what an account says of itself; the rest is cut off.
const MAX_SUMMARY_CHARS: usize = 2000;

pub(super) async fn accept(context: &InboxContext<'_>) -> HandlerResult {
    let server = our_follow(context).await?;
    let profile = fetch_profile(context).await?;
    let tables = &context.shared.tables;
    let metadata = StreamMetadata::read(&context.activity.json, &context.namespaces());
    let is_live = metadata.is_live == Some(true);
    if let Some(home) = home_of(context.actor).filter(|_| is_live) {
        let (actor, metadata) = (context.actor.to_owned(), as_stored(metadata));
        // First, because the next step takes the answer out of the queue; recording it twice does no harm.
        tables
            .note_offer(home, actor, metadata, Effects::default(), context.now)
            .await?;
    }
    let (status, effects) = (FollowStatus::Accepted, context.effects());
    tables
        .set_server_status(server.id, status, profile, effects, context.now)
        .await?;
    Ok(())
}

pub(super) async fn reject(context: &InboxContext<'_>) -> HandlerResult {
    let server = our_follow(context).await?;
    let effects = context.effects();
    let tables = &context.shared.tables;
    tables
        .set_server_status(
            server.id,
            FollowStatus::Rejected,
            None,
            effects,
            context.now,
        )
        .await?;
    Ok(())
}

/// The server this answer comes from: it names our Follow, or embeds one, and is the server we asked.
async fn our_follow(context: &InboxContext<'_>) -> Result<Server, HandlerError> {
    let tables = &context.shared.tables;
    let by_id = match id_of(context.activity.object()) {
        Some(id) => tables.server_by_follow(id).await?,
        None => None,
    };
    let is_embedded = context
        .activity
        .embedded()
        .is_some_and(|follow| is_from_us(context, follow));
    let found = match by_id {
        None if is_embedded => tables.server_by_actor(context.actor).await?,
        found => found,
    };
    match found {
        Some(server) if server.actor_iri == context.actor && !server.is_unsolicited => Ok(server),
        _ => ignored("it answers nothing we asked"),
    }
}

fn is_from_us(context: &InboxContext<'_>, follow: &Map<String, Value>) -> bool {
    let actor = follow.get("actor").and_then(id_of);
    let object = follow.get("object").and_then(id_of);
    let is_of_sender = object.is_none_or(|object| object == context.actor);
    has_type(follow, "Follow") && actor.is_some_and(|actor| context.is_us(actor)) && is_of_sender
}

/// Fetches the account's profile; an answer counts even if the profile cannot be fetched.
async fn fetch_profile(context: &InboxContext<'_>) -> Result<Option<ServerProfile>, HandlerError> {
    let document = match context.fetch(context.actor).await {
        Ok(document) => document,
        Err(HandlerError::Store(error)) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    let summary = text_of(&document.object, "summary").map(|text| plain_text(&html(&text.value)));
    let summary = plain(&summary.unwrap_or_default(), MAX_SUMMARY_CHARS);
    let person = Person::read(&document.object).ok();
    Ok(person.map(|person| ServerProfile {
        username: person.username,
        name: person.name.clone(),
        display_name: person.name,
        summary,
        logo_url: person.image,
    }))
}
