//! Somebody wants to follow.

use model::Event;
use serde_json::json;
use store::federation::{
    DeliveryAudience, DeliveryKind, Engagement, EngagementKind, Follower, FollowerState,
    NewFollower, OutgoingActivity,
};

use super::context::{ANSWER_LIFE, HandlerResult, InboxContext, ignored};
use super::limits::FollowVerdict;
use crate::document::Activity;
use crate::document::activity::{FollowRef, accept_follow, reject_follow};
use crate::followers::follower_profile;
use crate::wire::{Person, id_of, is_directory, same_iri};

pub(super) async fn handle(context: &InboxContext<'_>) -> HandlerResult {
    let Some(object) = id_of(context.activity.object()) else {
        return ignored("the follow is of nobody");
    };
    if !context.is_us(object) {
        return ignored("the follow is of somebody else");
    }
    let uptime = context.shared.clock.uptime();
    let known = context.shared.tables.follower(context.actor).await?;
    let is_present_name = same_iri(object, &context.profile.names.actor());
    // A follower may send another Follow, however often.
    let verdict = match &known {
        Some(_) if is_present_name => FollowVerdict::Welcome,
        _ => context.shared.limits.judge_follow(context.actor, uptime),
    };
    if verdict == FollowVerdict::Rejected {
        return ignored("this actor was told that it follows and unfollows too often");
    }
    let person = context.fetch_actor().await?;
    let follow = FollowRef {
        id: context.activity.id.clone(),
        actor: context.actor.to_owned(),
        object: object.to_owned(),
    };
    let former = context.profile.names.username_in(object);
    let former = former.filter(|_| !is_present_name);
    if verdict == FollowVerdict::Reject {
        refuse(context, &person, &follow, former).await?;
        context.shared.limits.note_rejection(context.actor);
        return Ok(());
    }
    if !is_present_name {
        refuse(context, &person, &follow, former).await?;
        context.shared.limits.note_follow(context.actor, uptime);
        return Ok(());
    }
    let is_new = known.is_none();
    store_follower(context, known, person, follow).await?;
    if is_new {
        context.shared.limits.note_follow(context.actor, uptime);
    }
    Ok(())
}

async fn store_follower(
    context: &InboxContext<'_>,
    known: Option<Follower>,
    person: Person,
    follow: FollowRef,
) -> HandlerResult {
    let is_marked = is_directory(&context.activity.json, &context.namespaces());
    let is_directory = known.as_ref().map_or(is_marked, |known| known.is_directory);
    let is_held = context.profile.is_private || is_directory;
    let state = match &known {
        Some(known) => known.state,
        None if is_held => FollowerState::Pending,
        None => FollowerState::Accepted,
    };
    let mut effects = context.effects();
    if state == FollowerState::Accepted {
        let presence = is_directory.then(|| context.shared.presence());
        let accept = accept_follow(context.profile, &follow, presence);
        effects.outgoing = vec![answer(context, accept, DeliveryKind::Accept, &person, None)];
    }
    if !is_directory {
        // Announced once per actor, however often they come back.
        effects.engagement = Some(Engagement {
            object: context.profile.names.actor(),
            actor: context.actor.to_owned(),
            kind: EngagementKind::Follow,
            activity_id: context.activity.id.clone(),
            at: context.now,
        });
        effects.events = vec![Event::FediverseFollowed {
            actor: person.as_fact(),
            is_pending: state != FollowerState::Accepted,
        }];
    }
    let new = NewFollower {
        iri: context.actor.to_owned(),
        profile: follower_profile(&person),
        follow_id: context.id().to_owned(),
        follow_json: follow_json(&follow),
        is_directory,
    };
    let tables = &context.shared.tables;
    tables
        .add_follower(new, state, effects, context.now)
        .await?;
    Ok(())
}

/// Refuses a follow: the actor follows and unfollows too often; or the account has moved, and the old name, which
/// answers, points to the new one.
async fn refuse(
    context: &InboxContext<'_>,
    person: &Person,
    follow: &FollowRef,
    former: Option<&str>,
) -> HandlerResult {
    let signer = former.map(str::to_owned);
    let reject = reject_follow(context.profile, follow, None);
    let mut effects = context.effects();
    effects.outgoing = vec![answer(
        context,
        reject,
        DeliveryKind::Reject,
        person,
        signer,
    )];
    context.shared.tables.send(effects, context.now).await?;
    Ok(())
}

fn answer(
    context: &InboxContext<'_>,
    activity: Activity,
    kind: DeliveryKind,
    person: &Person,
    signer: Option<String>,
) -> OutgoingActivity {
    OutgoingActivity {
        id: activity.id,
        json: activity.json.to_string(),
        kind,
        audience: DeliveryAudience::Inbox(person.inbox.clone()),
        signer,
        expires_at: context.now + ANSWER_LIFE,
    }
}

/// What an answer repeats of the Follow, even one given much later.
fn follow_json(follow: &FollowRef) -> String {
    let json = json!({
        "id": follow.id,
        "type": "Follow",
        "actor": follow.actor,
        "object": follow.object,
    });
    json.to_string()
}
