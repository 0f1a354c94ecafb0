//! Somebody wrote a post: a reply to one of ours, or a message to us.

use model::Event;
use model::fediverse::RemotePost;
use serde_json::{Map, Value};
use store::federation::{InboundKind, NewInboundPost};

use super::context::{HandlerError, HandlerResult, InboxContext, ignored};
use crate::wire::{ParsedNote, has_type, id_of, list_of, same_host, visibility};

pub(super) async fn handle(context: &InboxContext<'_>) -> HandlerResult {
    let fetched;
    let note = match context.activity.embedded() {
        Some(note) => note,
        None => {
            fetched = fetch_note(context).await?;
            &fetched
        }
    };
    if !has_type(note, "Note") {
        return ignored("it is no note");
    }
    let Some(id) = note.get("id").and_then(Value::as_str) else {
        return ignored("the note has no name");
    };
    if !same_host(id, context.actor) {
        return ignored("the note is from another server");
    }
    if note.get("attributedTo").and_then(id_of) != Some(context.actor) {
        return ignored("the note was written by somebody else");
    }
    let reply_to = list_of(note.get("inReplyTo")).first().and_then(id_of);
    let is_reply = match reply_to {
        Some(iri) => is_ours(context, iri).await?,
        None => false,
    };
    if !is_reply && !is_addressed(context, note) {
        return ignored("it is neither an answer nor written to us");
    }
    let actor = context.actor_fact().await?;
    let visibility = visibility(&context.activity.json, note);
    let Some(post) = read_post(note.clone()).await else {
        return ignored("the note cannot be read");
    };
    keep(context, id, post.by(actor, visibility), is_reply).await
}

async fn keep(
    context: &InboxContext<'_>,
    id: &str,
    post: RemotePost,
    is_reply: bool,
) -> HandlerResult {
    let kind = match is_reply {
        true => InboundKind::Reply,
        false => InboundKind::Mention,
    };
    let new = NewInboundPost {
        iri: id.to_owned(),
        kind,
        post: post.clone(),
    };
    let mut effects = context.effects();
    effects.events = vec![match is_reply {
        true => Event::FediverseReplied { post },
        false => Event::FediverseMentioned { post },
    }];
    // A note known under another Create is announced once.
    let tables = &context.shared.tables;
    tables.add_inbound_post(new, effects, context.now).await?;
    Ok(())
}

/// A note given only by its id is fetched from its author's own server.
async fn fetch_note(context: &InboxContext<'_>) -> Result<Map<String, Value>, HandlerError> {
    match id_of(context.activity.object()) {
        Some(iri) if same_host(iri, context.actor) => Ok(context.fetch(iri).await?.object),
        Some(_) => ignored("the note is from another server"),
        None => ignored("it is not about one note"),
    }
}

async fn is_ours(context: &InboxContext<'_>, iri: &str) -> Result<bool, HandlerError> {
    match context.our_note_named(iri).await {
        Ok(_) => Ok(true),
        Err(HandlerError::Ignored(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

fn is_addressed(context: &InboxContext<'_>, note: &Map<String, Value>) -> bool {
    let lists = ["to", "cc"].into_iter().flat_map(|name| {
        let both = [note.get(name), context.activity.json.get(name)];
        both.into_iter().flat_map(list_of)
    });
    lists.filter_map(id_of).any(|iri| context.is_us(iri))
}

/// Long texts crafted to be slow take milliseconds, which would hold up others.
async fn read_post(note: Map<String, Value>) -> Option<ParsedNote> {
    let reading = tokio::task::spawn_blocking(move || ParsedNote::read(&note));
    reading.await.ok().flatten()
}
