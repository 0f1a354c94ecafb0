//! The operator's decisions about followers.
//!
//! The operator approves or refuses pending followers, removes or blocks followers, and readmits blocked ones. Each
//! decision is sent to the follower's server in the same transaction: an Accept makes the follow real there, a Reject
//! ends it. Directories also learn the status of the stream.
//! follow real there, a Reject ends it. Directories also learn how the stream is.

use std::time::Duration;

use store::StoreError;
use store::federation::{
    DeliveryAudience, DeliveryKind, Effects, Follower, FollowerProfile, FollowerState,
    OutgoingActivity,
};

use crate::document::activity::{self, Activity, FollowRef};
use crate::wire::Person;
use crate::{Federation, Unready};

/// How long a decision is tried to be delivered; then the other server has to ask again.
pub(crate) const ANSWER_LENGTH: Duration = Duration::from_secs(7 * 24 * 3600);

/// Why a decision was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum FollowerError {
    /// There is no such follower.
    #[error("there is no follower of this address")]
    Unknown,
    /// The stream has no name in the Fediverse.
    #[error(transparent)]
    Unready(#[from] Unready),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Federation {
    /// Approves a follower who is pending or blocked.
    pub async fn approve_follower(&self, iri: &str) -> Result<(), FollowerError> {
        let follower = self.known_follower(iri).await?;
        if follower.state == FollowerState::Accepted {
            return Ok(());
        }
        let answer = self.answer(&follower, FollowAnswer::Accept).await?;
        self.decide(&follower, FollowerState::Accepted, answer)
            .await
    }

    /// Refuses a pending follower or ends a follow; both hold until the follower is approved.
    pub async fn block_follower(&self, iri: &str) -> Result<(), FollowerError> {
        let follower = self.known_follower(iri).await?;
        if follower.state == FollowerState::Blocked {
            return Ok(());
        }
        let answer = self.answer(&follower, FollowAnswer::Reject).await?;
        self.decide(&follower, FollowerState::Blocked, answer).await
    }

    /// Ends a follow, or a request to follow; they may ask again.
    pub async fn remove_follower(&self, iri: &str) -> Result<(), FollowerError> {
        let follower = self.known_follower(iri).await?;
        let (tables, iri) = (&self.0.tables, follower.iri.clone());
        let now = self.0.clock.now();
        let is_removed = match follower.state {
            // They were told when they were blocked.
            FollowerState::Blocked => {
                let nothing = Effects::default();
                tables.unblock_follower(iri, nothing, now).await?
            }
            FollowerState::Pending | FollowerState::Accepted => {
                let effects = self.answer(&follower, FollowAnswer::Reject).await?;
                tables.remove_follower(iri, effects, now).await?
            }
        };
        match is_removed {
            true => Ok(()),
            false => Err(FollowerError::Unknown),
        }
    }

    async fn known_follower(&self, iri: &str) -> Result<Follower, FollowerError> {
        let follower = self.0.tables.follower(iri).await?;
        follower.ok_or(FollowerError::Unknown)
    }

    async fn decide(
        &self,
        follower: &Follower,
        state: FollowerState,
        effects: Effects,
    ) -> Result<(), FollowerError> {
        let (tables, iri) = (&self.0.tables, follower.iri.clone());
        let now = self.0.clock.now();
        // False means that the same decision was made concurrently.
        tables.set_follower_state(iri, state, effects, now).await?;
        Ok(())
    }

    /// The activity sent to the follower's server.
    async fn answer(
        &self,
        follower: &Follower,
        answer: FollowAnswer,
    ) -> Result<Effects, FollowerError> {
        let profile = self.known_profile().await?;
        let follow = follow_of(follower, &profile.names.actor());
        let presence = follower.is_directory.then(|| self.0.presence());
        let (activity, kind) = match answer {
            FollowAnswer::Accept => (
                activity::accept_follow(&profile, &follow, presence),
                DeliveryKind::Accept,
            ),
            FollowAnswer::Reject => (
                activity::reject_follow(&profile, &follow, presence),
                DeliveryKind::Reject,
            ),
        };
        let mut effects = self.to_inbox(&activity, kind, &follower.profile.inbox, ANSWER_LENGTH);
        // The account they follow answers, even if it has another name by now.
        let asked = profile.names.username_in(&follow.object);
        let former = asked.filter(|name| *name != profile.names.username());
        for outgoing in &mut effects.outgoing {
            outgoing.signer = former.map(str::to_owned);
        }
        Ok(effects)
    }

    /// A delivery to one inbox.
    pub(crate) fn to_inbox(
        &self,
        activity: &Activity,
        kind: DeliveryKind,
        inbox: &str,
        length: Duration,
    ) -> Effects {
        Effects {
            outgoing: vec![self.outgoing_activity(activity, kind, inbox, length)],
            ..Effects::default()
        }
    }

    /// The activity in the form the delivery queue takes.
    pub(crate) fn outgoing_activity(
        &self,
        activity: &Activity,
        kind: DeliveryKind,
        inbox: &str,
        length: Duration,
    ) -> OutgoingActivity {
        OutgoingActivity {
            id: activity.id.clone(),
            json: activity.json.to_string(),
            kind,
            audience: DeliveryAudience::Inbox(inbox.to_owned()),
            signer: None,
            expires_at: self.0.clock.now() + length,
        }
    }
}

#[derive(Clone, Copy)]
enum FollowAnswer {
    Accept,
    Reject,
}

/// The Follow to answer, with values as received.
fn follow_of(follower: &Follower, ours: &str) -> FollowRef {
    let sent = serde_json::from_str::<serde_json::Value>(&follower.follow_json);
    let sent = sent.unwrap_or_default();
    let text = |name: &str| sent.get(name).and_then(serde_json::Value::as_str);
    FollowRef {
        id: Some(follower.follow_id.clone()).filter(|id| !id.is_empty()),
        actor: follower.iri.clone(),
        object: text("object").unwrap_or(ours).to_owned(),
    }
}

/// A remote actor in the form followers are stored.
pub(crate) fn follower_profile(person: &Person) -> FollowerProfile {
    FollowerProfile {
        inbox: person.inbox.clone(),
        shared_inbox: person.shared_inbox.clone(),
        username: person.username.clone(),
        handle: person.handle(),
        name: person.name.clone(),
        url: Some(person.url.clone()),
        image: person.image.clone(),
    }
}
