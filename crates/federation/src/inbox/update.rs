//! Somebody's profile has changed.

use super::context::{HandlerError, HandlerResult, InboxContext, ignored};
use crate::followers::follower_profile;
use crate::wire::{Person, has_type, id_of};

pub(super) async fn handle(context: &InboxContext<'_>) -> HandlerResult {
    if id_of(context.activity.object()) != Some(context.actor) {
        return ignored("somebody else's profile, or no profile");
    }
    let embedded = context.activity.embedded();
    if embedded.is_some_and(|object| !has_type(object, "Person")) {
        return ignored("only news of people are read");
    }
    let tables = &context.shared.tables;
    let is_follower = tables.follower(context.actor).await?.is_some();
    // A new key is the usual reason; a sender that signed with the old one gets no further.
    context.shared.keys.forget_owner(context.actor).await?;
    if !is_follower {
        return ignored("the actor follows us not, and its keys are forgotten");
    }
    let person = match embedded.map(Person::read) {
        Some(Ok(person)) => person,
        _ => refetched(context).await?,
    };
    let profile = follower_profile(&person);
    let (actor, effects) = (context.actor.to_owned(), context.effects());
    tables
        .update_follower(actor, profile, effects, context.now)
        .await?;
    Ok(())
}

/// The profile from their server, if it is a person's.
async fn refetched(context: &InboxContext<'_>) -> Result<Person, HandlerError> {
    let document = context.fetch(context.actor).await?;
    if !has_type(&document.object, "Person") {
        return ignored("only news of people are read");
    }
    Person::read(&document.object).or_else(|_| ignored("the actor's document is incomplete"))
}
