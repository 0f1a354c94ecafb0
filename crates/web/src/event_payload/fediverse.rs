//! Payloads about what people on other servers did.

use model::Event;
use model::fediverse::{RemoteActor, RemotePost};
use serde::Serialize;

use super::EventAudience;

/// Kinds that bots can listen for and webhooks cannot ask for.
pub(crate) const SOCKET_KINDS: [&str; 5] = [LIKE, REPOST, QUOTE, REPLY, MENTION];

const FOLLOW: &str = "FEDIVERSE_ENGAGEMENT_FOLLOW";
const LIKE: &str = "FEDIVERSE_ENGAGEMENT_LIKE";
const REPOST: &str = "FEDIVERSE_ENGAGEMENT_REPOST";
const QUOTE: &str = "FEDIVERSE_ENGAGEMENT_QUOTE";
const REPLY: &str = "FEDIVERSE_REPLY";
const MENTION: &str = "FEDIVERSE_MENTION";

/// Whether only bots that may do everything receive this kind: it may contain posts addressed to the operator alone.
pub(crate) fn is_for_admins(kind: &str) -> bool {
    matches!(kind, QUOTE | REPLY | MENTION)
}

/// The part specific to such an event.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum FediverseDetail<'a> {
    Follow {
        name: &'a str,
        /// Without the leading `@`, as webhooks have always had it.
        username: &'a str,
        image: Option<&'a str>,
        /// The operator has yet to approve.
        pending: bool,
    },
    Engagement {
        actor: &'a RemoteActor,
        target: TargetPost<'a>,
    },
    Post(&'a RemotePost),
}

/// Our post that was liked, boosted or quoted.
#[derive(Debug, Serialize)]
pub(crate) struct TargetPost<'a> {
    url: &'a str,
}

pub(super) fn describe(
    event: &Event,
) -> Option<(&'static str, FediverseDetail<'_>, EventAudience)> {
    let engagement = |actor, target| FediverseDetail::Engagement {
        actor,
        target: TargetPost { url: target },
    };
    let told = match event {
        Event::FediverseFollowed { actor, is_pending } => {
            let follow = FediverseDetail::Follow {
                name: &actor.name,
                username: actor.handle.trim_start_matches('@'),
                image: actor.image.as_deref(),
                pending: *is_pending,
            };
            (FOLLOW, follow, EventAudience::Everybody)
        }
        Event::FediverseLiked { actor, target, .. } => {
            (LIKE, engagement(actor, target), EventAudience::Bots)
        }
        Event::FediverseReposted { actor, target, .. } => {
            (REPOST, engagement(actor, target), EventAudience::Bots)
        }
        Event::FediverseQuoted { actor, target, .. } => {
            (QUOTE, engagement(actor, target), EventAudience::Admins)
        }
        Event::FediverseReplied { post } => {
            (REPLY, FediverseDetail::Post(post), EventAudience::Admins)
        }
        Event::FediverseMentioned { post } => {
            (MENTION, FediverseDetail::Post(post), EventAudience::Admins)
        }
        // Raw activities are only for plugins.
        _ => return None,
    };
    Some(told)
}
