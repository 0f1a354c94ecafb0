//! Somebody liked or shared a post of ours.

use std::time::Duration;

use model::Event;
use store::federation::{Engagement, EngagementKind};

use super::context::{HandlerResult, InboxContext, ignored};

/// How old a post may be for people to be told that somebody liked it.
const MAX_AGE: Duration = Duration::from_secs(36 * 3600);

pub(super) async fn handle(context: &InboxContext<'_>, kind: EngagementKind) -> HandlerResult {
    let note = context.our_note(context.activity.object()).await?;
    if context.now > note.created_at + MAX_AGE {
        return ignored("the post is too old");
    }
    let actor = context.actor_fact().await?;
    let engagement = Engagement {
        object: note.iri.clone(),
        actor: context.actor.to_owned(),
        kind,
        activity_id: context.activity.id.clone(),
        at: context.now,
    };
    let (target, is_live_notification) = (note.iri, note.is_live_notification);
    let mut effects = context.effects();
    effects.events = vec![match kind {
        EngagementKind::Repost => Event::FediverseReposted {
            actor,
            target,
            is_live_notification,
        },
        _ => Event::FediverseLiked {
            actor,
            target,
            is_live_notification,
        },
    }];
    let tables = &context.shared.tables;
    tables
        .record_engagement(engagement, effects, context.now)
        .await?;
    Ok(())
}
