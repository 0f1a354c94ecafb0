//! Says what is to be said by itself: that the stream is live, that it still is, that it is over, how the profile looks.

use std::time::Duration;

use jiff::Timestamp;
use model::settings::table::federation::{LIVE_COOLDOWN_MINUTES, LIVE_DELAY_SECONDS};
use store::StoreError;
use store::federation::{DeliveryKind, Effects, ObjectKind};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use super::news::{CURSOR, News};
use super::picture::Picture;
use super::plan::{self, Known, Status, When, Wishes};
use super::{Voice, speech};
use crate::document::{Image, PostIds, note};
use crate::identity::IdentityError;
use crate::profile::Profile;

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
/// What others sent is known again for this long; signatures are worth nothing long before.
const SEEN_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);
/// Keys that were not fetched anew for this long are forgotten; whoever still uses one is asked for it.
const KEYS_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

#[derive(Debug, Error)]
enum Trouble {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// Speaks until `stop`.
pub(super) async fn run(voice: Voice, stop: CancellationToken) {
    let mut facts = voice.0.store.event_wakeups();
    let mut settings = voice.0.settings.changes();
    let mut stream = voice.0.stream.clone();
    let mut heart: Option<Heart> = None;
    while !stop.is_cancelled() {
        facts.mark_unchanged();
        settings.mark_unchanged();
        stream.mark_unchanged();
        let (next, pause) = match beat(&voice, &mut heart).await {
            Ok(next) => (next, LOOK_EVERY),
            Err(error) => {
                tracing::warn!(%error, "federation: cannot say anything now, trying again");
                (None, DATABASE_PAUSE)
            }
        };
        let due = async {
            match next {
                Some(at) => voice.0.clock.sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let is_well = pause == LOOK_EVERY;
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(pause) => {}
            _ = facts.changed(), if is_well => {}
            _ = settings.changed(), if is_well => {}
            // Its sender goes when the stream's task does, and that is before the end.
            Ok(()) = stream.changed(), if is_well => {}
            () = due, if is_well => {}
        }
    }
    if let Some(heart) = heart {
        let parting = tokio::time::timeout(PARTING_TIMEOUT, heart.part(&voice));
        match parting.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "federation: no good-bye to directories"),
            Err(_) => tracing::warn!("federation: no good-bye to directories in time"),
        }
    }
}

/// Does what is due; returns when something will be.
async fn beat(voice: &Voice, heart: &mut Option<Heart>) -> Result<Option<Timestamp>, Trouble> {
    let heart = match heart {
        Some(heart) => heart,
        None => heart.insert(Heart::load(voice).await?),
    };
    // Read before the profile: what is due by now is told as it was not before now. A change between the two would
    // otherwise be missing from an Update that came due meanwhile.
    let now = voice.0.clock.now();
    heart.news.read_on(voice).await?;
    heart.tidy(voice).await?;
    let Some(profile) = voice.speaker().await? else {
        // Nobody is told what happens meanwhile, and nobody will be.
        heart.news.changed_at = None;
        heart.news.save(voice).await?;
        return Ok(Some(heart.tidy_at));
    };
    let next = heart.speak(voice, &profile, now).await?;
    Ok(Some(next.map_or(heart.tidy_at, |at| at.min(heart.tidy_at))))
}

/// What was said, and what is known of the stream.
struct Heart {
    news: News,
    last_post: Option<Timestamp>,
    last_status: Option<(Status, Timestamp)>,
    tidy_at: Timestamp,
}

impl Heart {
    async fn load(voice: &Voice) -> Result<Self, StoreError> {
        let tables = voice.0.store.federation();
        let last_status = tables.last_ping().await?;
        Ok(Self {
            news: News::load(voice).await?,
            last_post: tables.last_live_notification().await?,
            last_status: last_status.map(|(kind, at)| match kind {
                ObjectKind::Leave => (Status::Leave, at),
                _ => (Status::Offer, at),
            }),
            tidy_at: voice.0.clock.now(),
        })
    }

    fn known(&self, voice: &Voice) -> Known {
        Known {
            live_since: self.news.broadcast.as_ref().map(|on| on.since),
            is_online: voice.0.stream.borrow().is_online,
            last_post: self.last_post,
            last_status: self.last_status,
        }
    }

