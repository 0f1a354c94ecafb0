//! Somebody asks to quote a post of ours (FEP-044f).

use model::Event;
use serde_json::Value;
use store::federation::{
    Audience, DeliveryKind, Effects, NewObject, NewStamp, ObjectKind, Outgoing, Stamp, StoredObject,
};

use super::case::{ANSWER_LIFE, Case, Handled, Stop, ignored};
use crate::document::activity::{QuoteRef, accept_quote, reject_quote, stamp};
use crate::document::{Activity, author_of};
use crate::profile::Profile;
use crate::wire::{Person, id_of, same_host};

pub(super) async fn handle(case: &Case<'_>) -> Handled {
    // Each wish costs a look at the asker and an answer.
    let (limits, uptime) = (&case.shared.limits, case.shared.clock.uptime());
    if !limits.may_ask_to_quote(case.actor, uptime) {
        return ignored("too many wishes to quote within an hour");
    }
    let handled = answer(case).await;
    if handled.is_ok() {
        limits.note_wish_to_quote(case.actor, uptime);
    }
    handled
}

async fn answer(case: &Case<'_>) -> Handled {
    let instrument = case.activity.get("instrument");
    let (Some(object), Some(quote)) = (id_of(case.activity.object()), id_of(instrument)) else {
        return ignored("it is not said what quotes what");
    };
    let request = QuoteRef {
        id: case.id().to_owned(),
        actor: case.actor.to_owned(),
        object: object.to_owned(),
        instrument: quote.to_owned(),
    };
    let person = case.fetch_actor().await?;
    let eligible = match is_own_post(case, instrument) {
        true => quotable(case, object).await?,
        false => None,
    };
    let Some(note) = eligible else {
        return refuse(case, case.profile, &request, &person).await;
    };
    // Others look for the consent of whoever wrote what is quoted, under the name of then.
    let speaker = case.profile.speaking_as(&author_of(&note));
    let tables = &case.shared.tables;
    // What was taken back is not given again by asking again, nor by having somebody else ask.
    if tables.is_quote_revoked(quote, &note.iri).await? {
        return refuse(case, &speaker, &request, &person).await;
    }
    match tables.stamp_for(quote, &note.iri, case.actor).await? {
        Some(known) => repeat(case, &speaker, &request, &person, known).await,
        None if tables.has_room_for_stamps().await? => {
            grant(case, &speaker, &request, &person, &note).await
        }
        None => {
            model::stranger_line!(
                warn,
                "quotes",
                "there are too many quotes to allow another one"
            );
            refuse(case, &speaker, &request, &person).await
        }
    }
}

/// The post that quotes must be the asker's own.
fn is_own_post(case: &Case<'_>, instrument: &Value) -> bool {
    let is_near = id_of(instrument).is_some_and(|iri| same_host(iri, case.actor));
    let author = match instrument {
        Value::Object(post) => post.get("attributedTo").and_then(id_of),
        // Only named: somebody else's on the same server gains nothing by it and loses nothing.
        _ => Some(case.actor),
    };
    is_near && author == Some(case.actor)
}

/// Our post, if it may be quoted.
async fn quotable(case: &Case<'_>, object: &str) -> Result<Option<StoredObject>, Stop> {
    if case.profile.is_private || !case.profile.allows_quotes {
        return Ok(None);
    }
    match case.our_note_named(object).await {
        Ok(note) => Ok(Some(note).filter(|note| note.iri == object && note.is_public)),
        Err(Stop::Ignored(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

async fn grant(
    case: &Case<'_>,
    speaker: &Profile,
    request: &QuoteRef,
    person: &Person,
    note: &StoredObject,
) -> Handled {
    let id = speaker.names.new_object();
    let proof = stamp(speaker, &id, &request.instrument, &note.iri);
    let accept = accept_quote(speaker, request, &id);
    let mut effects = answered(case, speaker, accept, person);
    effects.objects = vec![NewObject {
        iri: id.clone(),
        json: proof.json.to_string(),
        kind: ObjectKind::QuoteAuthorization,
        note: None,
        is_public: true,
        is_live_notification: false,
        at: case.now,
    }];
    effects.events = vec![Event::FediverseQuoted {
        actor: person.as_fact(),
        target: note.iri.clone(),
        url: request.instrument.clone(),
    }];
    let new = NewStamp {
        stamp: id,
        quote_post: request.instrument.clone(),
        quoted_post: note.iri.clone(),
        requester: request.actor.clone(),
        request_id: request.id.clone(),
    };
    case.shared.tables.grant(new, effects, case.now).await?;
    Ok(())
}

/// The same answer with the same stamp, and nobody is told again.
async fn repeat(
    case: &Case<'_>,
    speaker: &Profile,
    request: &QuoteRef,
    person: &Person,
    known: Stamp,
) -> Handled {
    let accept = accept_quote(speaker, request, &known.grant.stamp);
    let effects = answered(case, speaker, accept, person);
    case.shared
        .tables
        .grant(known.grant, effects, case.now)
        .await?;
    Ok(())
}

async fn refuse(
    case: &Case<'_>,
    speaker: &Profile,
    request: &QuoteRef,
    person: &Person,
) -> Handled {
    let effects = answered(case, speaker, reject_quote(speaker, request), person);
    case.shared.tables.send(effects, case.now).await?;
    Ok(())
}

fn answered(case: &Case<'_>, speaker: &Profile, answer: Activity, person: &Person) -> Effects {
    let mut effects = case.effects();
    effects.outgoing = vec![Outgoing {
        id: answer.id,
        json: answer.json.to_string(),
        kind: DeliveryKind::Quote,
        audience: Audience::Inbox(person.inbox.clone()),
        signer: case.profile.signer_of(speaker),
        expires_at: case.now + ANSWER_LIFE,
    }];
    effects
}
