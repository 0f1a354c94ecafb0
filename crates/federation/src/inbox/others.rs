//! Blocks, moves and complaints: what the operator should know, and nothing that is done by itself.

use store::federation::NewReport;

use super::case::{Case, Handled, ignored};
use crate::wire::{html, id_of, list_of, plain, plain_text, text_of, web_url};

/// Characters kept of a complaint.
const MAX_REPORT_CHARS: usize = 5000;
/// Things of ours a complaint can name; the rest is left out.
const MAX_REPORTED: usize = 32;

/// Somebody wants nothing from us.
pub(super) async fn block(case: &Case<'_>) -> Handled {
    let is_us = id_of(case.activity.object()).is_some_and(|iri| case.is_us(iri));
    if !is_us {
        return ignored("somebody else is blocked");
    }
    let (actor, effects) = (case.actor.to_owned(), case.effects());
    case.shared
        .tables
        .note_blocked_by(actor, effects, case.now)
        .await?;
    Ok(())
}

/// Somebody is now somebody else. A follower has to follow again by themselves; of a server the operator is told.
pub(super) async fn moved(case: &Case<'_>) -> Handled {
    let target = id_of(case.activity.get("target")).and_then(web_url);
    let is_own = id_of(case.activity.object()) == Some(case.actor);
    let Some(target) = target.filter(|_| is_own) else {
        return ignored("nobody moves anywhere");
    };
    let (actor, effects) = (case.actor.to_owned(), case.effects());
    let tables = &case.shared.tables;
    tables
        .note_server_moved(actor, target, effects, case.now)
        .await?;
    Ok(())
}

/// Somebody complains about us, mostly a server in the name of somebody it does not tell.
pub(super) async fn flag(case: &Case<'_>) -> Handled {
    let named = list_of(case.activity.json.get("object")).iter();
    let named = named.filter_map(id_of);
    let ours = named.filter(|iri| case.is_us(iri) || case.profile.names.is_ours(iri));
    let objects: Vec<String> = ours
        .take(MAX_REPORTED)
        .map(|iri| plain(iri, 2048))
        .collect();
    if objects.is_empty() {
        return ignored("a complaint about somebody else");
    }
    let content =
        text_of(&case.activity.json, "content").map(|text| plain_text(&html(&text.value)));
    let report = NewReport {
        iri: case.activity.id.clone(),
        actor: case.actor.to_owned(),
        content: content
            .unwrap_or_default()
            .chars()
            .take(MAX_REPORT_CHARS)
            .collect(),
        objects,
    };
    case.shared
        .tables
        .add_report(report, case.effects(), case.now)
        .await?;
    Ok(())
}
