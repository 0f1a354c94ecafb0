//! Publishes what is due automatically: that the stream is live, that it still is, that it is over, how the profile
//! looks.

use std::time::Duration;

use jiff::Timestamp;
use model::settings::table::federation::{LIVE_COOLDOWN_MINUTES, LIVE_DELAY_SECONDS};
use store::StoreError;
use store::federation::{DeliveryKind, Effects, ObjectKind};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use super::event_log::{CURSOR, EventLogState};
use super::plan::{self, BroadcastState, DueTime, GoLivePolicy, PingKind};
use super::post_image::PostImage;
use super::{Outbox, effects};
use crate::document::{Image, PostIds, note};
use crate::identity::IdentityError;
use crate::profile::ActorProfile;

/// Changes of the profile within this time become one Update.
const UPDATE_AFTER: Duration = Duration::from_secs(60);
/// Pause after the database has failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(2);
/// It is looked this often even if nobody says that something has changed.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// How long a picture of the stream is waited for; then the post goes without one.
const PREVIEW_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the good-bye may take when the process ends; whoever does not hear it notices by the missing pings.
const PARTING_TIMEOUT: Duration = Duration::from_secs(2);
/// What the picture of a go-live post shows, for those who cannot see it.
const PREVIEW_DESCRIPTION: &str = "Live stream preview";
/// Between two looks for what is too old to be kept.
const TIDY_EVERY: Duration = Duration::from_secs(3600);
/// Pings are kept this long for whoever fetches what it was sent.
const PINGS_KEPT_FOR: Duration = Duration::from_secs(24 * 3600);
/// Pictures of posts are kept this long; other servers have their copies by then.
const PICTURES_KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// Limit (fediverse): time the id of an activity is remembered; a repeated activity has no effect until then.
/// Signatures are worth nothing long before.
const SEEN_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);
/// Keys that were not fetched anew for this long are forgotten; whoever still uses one is asked for it.
const KEYS_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

#[derive(Debug, Error)]
enum HeartbeatError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// Publishes until `stop`; `says_goodbye` to directories then.
pub(super) async fn run(outbox: Outbox, says_goodbye: bool, stop: CancellationToken) {
    let mut facts = outbox.0.store.event_wakeups();
    let mut settings = outbox.0.settings.changes();
    let mut stream = outbox.0.stream.clone();
    let mut heartbeat: Option<Heartbeat> = None;
    while !stop.is_cancelled() {
        facts.mark_unchanged();
        settings.mark_unchanged();
        stream.mark_unchanged();
        let (next, pause) = match beat(&outbox, &mut heartbeat).await {
            Ok(next) => (next, LOOK_EVERY),
            Err(error) => {
                tracing::warn!(%error, "federation: cannot publish right now, trying again");
                (None, DATABASE_PAUSE)
            }
        };
        let due = async {
            match next {
                Some(at) => outbox.0.clock.sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let is_well = pause == LOOK_EVERY;
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(pause) => {}
            _ = facts.changed(), if is_well => {}
            _ = settings.changed(), if is_well => {}
            // The sender ends with the stream's task, which is before the end.
            Ok(()) = stream.changed(), if is_well => {}
            () = due, if is_well => {}
        }
    }
    if let Some(heartbeat) = heartbeat.filter(|_| says_goodbye) {
        let parting = tokio::time::timeout(PARTING_TIMEOUT, heartbeat.part(&outbox));
        match parting.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "federation: cannot tell directories that the stream has ended")
            }
            Err(_) => tracing::warn!(
                "federation: could not tell directories in time that the stream has ended"
            ),
        }
    }
}

/// Does what is due; returns when something is due next.
async fn beat(
    outbox: &Outbox,
    heartbeat: &mut Option<Heartbeat>,
) -> Result<Option<Timestamp>, HeartbeatError> {
    let heartbeat = match heartbeat {
        Some(heartbeat) => heartbeat,
        None => heartbeat.insert(Heartbeat::load(outbox).await?),
    };
    // Taken before the profile is read, so that an Update due at `now` shows the profile no older than `now`. It would
    // otherwise miss a change between the two.
    let now = outbox.0.clock.now();
    heartbeat.log.read_on(outbox).await?;
    heartbeat.tidy(outbox).await?;
    let Some(profile) = outbox.speaker().await? else {
        // Changes made while nothing may be sent are not published, now or later.
        heartbeat.log.changed_at = None;
        heartbeat.log.save(outbox).await?;
        return Ok(Some(heartbeat.tidy_at));
    };
    let next = heartbeat.speak(outbox, &profile, now).await?;
    Ok(Some(
        next.map_or(heartbeat.tidy_at, |at| at.min(heartbeat.tidy_at)),
    ))
}

/// What was published, and what is known about the stream.
struct Heartbeat {
    log: EventLogState,
    last_post: Option<Timestamp>,
    last_status: Option<(PingKind, Timestamp)>,
    tidy_at: Timestamp,
}

impl Heartbeat {
    async fn load(outbox: &Outbox) -> Result<Self, StoreError> {
        let tables = outbox.0.store.federation();
        let last_status = tables.last_ping().await?;
        Ok(Self {
            log: EventLogState::load(outbox).await?,
            last_post: tables.last_live_notification().await?,
            last_status: last_status.map(|(kind, at)| match kind {
                ObjectKind::Leave => (PingKind::Leave, at),
                _ => (PingKind::Offer, at),
            }),
            tidy_at: outbox.0.clock.now(),
        })
    }

