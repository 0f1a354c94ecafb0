//! Somebody liked a post of ours or showed it to others.

use std::time::Duration;

use model::Event;
use store::federation::{Engagement, EngagementKind};

use super::case::{Case, Handled, ignored};

/// How old a post may be for people to be told that somebody liked it.
const MAX_AGE: Duration = Duration::from_secs(36 * 3600);

pub(super) async fn handle(case: &Case<'_>, kind: EngagementKind) -> Handled {
    let note = case.our_note(case.activity.object()).await?;
    if case.now > note.created_at + MAX_AGE {
        return ignored("the post is too old");
    }
    let actor = case.actor_fact().await?;
    let engagement = Engagement {
        object: note.iri.clone(),
        actor: case.actor.to_owned(),
        kind,
        activity_id: case.activity.id.clone(),
        at: case.now,
    };
    let (target, is_live_notification) = (note.iri, note.is_live_notification);
    let mut effects = case.effects();
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
    let tables = &case.shared.tables;
    tables
        .record_engagement(engagement, effects, case.now)
        .await?;
    Ok(())
}
