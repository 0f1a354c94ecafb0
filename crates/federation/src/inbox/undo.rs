//! Somebody undoes an earlier activity.

use serde_json::{Map, Value};
use store::federation::EngagementKind;

use super::context::{HandlerResult, InboxContext, ignored};
use crate::wire::{ActivityKind, id_of, types_of};

pub(super) async fn handle(context: &InboxContext<'_>) -> HandlerResult {
    match context.activity.embedded() {
        Some(object) => undo_embedded(context, object).await,
        None => undo_named(context).await,
    }
}

async fn undo_embedded(context: &InboxContext<'_>, object: &Map<String, Value>) -> HandlerResult {
    let by_another = object
        .get("actor")
        .is_some_and(|actor| id_of(actor) != Some(context.actor));
    if by_another {
        return ignored("what is taken back was done by somebody else");
    }
    let tables = &context.shared.tables;
    let (actor, effects, now) = (context.actor.to_owned(), context.effects(), context.now);
    let id = object.get("id").and_then(Value::as_str).map(str::to_owned);
    let target = object.get("object").and_then(id_of);
    let is_us = target.is_some_and(|target| context.is_us(target));
    match types_of(object).find_map(ActivityKind::parse) {
        // Followers who move along follow the new name first and then undo their follow of the old one.
        Some(ActivityKind::Follow)
            if is_us && !target.is_some_and(|target| context.is_present(target)) =>
        {
            let Some(id) = id else {
                return ignored("the follow of a former name that is taken back has no id");
            };
            tables.undo_activity(actor, id, effects, now).await?;
        }
        Some(ActivityKind::Follow) if is_us => {
            tables.undo_follow(actor, id, effects, now).await?;
        }
        Some(ActivityKind::Block) if is_us => {
            tables.clear_blocked_by(actor, effects, now).await?;
        }
        Some(kind @ (ActivityKind::Like | ActivityKind::EmojiReact | ActivityKind::Announce)) => {
            let kind = match kind {
                ActivityKind::Announce => EngagementKind::Repost,
                _ => EngagementKind::Like,
            };
            let note = context
                .our_note(object.get("object").unwrap_or(&Value::Null))
                .await?;
            tables
                .undo_engagement(note.iri, actor, kind, effects, now)
                .await?;
        }
        _ => return ignored("what is taken back is nothing of ours"),
    }
    Ok(())
}

async fn undo_named(context: &InboxContext<'_>) -> HandlerResult {
    let Some(id) = id_of(context.activity.object()) else {
        return ignored("nothing is taken back");
    };
    let tables = &context.shared.tables;
    let (actor, id) = (context.actor.to_owned(), id.to_owned());
    tables
        .undo_activity(actor, id, context.effects(), context.now)
        .await?;
    Ok(())
}
