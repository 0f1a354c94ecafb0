//! Requests that no player sends: unknown names, invalid directives, plain compared with gzipped.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::LiveRun;
use super::bare::half_an_update;
use super::client::TimedResponse;
use crate::playlist::http::{RequestKind, check_answer, check_gzip_is_equal, check_gzipped};
use crate::playlist::model::MediaPlaylist;
use crate::playlist::observation::{Directives, Observation};
use crate::playlist::uri::resolve;

/// A segment far beyond the end; asking for it is an error.
const FAR_AHEAD: u64 = 1_000_000;
/// A live list may change between two requests; after so many tries the comparison is left out.
const COMPARISONS: usize = 20;
/// Between two looks whether the low-latency player has its list.
const PAUSE: Duration = Duration::from_millis(20);

/// The multivariant playlist, plain and gzipped.
pub(super) async fn probe_master(run: Arc<LiveRun>, url: String) {
    let work = compare_gzip(&run, &url, RequestKind::Master);
    run.until_the_end(work).await;
}

/// One rendition: what must be rejected, what does not exist, plain and gzipped.
pub(super) async fn probe_rendition(run: Arc<LiveRun>, index: usize) {
    let work = async {
        while run.checkers()[index].edge().is_none() {
            sleep(PAUSE).await;
        }
        let url = &run.urls[index];
        for name in ["no-such-name.m4s", "no-such-name.mp4", "no/such/name.m3u8"] {
            let unknown = resolve(url, name);
            if let Some(fetched) = get(&run, &unknown).await {
                check_answer(
                    &unknown,
                    RequestKind::Unknown,
                    &fetched.answer,
                    &mut run.findings(),
                );
            }
        }
        let part_alone = Directives {
            part: Some(0),
            ..Directives::default()
        };
        ask(&run, index, part_alone, "_HLS_part=0").await;
        let edge = run.checkers()[index].edge();
        if let Some(edge) = edge.filter(|edge| edge.part.is_some()) {
            let msn = edge.msn + FAR_AHEAD;
            let future = Directives {
                msn: Some(msn),
                ..Directives::default()
            };
            ask(&run, index, future, &format!("_HLS_msn={msn}")).await;
        }
        let list = get(&run, url).await;
        let list = list.map(|list| MediaPlaylist::read(&list.answer.text()));
        let half_an_update = list.as_ref().map(half_an_update).unwrap_or_default();
        compare_gzip(&run, url, RequestKind::Playlist { half_an_update }).await;
    };
    run.until_the_end(work).await;
}

/// Sends directives that must be rejected; only the status is checked.
async fn ask(run: &LiveRun, index: usize, asked: Directives, query: &str) {
    let has_parts = run.checkers()[index]
        .edge()
        .is_some_and(|edge| edge.part.is_some());
    if !has_parts {
        return;
    }
    let url = format!("{}?{query}", run.urls[index]);
    if let Some(fetched) = get(run, &url).await {
        let kind = RequestKind::BlockedPlaylist { target_duration: 1 };
        if fetched.answer.status != 200 {
            check_answer(&url, kind, &fetched.answer, &mut run.findings());
        }
        let seen = Observation {
            asked_at: fetched.asked_at,
            at: fetched.at,
            asked,
            status: fetched.answer.status,
            text: &fetched.answer.text(),
        };
        run.observe(index, &seen);
    }
}

/// Plain, gzipped, plain: if the plain ones agree, the one between them must too.
async fn compare_gzip(run: &LiveRun, url: &str, kind: RequestKind) {
    for _ in 0..COMPARISONS {
        let (Some(before), Some(gzipped), Some(after)) = (
            get(run, url).await,
            run.client.get_gzip(url).await.ok(),
            get(run, url).await,
        ) else {
            return;
        };
        check_answer(url, kind, &after.answer, &mut run.findings());
        check_gzipped(url, &gzipped.answer, &mut run.findings());
        if before.answer.body == after.answer.body {
            check_gzip_is_equal(
                url,
                &after.answer.body,
                &gzipped.answer,
                &mut run.findings(),
            );
            return;
        }
    }
}

async fn get(run: &LiveRun, url: &str) -> Option<TimedResponse> {
    match run.client.get(url).await {
        Ok(fetched) => Some(fetched),
        Err(error) => {
            run.fault(&format!("{url}: {error}"));
            None
        }
    }
}
