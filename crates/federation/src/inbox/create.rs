//! Somebody wrote something: an answer to a post of ours, or words to us.

use model::Event;
use model::fediverse::RemotePost;
use serde_json::{Map, Value};
use store::federation::{InboundKind, NewInboundPost};

use super::case::{Case, Handled, Stop, ignored};
use crate::wire::{Post, has_type, id_of, list_of, same_host, visibility};

pub(super) async fn handle(case: &Case<'_>) -> Handled {
    let fetched;
    let note = match case.activity.embedded() {
        Some(note) => note,
        None => {
            fetched = fetch_note(case).await?;
            &fetched
        }
    };
    if !has_type(note, "Note") {
        return ignored("it is no note");
    }
    let Some(id) = note.get("id").and_then(Value::as_str) else {
        return ignored("the note has no name");
    };
    if !same_host(id, case.actor) {
        return ignored("the note is from another server");
    }
    if note.get("attributedTo").and_then(id_of) != Some(case.actor) {
        return ignored("the note was written by somebody else");
    }
    let reply_to = list_of(note.get("inReplyTo")).first().and_then(id_of);
    let is_reply = match reply_to {
        Some(iri) => is_ours(case, iri).await?,
        None => false,
    };
    if !is_reply && !is_addressed(case, note) {
        return ignored("it is neither an answer nor written to us");
    }
    let actor = case.actor_fact().await?;
    let visibility = visibility(&case.activity.json, note);
    let Some(post) = read_post(note.clone()).await else {
        return ignored("the note cannot be read");
    };
    keep(case, id, post.by(actor, visibility), is_reply).await
}

async fn keep(case: &Case<'_>, id: &str, post: RemotePost, is_reply: bool) -> Handled {
    let kind = match is_reply {
        true => InboundKind::Reply,
        false => InboundKind::Mention,
    };
    let new = NewInboundPost {
        iri: id.to_owned(),
        kind,
        post: post.clone(),
    };
    let mut effects = case.effects();
    effects.events = vec![match is_reply {
        true => Event::FediverseReplied { post },
        false => Event::FediverseMentioned { post },
    }];
    // A note that is known under another Create is told of once.
    let tables = &case.shared.tables;
    tables.add_inbound_post(new, effects, case.now).await?;
    Ok(())
}

/// A note that is only named is asked for at its author's own server.
async fn fetch_note(case: &Case<'_>) -> Result<Map<String, Value>, Stop> {
    match id_of(case.activity.object()) {
        Some(iri) if same_host(iri, case.actor) => Ok(case.fetch(iri).await?.object),
        Some(_) => ignored("the note is from another server"),
        None => ignored("it is not about one note"),
    }
}

async fn is_ours(case: &Case<'_>, iri: &str) -> Result<bool, Stop> {
    match case.our_note_named(iri).await {
        Ok(_) => Ok(true),
        Err(Stop::Ignored(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

fn is_addressed(case: &Case<'_>, note: &Map<String, Value>) -> bool {
    let lists = ["to", "cc"].into_iter().flat_map(|name| {
        let both = [note.get(name), case.activity.json.get(name)];
        both.into_iter().flat_map(list_of)
    });
    lists.filter_map(id_of).any(|iri| case.is_us(iri))
}

/// Long texts made to be slow take milliseconds, which others would wait for.
async fn read_post(note: Map<String, Value>) -> Option<Post> {
    let reading = tokio::task::spawn_blocking(move || Post::read(&note));
    reading.await.ok().flatten()
}
