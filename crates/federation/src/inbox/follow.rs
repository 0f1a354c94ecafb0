//! Somebody wants to follow.

use model::Event;
use serde_json::json;
use store::federation::{
    Audience, DeliveryKind, Engagement, EngagementKind, Follower, FollowerState, NewFollower,
    Outgoing,
};

use super::case::{ANSWER_LIFE, Case, Handled, ignored};
use super::limits::FollowVerdict;
use crate::document::Activity;
use crate::document::activity::{FollowRef, accept_follow, reject_follow};
use crate::followers::follower_profile;
use crate::wire::{Person, id_of, is_directory, same_iri};

pub(super) async fn handle(case: &Case<'_>) -> Handled {
    let Some(object) = id_of(case.activity.object()) else {
        return ignored("the follow is of nobody");
    };
    if !case.is_us(object) {
        return ignored("the follow is of somebody else");
    }
    let uptime = case.shared.clock.uptime();
    let known = case.shared.tables.follower(case.actor).await?;
    let is_present_name = same_iri(object, &case.profile.names.actor());
    // Whoever follows may say so again, however often.
    let verdict = match &known {
        Some(_) if is_present_name => FollowVerdict::Welcome,
        _ => case.shared.limits.judge_follow(case.actor, uptime),
    };
    if verdict == FollowVerdict::Rejected {
        return ignored("this actor was told that it follows and unfollows too often");
    }
    let person = case.fetch_actor().await?;
    let follow = FollowRef {
        id: case.activity.id.clone(),
        actor: case.actor.to_owned(),
        object: object.to_owned(),
    };
    let former = case.profile.names.username_in(object);
    let former = former.filter(|_| !is_present_name);
    if verdict == FollowVerdict::Reject {
        refuse(case, &person, &follow, former).await?;
        case.shared.limits.note_rejection(case.actor);
        return Ok(());
    }
    if !is_present_name {
        refuse(case, &person, &follow, former).await?;
        case.shared.limits.note_follow(case.actor, uptime);
        return Ok(());
    }
    let is_new = known.is_none();
    store_follower(case, known, person, follow).await?;
    if is_new {
        case.shared.limits.note_follow(case.actor, uptime);
    }
    Ok(())
}

async fn store_follower(
    case: &Case<'_>,
    known: Option<Follower>,
    person: Person,
    follow: FollowRef,
) -> Handled {
    let is_marked = is_directory(&case.activity.json, &case.namespaces());
    let is_directory = known.as_ref().map_or(is_marked, |known| known.is_directory);
    let is_held = case.profile.is_private || is_directory;
    let state = match &known {
        Some(known) => known.state,
        None if is_held => FollowerState::Pending,
        None => FollowerState::Accepted,
    };
    let mut effects = case.effects();
    if state == FollowerState::Accepted {
        let presence = is_directory.then(|| case.shared.presence());
        let accept = accept_follow(case.profile, &follow, presence);
        effects.outgoing = vec![answer(case, accept, DeliveryKind::Accept, &person, None)];
    }
    if !is_directory {
        // Told of once for each actor, however often they come back.
        effects.engagement = Some(Engagement {
            object: case.profile.names.actor(),
            actor: case.actor.to_owned(),
            kind: EngagementKind::Follow,
            activity_id: case.activity.id.clone(),
            at: case.now,
        });
        effects.events = vec![Event::FediverseFollowed {
            actor: person.as_fact(),
            is_pending: state != FollowerState::Accepted,
        }];
    }
    let new = NewFollower {
        iri: case.actor.to_owned(),
        profile: follower_profile(&person),
        follow_id: case.id().to_owned(),
        follow_json: follow_json(&follow),
        is_directory,
    };
    let tables = &case.shared.tables;
    tables.add_follower(new, state, effects, case.now).await?;
    Ok(())
}

/// Somebody begins and ends too often; or the account has moved, and whoever follows its old name, which answers, is told
/// to look for the new one.
async fn refuse(
    case: &Case<'_>,
    person: &Person,
    follow: &FollowRef,
    former: Option<&str>,
) -> Handled {
    let signer = former.map(str::to_owned);
    let reject = reject_follow(case.profile, follow, None);
    let mut effects = case.effects();
    effects.outgoing = vec![answer(case, reject, DeliveryKind::Reject, person, signer)];
    case.shared.tables.send(effects, case.now).await?;
    Ok(())
}

fn answer(
    case: &Case<'_>,
    activity: Activity,
    kind: DeliveryKind,
    person: &Person,
    signer: Option<String>,
) -> Outgoing {
    Outgoing {
        id: activity.id,
        json: activity.json.to_string(),
        kind,
        audience: Audience::Inbox(person.inbox.clone()),
        signer,
        expires_at: case.now + ANSWER_LIFE,
    }
}

/// What an answer repeats of it, also one that is given much later.
fn follow_json(follow: &FollowRef) -> String {
    let json = json!({
        "id": follow.id,
        "type": "Follow",
        "actor": follow.actor,
        "object": follow.object,
    });
    json.to_string()
}
