//! Somebody asks to quote a post of ours (FEP-044f).

use model::Event;
use serde_json::Value;
use store::federation::{
    DeliveryAudience, DeliveryKind, Effects, NewObject, NewQuoteAuthorization, ObjectKind,
    OutgoingActivity, QuoteAuthorization, StoredObject,
};

use super::context::{ANSWER_LIFE, HandlerError, HandlerResult, InboxContext, ignored};
use crate::document::activity::{QuoteRef, accept_quote, quote_authorization, reject_quote};
use crate::document::{Activity, author_of};
use crate::profile::ActorProfile;
use crate::wire::{Person, id_of, same_host};

pub(super) async fn handle(context: &InboxContext<'_>) -> HandlerResult {
    // Each request costs a fetch of the requester and an answer.
    let (limits, uptime) = (&context.shared.limits, context.shared.clock.uptime());
    if !limits.may_ask_to_quote(context.actor, uptime) {
        return ignored("too many wishes to quote within an hour");
    }
    let handled = answer(context).await;
    if handled.is_ok() {
        limits.note_quote_request(context.actor, uptime);
    }
    handled
}

async fn answer(context: &InboxContext<'_>) -> HandlerResult {
    let instrument = context.activity.get("instrument");
    let (Some(object), Some(quote)) = (id_of(context.activity.object()), id_of(instrument)) else {
        return ignored("it is not said what quotes what");
    };
    let request = QuoteRef {
        id: context.id().to_owned(),
        actor: context.actor.to_owned(),
        object: object.to_owned(),
        instrument: quote.to_owned(),
    };
    let person = context.fetch_actor().await?;
    let eligible = match is_own_post(context, instrument) {
        true => quotable(context, object).await?,
        false => None,
    };
    let Some(note) = eligible else {
        return refuse(context, context.profile, &request, &person).await;
    };
    // Others look for the consent of the quoted post's author, under the name it had then.
    let speaker = context.profile.speaking_as(&author_of(&note));
    let tables = &context.shared.tables;
    // Neither asking again nor having somebody else ask restores a revoked authorization.
    if tables.is_quote_revoked(quote, &note.iri).await? {
        return refuse(context, &speaker, &request, &person).await;
    }
    match tables
        .quote_authorization_for(quote, &note.iri, context.actor)
        .await?
    {
        Some(known) => repeat(context, &speaker, &request, &person, known).await,
        None if tables.has_room_for_quote_authorizations().await? => {
            grant(context, &speaker, &request, &person, &note).await
        }
        None => {
            model::stranger_line!(
                warn,
                "quotes",
                "there are too many quotes to allow another one"
            );
            refuse(context, &speaker, &request, &person).await
        }
    }
}

/// The quoting post must be the requester's own.
fn is_own_post(context: &InboxContext<'_>, instrument: &Value) -> bool {
    let is_near = id_of(instrument).is_some_and(|iri| same_host(iri, context.actor));
    let author = match instrument {
        Value::Object(post) => post.get("attributedTo").and_then(id_of),
        // Given only by its id: naming somebody else's post on the same server gains nothing and costs nothing.
        _ => Some(context.actor),
    };
    is_near && author == Some(context.actor)
}

/// Our post, if it may be quoted.
async fn quotable(
    context: &InboxContext<'_>,
    object: &str,
) -> Result<Option<StoredObject>, HandlerError> {
    if context.profile.is_private || !context.profile.allows_quotes {
        return Ok(None);
    }
    match context.our_note_named(object).await {
        Ok(note) => Ok(Some(note).filter(|note| note.iri == object && note.is_public)),
        Err(HandlerError::Ignored(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

async fn grant(
    context: &InboxContext<'_>,
    speaker: &ActorProfile,
    request: &QuoteRef,
    person: &Person,
    note: &StoredObject,
) -> HandlerResult {
    let id = speaker.names.new_object();
    let proof = quote_authorization(speaker, &id, &request.instrument, &note.iri);
    let accept = accept_quote(speaker, request, &id);
    let mut effects = answered(context, speaker, accept, person);
    effects.objects = vec![NewObject {
        iri: id.clone(),
        json: proof.json.to_string(),
        kind: ObjectKind::QuoteAuthorization,
        note: None,
        is_public: true,
        is_live_notification: false,
        at: context.now,
    }];
    effects.events = vec![Event::FediverseQuoted {
        actor: person.as_fact(),
        target: note.iri.clone(),
        url: request.instrument.clone(),
    }];
    let new = NewQuoteAuthorization {
        iri: id,
        quote_post: request.instrument.clone(),
        quoted_post: note.iri.clone(),
        requester: request.actor.clone(),
        request_id: request.id.clone(),
    };
    context
        .shared
        .tables
        .grant(new, effects, context.now)
        .await?;
    Ok(())
}

/// Sends the same answer with the same authorization again, and announces nothing.
async fn repeat(
    context: &InboxContext<'_>,
    speaker: &ActorProfile,
    request: &QuoteRef,
    person: &Person,
    known: QuoteAuthorization,
) -> HandlerResult {
    let accept = accept_quote(speaker, request, &known.grant.iri);
    let effects = answered(context, speaker, accept, person);
    context
        .shared
        .tables
        .grant(known.grant, effects, context.now)
        .await?;
    Ok(())
}

async fn refuse(
    context: &InboxContext<'_>,
    speaker: &ActorProfile,
    request: &QuoteRef,
    person: &Person,
) -> HandlerResult {
    let effects = answered(context, speaker, reject_quote(speaker, request), person);
    context.shared.tables.send(effects, context.now).await?;
    Ok(())
}

fn answered(
    context: &InboxContext<'_>,
    speaker: &ActorProfile,
    answer: Activity,
    person: &Person,
) -> Effects {
    let mut effects = context.effects();
    effects.outgoing = vec![OutgoingActivity {
        id: answer.id,
        json: answer.json.to_string(),
        kind: DeliveryKind::Quote,
        audience: DeliveryAudience::Inbox(person.inbox.clone()),
        signer: context.profile.signer_of(speaker),
        expires_at: context.now + ANSWER_LIFE,
    }];
    effects
}
