//! Somebody's profile has changed.

use super::case::{Case, Handled, Stop, ignored};
use crate::followers::follower_profile;
use crate::wire::{Person, has_type, id_of};

pub(super) async fn handle(case: &Case<'_>) -> Handled {
    if id_of(case.activity.object()) != Some(case.actor) {
        return ignored("somebody else's profile, or no profile");
    }
    let embedded = case.activity.embedded();
    if embedded.is_some_and(|object| !has_type(object, "Person")) {
        return ignored("only news of people are read");
    }
    let tables = &case.shared.tables;
    let is_follower = tables.follower(case.actor).await?.is_some();
    // A new key is the usual reason; whoever has signed with the old one gets no further.
    case.shared.keys.forget_owner(case.actor).await?;
    if !is_follower {
        return ignored("the actor follows us not, and its keys are forgotten");
    }
    let person = match embedded.map(Person::read) {
        Some(Ok(person)) => person,
        _ => refetched(case).await?,
    };
    let profile = follower_profile(&person);
    let (actor, effects) = (case.actor.to_owned(), case.effects());
    tables
        .update_follower(actor, profile, effects, case.now)
        .await?;
    Ok(())
}

/// The profile as their server has it, if it is a person's.
async fn refetched(case: &Case<'_>) -> Result<Person, Stop> {
    let document = case.fetch(case.actor).await?;
    if !has_type(&document.object, "Person") {
        return ignored("only news of people are read");
    }
    Person::read(&document.object).or_else(|_| ignored("the actor's document is incomplete"))
}