    /// Says what is due at `now`; returns when something will be.
    async fn speak(
        &mut self,
        voice: &Voice,
        profile: &Profile,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, Trouble> {
        let wishes = wishes(voice, profile);
        if plan::owes_leave(&self.known(voice)) {
            self.ping(voice, profile, Status::Leave).await?;
        }
        if plan::offer(&self.known(voice)).is_due(now) {
            self.ping(voice, profile, Status::Offer).await?;
        }
        if plan::go_live(&self.known(voice), &wishes, now).is_due(now) {
            self.go_live(voice, profile).await?;
        }
        let update = self.news.changed_at.map(|since| since + UPDATE_AFTER);
        if update.is_some_and(|at| at <= now) {
            self.update(voice, profile).await?;
        }
        self.news.save(voice).await?;
        let known = self.known(voice);
        let next = [
            plan::offer(&known),
            plan::go_live(&known, &wishes, now),
            self.news
                .changed_at
                .map_or(When::Never, |since| When::At(since + UPDATE_AFTER)),
        ];
        Ok(next.into_iter().filter_map(When::time).min())
    }

    async fn ping(
        &mut self,
        voice: &Voice,
        profile: &Profile,
        status: Status,
    ) -> Result<(), StoreError> {
        let at = voice.0.clock.now();
        let effects = speech::status(profile, status, at);
        voice.0.store.federation().send(effects, at).await?;
        self.last_status = Some((status, at));
        Ok(())
    }

    async fn go_live(&mut self, voice: &Voice, profile: &Profile) -> Result<(), StoreError> {
        let image = preview(voice, profile).await;
        let at = voice.0.clock.now();
        let ids = PostIds::new(&profile.names);
        let post = note::go_live(profile, &ids, at, image.as_ref());
        let effects = speech::post(profile, &post, DeliveryKind::GoLive, at);
        voice.0.store.federation().send(effects, at).await?;
        self.last_post = Some(at);
        tracing::info!(
            post = ids.note,
            "followers are told that the stream is live"
        );
        Ok(())
    }

    /// The cursor is stored with it: a process that is killed says it once, before or after.
    async fn update(&mut self, voice: &Voice, profile: &Profile) -> Result<(), StoreError> {
        let at = voice.0.clock.now();
        let effects = Effects {
            cursor: Some((CURSOR, self.news.seq)),
            ..speech::update(profile, at)
        };
        voice.0.store.federation().send(effects, at).await?;
        self.news.told();
        Ok(())
    }

    /// Says good-bye if somebody was greeted.
    async fn part(mut self, voice: &Voice) -> Result<(), Trouble> {
        if plan::owes_parting(&self.known(voice))
            && let Some(profile) = voice.speaker().await?
        {
            self.ping(voice, &profile, Status::Leave).await?;
        }
        Ok(())
    }

    /// Forgets what nobody asks for any more.
    async fn tidy(&mut self, voice: &Voice) -> Result<(), StoreError> {
        let now = voice.0.clock.now();
        if now < self.tidy_at {
            return Ok(());
        }
        let tables = voice.0.store.federation();
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

fn wishes(voice: &Voice, profile: &Profile) -> Wishes {
    let settings = voice.0.settings.now();
    let minutes = u64::from(*settings.get(&LIVE_COOLDOWN_MINUTES));
    Wishes {
        delay: Duration::from_secs(u64::from(*settings.get(&LIVE_DELAY_SECONDS))),
        cooldown: Duration::from_secs(60 * minutes),
        has_message: !profile.live_message.trim().is_empty(),
    }
}

/// A picture of the stream that stays as it is; a post without one is better than none.
async fn preview(voice: &Voice, profile: &Profile) -> Option<Image> {
    let drawn = tokio::time::timeout(PREVIEW_TIMEOUT, voice.0.preview.preview());
    let bytes = drawn.await.ok().flatten()?;
    let kept = match Picture::read(&bytes) {
        Ok(picture) => {
            let description = PREVIEW_DESCRIPTION.to_owned();
            voice.keep_picture(profile, &picture, description).await
        }
        Err(error) => {
            tracing::warn!(%error, "the picture of the stream cannot be used");
            return None;
        }
    };
    kept.inspect_err(|error| tracing::warn!(%error, "the picture of the stream cannot be kept"))
        .ok()
}
