//! An old player: plain reloads without gzip or parts.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::LiveRun;
use crate::playlist::checker::Checker;
use crate::playlist::http::{RequestKind, check_answer};
use crate::playlist::model::MediaPlaylist;
use crate::playlist::observation::{Directives, Observation, Role};

/// Between two reloads while nothing says how long a segment is.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// How long a plain response may be cached: half an update interval.
pub(super) fn half_an_update(list: &MediaPlaylist) -> Duration {
    let segment = Duration::from_secs(list.target_duration.unwrap_or_default());
    list.part_target.unwrap_or(segment) / 2
}

/// Reloads twice per target duration until the time is over or the stream has ended.
pub(super) async fn reload(run: Arc<LiveRun>, index: usize, role: Role) {
    let url = &run.urls[index];
    let mut checker = Checker::new(role).at(url);
    while let Some(fetched) = run.until_the_end(run.client.get(url)).await {
        let fetched = match fetched {
            Ok(fetched) => fetched,
            Err(error) => {
                run.fault(&format!("{url}: {error}"));
                break;
            }
        };
        let text = fetched.answer.text();
        checker.observe(&Observation {
            asked_at: fetched.asked_at,
            at: fetched.at,
            asked: Directives::default(),
            status: fetched.answer.status,
            text: &text,
        });
        let list = MediaPlaylist::read(&text);
        let kind = RequestKind::Playlist {
            half_an_update: half_an_update(&list),
        };
        if !list.is_ended {
            check_answer(url, kind, &fetched.answer, &mut run.findings());
        }
        if checker.is_ended() {
            break;
        }
        let target = list.target_duration.map(Duration::from_secs);
        let pause = target.map_or(FIRST_PAUSE, |target| target / 2);
        if run.until_the_end(sleep(pause)).await.is_none() {
            break;
        }
    }
    run.leave(&format!("{url}, plain reloads"), checker.findings().clone());
}
