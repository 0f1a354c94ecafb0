//! Questions no player asks: unknown names, senseless directives, plain against gzipped.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::Stage;
use super::bare::half_an_update;
use super::client::Fetched;
use crate::playlist::checker::{Asked, Observation};
use crate::playlist::http::{Kind, check_answer, check_gzip_is_equal, check_gzipped};
use crate::playlist::model::MediaPlaylist;
use crate::playlist::uri::resolve;

/// A segment far beyond the end; asking for it is an error.
const FAR_AHEAD: u64 = 1_000_000;
/// A live list may change between two requests; after so many tries the comparison is left out.
const COMPARISONS: usize = 20;
/// Between two looks whether the low-latency player has its list.
const PAUSE: Duration = Duration::from_millis(20);

/// The multivariant playlist, plain and gzipped.
pub(super) async fn probe_master(stage: Arc<Stage>, url: String) {
    let work = compare_gzip(&stage, &url, Kind::Master);
    stage.until_the_end(work).await;
}

/// One rendition: what must be refused, what does not exist, plain and gzipped.
pub(super) async fn probe_rendition(stage: Arc<Stage>, index: usize) {
    let work = async {
        while stage.checkers()[index].edge().is_none() {
            sleep(PAUSE).await;
        }
        let url = &stage.urls[index];
        for name in ["no-such-name.m4s", "no-such-name.mp4", "no/such/name.m3u8"] {
            let unknown = resolve(url, name);
            if let Some(fetched) = get(&stage, &unknown).await {
                check_answer(
                    &unknown,
                    Kind::Unknown,
                    &fetched.answer,
                    &mut stage.findings(),
                );
            }
        }
        let part_alone = Asked {
            part: Some(0),
            ..Asked::default()
        };
        ask(&stage, index, part_alone, "_HLS_part=0").await;
        let edge = stage.checkers()[index].edge();
        if let Some(edge) = edge.filter(|edge| edge.part.is_some()) {
            let msn = edge.msn + FAR_AHEAD;
            let future = Asked {
                msn: Some(msn),
                ..Asked::default()
            };
            ask(&stage, index, future, &format!("_HLS_msn={msn}")).await;
        }
        let list = get(&stage, url).await;
        let list = list.map(|list| MediaPlaylist::read(&list.answer.text()));
        let half_an_update = list.as_ref().map(half_an_update).unwrap_or_default();
        compare_gzip(&stage, url, Kind::Playlist { half_an_update }).await;
    };
    stage.until_the_end(work).await;
}

/// Sends directives that must be refused; the status alone is judged.
async fn ask(stage: &Stage, index: usize, asked: Asked, query: &str) {
    let has_parts = stage.checkers()[index]
        .edge()
        .is_some_and(|edge| edge.part.is_some());
    if !has_parts {
        return;
    }
    let url = format!("{}?{query}", stage.urls[index]);
    if let Some(fetched) = get(stage, &url).await {
        let kind = Kind::BlockedPlaylist { target_duration: 1 };
        if fetched.answer.status != 200 {
            check_answer(&url, kind, &fetched.answer, &mut stage.findings());
        }
        let seen = Observation {
            asked_at: fetched.asked_at,
            at: fetched.at,
            asked,
            status: fetched.answer.status,
            text: &fetched.answer.text(),
        };
        stage.observe(index, &seen);
    }
}

/// Plain, gzipped, plain: when the plain ones agree, the one between them must too.
async fn compare_gzip(stage: &Stage, url: &str, kind: Kind) {
    for _ in 0..COMPARISONS {
        let (Some(before), Some(gzipped), Some(after)) = (
            get(stage, url).await,
            stage.client.get_gzip(url).await.ok(),
            get(stage, url).await,
        ) else {
            return;
        };
        check_answer(url, kind, &after.answer, &mut stage.findings());
        check_gzipped(url, &gzipped.answer, &mut stage.findings());
        if before.answer.body == after.answer.body {
            check_gzip_is_equal(
                url,
                &after.answer.body,
                &gzipped.answer,
                &mut stage.findings(),
            );
            return;
        }
    }
}

async fn get(stage: &Stage, url: &str) -> Option<Fetched> {
    match stage.client.get(url).await {
        Ok(fetched) => Some(fetched),
        Err(error) => {
            stage.fault(&format!("{url}: {error}"));
            None
        }
    }
}
