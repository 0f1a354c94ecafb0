//! Another server answers our wish to feature it.

use serde_json::{Map, Value};
use store::federation::{Effects, FollowStatus, Server, ServerProfile};

use super::case::{Case, Handled, Stop, ignored};
use super::stream::{as_stored, home_of};
use crate::wire::{Person, StreamNews, has_type, html, id_of, plain, plain_text, text_of};

/// Characters kept of what an account says of itself; the rest is cut off.
const MAX_SUMMARY_CHARS: usize = 2000;

pub(super) async fn accept(case: &Case<'_>) -> Handled {
    let server = our_follow(case).await?;
    let profile = fetch_profile(case).await?;
    let tables = &case.shared.tables;
    let news = StreamNews::read(&case.activity.json, &case.namespaces());
    let is_live = news.is_live == Some(true);
    if let Some(home) = home_of(case.actor).filter(|_| is_live) {
        let (actor, news) = (case.actor.to_owned(), as_stored(news));
        // First, because what follows takes the answer out of the queue; said twice it is the same.
        tables
            .note_offer(home, actor, news, Effects::default(), case.now)
            .await?;
    }
    let (status, effects) = (FollowStatus::Accepted, case.effects());
    tables
        .set_server_status(server.id, status, profile, effects, case.now)
        .await?;
    Ok(())
}

pub(super) async fn reject(case: &Case<'_>) -> Handled {
    let server = our_follow(case).await?;
    let effects = case.effects();
    let tables = &case.shared.tables;
    tables
        .set_server_status(server.id, FollowStatus::Rejected, None, effects, case.now)
        .await?;
    Ok(())
}

/// The server whose answer this is: it names our Follow, or embeds one of ours, and is the one we asked.
async fn our_follow(case: &Case<'_>) -> Result<Server, Stop> {
    let tables = &case.shared.tables;
    let by_id = match id_of(case.activity.object()) {
        Some(id) => tables.server_by_follow(id).await?,
        None => None,
    };
    let is_embedded = case
        .activity
        .embedded()
        .is_some_and(|follow| is_from_us(case, follow));
    let found = match by_id {
        None if is_embedded => tables.server_by_actor(case.actor).await?,
        found => found,
    };
    match found {
        Some(server) if server.actor_iri == case.actor && !server.is_unsolicited => Ok(server),
        _ => ignored("it answers nothing we asked"),
    }
}

fn is_from_us(case: &Case<'_>, follow: &Map<String, Value>) -> bool {
    let actor = follow.get("actor").and_then(id_of);
    let object = follow.get("object").and_then(id_of);
    let is_of_sender = object.is_none_or(|object| object == case.actor);
    has_type(follow, "Follow") && actor.is_some_and(|actor| case.is_us(actor)) && is_of_sender
}

/// What the account says of itself; an answer counts also when that cannot be had.
async fn fetch_profile(case: &Case<'_>) -> Result<Option<ServerProfile>, Stop> {
    let document = match case.fetch(case.actor).await {
        Ok(document) => document,
        Err(Stop::Store(error)) => return Err(error.into()),
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
