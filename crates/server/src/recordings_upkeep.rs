//! Keeps an eye on the disk while something is recorded, and on what recordings may take.

use std::time::Duration;

use archive::Archive;
use archive::guard::{GIGABYTE, LOOK_EVERY};
use archive::retention::{KeepLimits, Retention};
use model::settings::table::recording::MIN_FREE_GIGABYTES;
use store::settings::Settings;
use tokio_util::sync::CancellationToken;

/// Between looks at recordings that were deleted.
const ROUND: Duration = Duration::from_secs(30);
/// Rounds between looks at the age and the size of all recordings: ten minutes.
const LIMIT_ROUNDS: u32 = 20;

/// Runs until `stop`.
pub(crate) async fn run(archive: Archive, settings: Settings, stop: CancellationToken) {
    let guarding = guard(&archive, &settings, &stop);
    let retaining = retain(&archive, &settings, &stop);
    tokio::join!(guarding, retaining);
}

/// Looks at the disk when something begins to be written, and while it is or waits for room.
async fn guard(archive: &Archive, settings: &Settings, stop: &CancellationToken) {
    let (mut live, mut changes) = (archive.live(), settings.changes());
    loop {
        let min_free = u64::from(*settings.now().get(&MIN_FREE_GIGABYTES)) * GIGABYTE;
        archive.guard().look(min_free).await;
        let is_needed = live.borrow_and_update().is_some() || !archive.guard().may_write();
        tokio::select! {
            () = stop.cancelled() => return,
            changed = live.changed(), if !is_needed => {
                if changed.is_err() {
                    return;
                }
            }
            // Another limit counts at once.
            changed = changes.changed(), if is_needed => {
                if changed.is_err() {
                    return;
                }
            }
            () = tokio::time::sleep(LOOK_EVERY), if is_needed => {}
        }
    }
}

async fn retain(archive: &Archive, settings: &Settings, stop: &CancellationToken) {
    let mut retention = Retention::new(archive.clone());
    if let Err(error) = retention.report_unknown().await {
        tracing::warn!(%error, "cannot look for folders of recordings that the database does not know");
    }
    let mut round: u32 = 0;
    loop {
        if round.is_multiple_of(LIMIT_ROUNDS) {
            let limits = KeepLimits::of(&settings.now());
            if let Err(error) = retention.apply(limits).await {
                tracing::warn!(%error, "cannot look for recordings that are too old or too much");
            }
        }
        if let Err(error) = retention.remove_deleted().await {
            tracing::warn!(%error, "cannot remove deleted recordings");
        }
        round = round.wrapping_add(1);
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(ROUND) => {}
        }
    }
}
