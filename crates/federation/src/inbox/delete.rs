//! Somebody is gone, or something they wrote is.

use super::case::{Case, Handled, ignored};
use crate::wire::{id_of, same_host};

pub(super) async fn handle(case: &Case<'_>) -> Handled {
    let Some(object) = id_of(case.activity.object()) else {
        return ignored("nothing is deleted");
    };
    let tables = &case.shared.tables;
    let (actor, effects) = (case.actor.to_owned(), case.effects());
    if object == case.actor {
        case.shared.keys.forget_owner(case.actor).await?;
        tables.forget_actor(actor, effects, case.now).await?;
        return Ok(());
    }
    if !same_host(object, case.actor) {
        return ignored("what is deleted is on another server");
    }
    let post = object.to_owned();
    tables
        .delete_inbound_post(post, actor, effects, case.now)
        .await?;
    Ok(())
}