    fn state(&self, outbox: &Outbox) -> BroadcastState {
        BroadcastState {
            live_since: self.log.broadcast.as_ref().map(|on| on.since),
            is_online: outbox.0.stream.borrow().is_online,
            last_post: self.last_post,
            last_status: self.last_status,
        }
    }

    /// Publishes what is due at `now`; returns when something is due next.
    async fn speak(
        &mut self,
        outbox: &Outbox,
        profile: &ActorProfile,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, HeartbeatError> {
        let policy = policy(outbox, profile);
        if plan::owes_leave(&self.state(outbox)) {
            self.ping(outbox, profile, PingKind::Leave).await?;
        }
        if plan::offer(&self.state(outbox)).is_due(now) {
            self.ping(outbox, profile, PingKind::Offer).await?;
        }
        if plan::go_live(&self.state(outbox), &policy, now).is_due(now) {
            self.go_live(outbox, profile).await?;
        }
        let update = self.log.changed_at.map(|since| since + UPDATE_AFTER);
        if update.is_some_and(|at| at <= now) {
            self.update(outbox, profile).await?;
        }
        self.log.save(outbox).await?;
        let state = self.state(outbox);
        let next = [
            plan::offer(&state),
            plan::go_live(&state, &policy, now),
            self.log
                .changed_at
                .map_or(DueTime::Never, |since| DueTime::At(since + UPDATE_AFTER)),
        ];
        Ok(next.into_iter().filter_map(DueTime::time).min())
    }

    async fn ping(
        &mut self,
        outbox: &Outbox,
        profile: &ActorProfile,
        status: PingKind,
    ) -> Result<(), StoreError> {
        let at = outbox.0.clock.now();
        let effects = effects::status(profile, status, at);
        outbox.0.store.federation().send(effects, at).await?;
        self.last_status = Some((status, at));
        Ok(())
    }

    async fn go_live(&mut self, outbox: &Outbox, profile: &ActorProfile) -> Result<(), StoreError> {
        let image = preview(outbox, profile).await;
        let at = outbox.0.clock.now();
        let ids = PostIds::new(&profile.names);
        let post = note::go_live(profile, &ids, at, image.as_ref());
        let effects = effects::post(profile, &post, DeliveryKind::GoLive, at);
        outbox.0.store.federation().send(effects, at).await?;
        self.last_post = Some(at);
        tracing::info!(
            post = ids.note,
            "followers are told that the stream is live"
        );
        Ok(())
    }

    /// Stores the cursor in the same transaction: a process killed before or after publishes the update once.
    async fn update(&mut self, outbox: &Outbox, profile: &ActorProfile) -> Result<(), StoreError> {
        let at = outbox.0.clock.now();
        let effects = Effects {
            cursor: Some((CURSOR, self.log.seq)),
            ..effects::update(profile, at)
        };
        outbox.0.store.federation().send(effects, at).await?;
        self.log.mark_published();
        Ok(())
    }

    /// Sends Leave if an Offer was sent.
    async fn part(mut self, outbox: &Outbox) -> Result<(), HeartbeatError> {
        if plan::owes_parting(&self.state(outbox))
            && let Some(profile) = outbox.speaker().await?
        {
            self.ping(outbox, &profile, PingKind::Leave).await?;
        }
        Ok(())
    }

    /// Prunes what is no longer needed.
    async fn tidy(&mut self, outbox: &Outbox) -> Result<(), StoreError> {
        let now = outbox.0.clock.now();
        if now < self.tidy_at {
            return Ok(());
        }
        let tables = outbox.0.store.federation();
        for kind in [ObjectKind::Offer, ObjectKind::Leave] {
            tables.prune_objects(kind, now - PINGS_KEPT_FOR).await?;
        }
        tables.prune_media(now - PICTURES_KEPT_FOR).await?;
        tables.prune_seen(now - SEEN_KEPT_FOR, now).await?;
        tables.prune_inbound(now).await?;
        tables.prune_engagements().await?;
        tables.prune_keys(now - KEYS_KEPT_FOR).await?;
        self.tidy_at = now + TIDY_EVERY;
        Ok(())
    }
}

fn policy(outbox: &Outbox, profile: &ActorProfile) -> GoLivePolicy {
    let settings = outbox.0.settings.now();
    let minutes = u64::from(*settings.get(&LIVE_COOLDOWN_MINUTES));
    GoLivePolicy {
        delay: Duration::from_secs(u64::from(*settings.get(&LIVE_DELAY_SECONDS))),
        cooldown: Duration::from_secs(60 * minutes),
        has_message: !profile.live_message.trim().is_empty(),
    }
}

/// A picture of the stream to keep with a post; a post without one is better than none.
async fn preview(outbox: &Outbox, profile: &ActorProfile) -> Option<Image> {
    let drawn = tokio::time::timeout(PREVIEW_TIMEOUT, outbox.0.preview.preview());
    let bytes = drawn.await.ok().flatten()?;
    let kept = match PostImage::read(&bytes) {
        Ok(picture) => {
            let description = PREVIEW_DESCRIPTION.to_owned();
            outbox.keep_picture(profile, &picture, description).await
        }
        Err(error) => {
            tracing::warn!(%error, "cannot use the picture of the stream");
            return None;
        }
    };
    kept.inspect_err(|error| tracing::warn!(%error, "cannot store the picture of the stream"))
        .ok()
}
