//! Blocks, moves and complaints: reported to the operator; nothing is done automatically.

use store::federation::NewAbuseReport;

use super::context::{HandlerResult, InboxContext, ignored};
use crate::wire::{html, id_of, list_of, plain, plain_text, text_of, web_url};

/// Characters kept of a complaint.
const MAX_REPORT_CHARS: usize = 5000;
/// Things of ours a complaint can name; the rest is left out.
const MAX_REPORTED: usize = 32;

/// Somebody blocks us.
pub(super) async fn block(context: &InboxContext<'_>) -> HandlerResult {
    let is_us = id_of(context.activity.object()).is_some_and(|iri| context.is_us(iri));
    if !is_us {
        return ignored("somebody else is blocked");
    }
    let (actor, effects) = (context.actor.to_owned(), context.effects());
    context
        .shared
        .tables
        .note_blocked_by(actor, effects, context.now)
        .await?;
    Ok(())
}

/// An account has moved. A follower has to follow again by themselves; if it is a featured server, the operator is
/// told.
pub(super) async fn moved(context: &InboxContext<'_>) -> HandlerResult {
    let target = id_of(context.activity.get("target")).and_then(web_url);
    let is_own = id_of(context.activity.object()) == Some(context.actor);
    let Some(target) = target.filter(|_| is_own) else {
        return ignored("nobody moves anywhere");
    };
    let (actor, effects) = (context.actor.to_owned(), context.effects());
    let tables = &context.shared.tables;
    tables
        .note_server_moved(actor, target, effects, context.now)
        .await?;
    Ok(())
}

/// Somebody reports us, usually a server on behalf of a user it does not name.
pub(super) async fn flag(context: &InboxContext<'_>) -> HandlerResult {
    let named = list_of(context.activity.json.get("object")).iter();
    let named = named.filter_map(id_of);
    let ours = named.filter(|iri| context.is_us(iri) || context.profile.names.is_ours(iri));
    let objects: Vec<String> = ours
        .take(MAX_REPORTED)
        .map(|iri| plain(iri, 2048))
        .collect();
    if objects.is_empty() {
        return ignored("a complaint about somebody else");
    }
    let content =
        text_of(&context.activity.json, "content").map(|text| plain_text(&html(&text.value)));
    let report = NewAbuseReport {
        iri: context.activity.id.clone(),
        actor: context.actor.to_owned(),
        content: content
            .unwrap_or_default()
            .chars()
            .take(MAX_REPORT_CHARS)
            .collect(),
        objects,
    };
    context
        .shared
        .tables
        .add_report(report, context.effects(), context.now)
        .await?;
    Ok(())
}
