//! Periodic upkeep: servers that fall silent, followers that are gone, domains that were blocked.

use std::time::Duration;

use jiff::Timestamp;
use model::settings::table::federation::ENABLED;
use store::StoreError;
use store::federation::{Effects, Follower, FollowerAbsence, ValidationResult};
use tokio_util::sync::CancellationToken;

use crate::Federation;
use crate::followers::follower_profile;

/// A server that was live and is not heard of for this long is over: two pings missed, and a minute.
pub const SILENCE: Duration = Duration::from_secs(11 * 60);
/// Between looks for silent servers.
const SWEEP_EVERY: Duration = Duration::from_secs(60);
/// Between looks at followers.
const VALIDATE_EVERY: Duration = Duration::from_secs(3600);
/// Followers looked at each time; the others have their turn later.
const VALIDATED_AT_ONCE: u32 = 5;
/// One that was not found is looked at again after this time, also when there are many others: so that it is known of
/// several days, and not of two.
const AWAY_EVERY: Duration = Duration::from_secs(20 * 3600);
/// Between two of them, so that nobody is knocked at in bursts.
const VALIDATION_PAUSE: Duration = Duration::from_secs(2);
/// Limit (fediverse): time a follower cannot be found on [`DAYS_LOOKED_AT`] different days; then it is removed.
const PATIENCE: Duration = Duration::from_secs(7 * 24 * 3600);
/// See [`PATIENCE`].
const DAYS_LOOKED_AT: i64 = 5;
/// If so many of the newest deliveries all failed it may be our own network that is down, and nobody is removed.
const DELIVERIES_ASKED: u32 = 20;

/// Sweeps, validates, and clears the data of newly blocked domains, until `stop`.
pub async fn run(federation: Federation, stop: CancellationToken) {
    let work = async {
        tokio::join!(
            sweep_for_ever(&federation),
            validate_for_ever(&federation),
            federation.clear_blocked_for_ever(),
        );
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = work => {}
    }
}

/// Waits one whole window after a start: we missed whatever was sent while we were down.
async fn sweep_for_ever(federation: &Federation) {
    let clock = &federation.0.clock;
    clock.sleep_until(clock.now() + SILENCE).await;
    loop {
        if let Err(error) = federation.sweep().await {
            tracing::warn!(%error, "cannot look for silent servers");
        }
        clock.sleep_until(clock.now() + SWEEP_EVERY).await;
    }
}

async fn validate_for_ever(federation: &Federation) {
    let clock = &federation.0.clock;
    loop {
        clock.sleep_until(clock.now() + VALIDATE_EVERY).await;
        if let Err(error) = federation.validate_followers().await {
            tracing::warn!(%error, "cannot check the followers");
        }
    }
}

impl Federation {
    /// Marks live servers that have fallen silent as offline.
    pub async fn sweep(&self) -> Result<(), StoreError> {
        let now = self.0.clock.now();
        let silent = self.0.tables.sweep_servers(now - SILENCE).await?;
        if silent > 0 {
            tracing::info!(servers = silent, "featured servers have fallen silent");
        }
        Ok(())
    }

    /// Validates the followers that have gone unchecked the longest.
    pub async fn validate_followers(&self) -> Result<(), StoreError> {
        let is_on = *self.0.settings.now().get(&ENABLED);
        if !is_on || self.0.tables.is_all_failing(DELIVERIES_ASKED).await? {
            return Ok(());
        }
        let (clock, tables) = (&self.0.clock, &self.0.tables);
        let now = clock.now();
        let mut due = tables
            .followers_away(VALIDATED_AT_ONCE, now - AWAY_EVERY)
            .await?;
        let others = tables
            .followers_to_validate(VALIDATED_AT_ONCE, now - VALIDATE_EVERY)
            .await?;
        let is_new = |other: &Follower| !due.iter().any(|one| one.iri == other.iri);
        let others: Vec<_> = others.into_iter().filter(is_new).collect();
        due.extend(others);
        let mut is_first = true;
        for follower in due {
            if !std::mem::take(&mut is_first) {
                clock.sleep_until(clock.now() + VALIDATION_PAUSE).await;
            }
            self.validate(&follower, clock.now()).await?;
        }
        Ok(())
    }

    async fn validate(&self, follower: &Follower, now: Timestamp) -> Result<(), StoreError> {
        let (tables, iri) = (&self.0.tables, follower.iri.clone());
        match self.person(&follower.iri).await {
            Ok(person) => {
                tables
                    .update_follower(
                        iri.clone(),
                        follower_profile(&person),
                        Effects::default(),
                        now,
                    )
                    .await?;
                tables
                    .note_validation(iri, ValidationResult::Found, now)
                    .await?;
            }
            Err(error) if error.is_gone() => {
                tracing::info!(follower = iri, "a follower is gone");
                tables.remove_follower(iri, Effects::default(), now).await?;
            }
            Err(error) => {
                tracing::debug!(%error, follower = iri, "a follower was not found");
                let outcome = match error.is_absence() {
                    true => ValidationResult::NotFound,
                    false => ValidationResult::Unclear,
                };
                let noted = tables.note_validation(iri.clone(), outcome, now);
                let is_too_long = |away: FollowerAbsence| {
                    away.since + PATIENCE <= now && away.days >= DAYS_LOOKED_AT
                };
                if noted.await?.is_some_and(is_too_long) {
                    tracing::info!(
                        follower = iri,
                        "removed a follower that could not be found for a week"
                    );
                    tables.remove_follower(iri, Effects::default(), now).await?;
                }
            }
        }
        Ok(())
    }
}
