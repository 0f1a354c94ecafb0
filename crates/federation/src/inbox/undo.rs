//! Somebody takes something back.

use serde_json::{Map, Value};
use store::federation::EngagementKind;

use super::case::{Case, Handled, ignored};
use crate::wire::{Kind, id_of, types_of};

pub(super) async fn handle(case: &Case<'_>) -> Handled {
    match case.activity.embedded() {
        Some(object) => undo_embedded(case, object).await,
        None => undo_named(case).await,
    }
}

async fn undo_embedded(case: &Case<'_>, object: &Map<String, Value>) -> Handled {
    let by_another = object
        .get("actor")
        .is_some_and(|actor| id_of(actor) != Some(case.actor));
    if by_another {
        return ignored("what is taken back was done by somebody else");
    }
    let tables = &case.shared.tables;
    let (actor, effects, now) = (case.actor.to_owned(), case.effects(), case.now);
    let id = object.get("id").and_then(Value::as_str).map(str::to_owned);
    let target = object.get("object").and_then(id_of);
    let is_us = target.is_some_and(|target| case.is_us(target));
    match types_of(object).find_map(Kind::parse) {
        // Whoever moved with us follows the new name first and takes back the old one then.
        Some(Kind::Follow) if is_us && !target.is_some_and(|target| case.is_present(target)) => {
            let Some(id) = id else {
                return ignored("the follow of a former name that is taken back has no id");
            };
            tables.undo_activity(actor, id, effects, now).await?;
        }
        Some(Kind::Follow) if is_us => {
            tables.undo_follow(actor, id, effects, now).await?;
        }
        Some(Kind::Block) if is_us => {
            tables.clear_blocked_by(actor, effects, now).await?;
        }
        Some(kind @ (Kind::Like | Kind::EmojiReact | Kind::Announce)) => {
            let kind = match kind {
                Kind::Announce => EngagementKind::Repost,
                _ => EngagementKind::Like,
            };
            let note = case
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

async fn undo_named(case: &Case<'_>) -> Handled {
    let Some(id) = id_of(case.activity.object()) else {
        return ignored("nothing is taken back");
    };
    let tables = &case.shared.tables;
    let (actor, id) = (case.actor.to_owned(), id.to_owned());
    tables
        .undo_activity(actor, id, case.effects(), case.now)
        .await?;
    Ok(())
}
