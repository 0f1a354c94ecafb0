//! Adds, accepts, blocks and updates followers.

use jiff::Timestamp;

use super::leaving::{cancel_for, delete_row};
use super::{FollowResult, FollowerProfile, FollowerState, NewFollower, state_of};
use crate::error::StoreError;
use crate::federation::seen::is_undone;
use crate::federation::{ChangeResult, Effects, FederationTables, host_of};
use crate::writer::Tx;

impl FederationTables {
    /// Stores a follower. An existing follower keeps their state, and the Follow is replaced; the caller decides what
    /// to send and log, and knows the existing state from [`FederationTables::follower`].
    pub async fn add_follower(
        &self,
        new: NewFollower,
        state: FollowerState,
        effects: Effects,
        at: Timestamp,
    ) -> Result<FollowResult, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                if is_undone(&mut *tx, &new.follow_id, &new.iri, at).await? {
                    return Ok((FollowResult::Undone, ChangeResult::Nothing));
                }
                match state_of(&mut *tx, &new.iri).await? {
                    Some(FollowerState::Blocked) => {
                        Ok((FollowResult::Blocked, ChangeResult::Nothing))
                    }
                    Some(known) => {
                        refresh(&mut *tx, &new).await?;
                        Ok((FollowResult::Known(known), ChangeResult::Done))
                    }
                    None => {
                        insert(tx, &new, state, at).await?;
                        Ok((FollowResult::New, ChangeResult::Done))
                    }
                }
            })
        })
        .await
    }

    /// Changes the state of a follower. For a blocked one, deliveries that wait for them alone are cancelled. False if
    /// there is no such follower or nothing to change: then nothing is sent either.
    pub async fn set_follower_state(
        &self,
        iri: String,
        state: FollowerState,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let known = state_of(&mut *tx, &iri).await?;
                if known.is_none_or(|known| known == state) {
                    return Ok((false, ChangeResult::Nothing));
                }
                if state == FollowerState::Blocked {
                    cancel_for(&mut *tx, &iri).await?;
                }
                let moment = at.as_millisecond();
                sqlx::query(
                    "UPDATE ap_followers SET state = $2, approved_at = $3, disabled_at = $4 WHERE iri = $1",
                )
                .bind(iri)
                .bind(state.as_str())
                .bind((state == FollowerState::Accepted).then_some(moment))
                .bind((state == FollowerState::Blocked).then_some(moment))
                .execute(tx)
                .await?;
                Ok((true, ChangeResult::Done))
            })
        })
        .await
    }

    /// Unblocks an actor, who may follow again. False if they are not blocked.
    pub async fn unblock_follower(
        &self,
        iri: String,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let is_blocked = state_of(&mut *tx, &iri).await? == Some(FollowerState::Blocked);
                if is_blocked {
                    delete_row(tx, &iri).await?;
                }
                Ok((is_blocked, ChangeResult::when(is_blocked)))
            })
        })
        .await
    }

    /// Updates a follower's profile; false if there is no such follower.
    pub async fn update_follower(
        &self,
        iri: String,
        profile: FollowerProfile,
        effects: Effects,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(effects, at, move |tx| {
            Box::pin(async move {
                let is_known = set_profile(tx, &iri, &profile).await?;
                Ok((is_known, ChangeResult::when(is_known)))
            })
        })
        .await
    }
}

async fn set_profile(
    tx: &mut Tx,
    iri: &str,
    profile: &FollowerProfile,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE ap_followers SET inbox = $2, shared_inbox = $3, username = $4, handle = $5, name = $6, url = $7, \
         image = $8 WHERE iri = $1",
    )
    .bind(iri.to_owned())
    .bind(profile.inbox.clone())
    .bind(profile.shared_inbox.clone())
    .bind(profile.username.clone())
    .bind(profile.handle.clone())
    .bind(profile.name.clone())
    .bind(profile.url.clone())
    .bind(profile.image.clone())
    .execute(tx)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn refresh(tx: &mut Tx, new: &NewFollower) -> Result<(), StoreError> {
    set_profile(&mut *tx, &new.iri, &new.profile).await?;
    sqlx::query("UPDATE ap_followers SET follow_id = $2, follow_json = $3 WHERE iri = $1")
        .bind(new.iri.clone())
        .bind(new.follow_id.clone())
        .bind(new.follow_json.clone())
        .execute(tx)
        .await?;
    Ok(())
}

async fn insert(
    tx: &mut Tx,
    new: &NewFollower,
    state: FollowerState,
    at: Timestamp,
) -> Result<(), StoreError> {
    let moment = at.as_millisecond();
    sqlx::query(
        "INSERT INTO ap_followers (iri, host, inbox, shared_inbox, username, handle, name, url, image, follow_id, \
         follow_json, is_directory, state, created_at, approved_at, disabled_at, validated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $14)",
    )
    .bind(new.iri.clone())
    .bind(host_of(&new.iri))
    .bind(new.profile.inbox.clone())
    .bind(new.profile.shared_inbox.clone())
    .bind(new.profile.username.clone())
    .bind(new.profile.handle.clone())
    .bind(new.profile.name.clone())
    .bind(new.profile.url.clone())
    .bind(new.profile.image.clone())
    .bind(new.follow_id.clone())
    .bind(new.follow_json.clone())
    .bind(i64::from(new.is_directory))
    .bind(state.as_str())
    .bind(moment)
    .bind((state == FollowerState::Accepted).then_some(moment))
    .bind((state == FollowerState::Blocked).then_some(moment))
    .execute(tx)
    .await?;
    Ok(())
}
