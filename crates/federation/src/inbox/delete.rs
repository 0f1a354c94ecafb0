//! Somebody deleted their account or a post.

use super::context::{HandlerResult, InboxContext, ignored};
use crate::wire::{id_of, same_host};

pub(super) async fn handle(context: &InboxContext<'_>) -> HandlerResult {
    let Some(object) = id_of(context.activity.object()) else {
        return ignored("nothing is deleted");
    };
    let tables = &context.shared.tables;
    let (actor, effects) = (context.actor.to_owned(), context.effects());
    if object == context.actor {
        context.shared.keys.forget_owner(context.actor).await?;
        tables.forget_actor(actor, effects, context.now).await?;
        return Ok(());
    }
    if !same_host(object, context.actor) {
        return ignored("what is deleted is on another server");
    }
    let post = object.to_owned();
    tables
        .delete_inbound_post(post, actor, effects, context.now)
        .await?;
    Ok(())
}
