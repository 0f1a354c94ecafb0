//! Lists that go far back: what is listed there can be fetched and plays on, and the list ends like the live one.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::LiveRun;
use crate::playlist::http::{RequestKind, check_answer, check_range};
use crate::playlist::media::{Init, Timeline};
use crate::playlist::model::{MediaPlaylist, Segment};
use crate::playlist::rule::{Findings, Rule};
use crate::playlist::uri::resolve;

/// Longer lists are not for those alone who stay live; of shorter ones every segment is fetched anyway.
const FAR_TARGETS: u32 = 12;
/// Places in a list where a player might begin, in tenths of its length. The oldest segments leave while they are fetched.
const PLACES: [usize; 3] = [1, 4, 7];
/// Two lists are fetched one after the other, and a part may come between.
const COMPARISONS: usize = 40;
const PAUSE: Duration = Duration::from_millis(20);
const RULE: Rule = Rule::Rewind(5);

/// Begins in several places of a long list, as somebody who goes back does.
pub(super) async fn probe(run: Arc<LiveRun>, index: usize) {
    run.until_the_end(async {
        while run.checkers()[index].edge().is_none() {
            sleep(PAUSE).await;
        }
        let url = &run.urls[index];
        let Ok(fetched) = run.client.get_gzip(url).await else {
            return;
        };
        let list = MediaPlaylist::read(&fetched.answer.text());
        let target = Duration::from_secs(list.target_duration.unwrap_or_default());
        let length: Duration = list.segments.iter().map(Segment::length).sum();
        if length < target * FAR_TARGETS {
            return;
        }
        for tenths in PLACES {
            let at = list.segments.len() * tenths / 10;
            let follows = |two: &&[Segment]| {
                !two[0].is_gap && !two[1].is_gap && two[1].discontinuity.is_none()
            };
            let mut pairs = list.segments[at..].windows(2);
            if let Some(pair) = pairs.find(follows) {
                begin_at(&run, url, pair).await;
            }
        }
    })
    .await;
}

/// Fetches two segments in a row with their init segment, and a range of the first.
async fn begin_at(run: &LiveRun, url: &str, pair: &[Segment]) {
    let mut findings = Findings::default();
    let map = pair[0].map.as_deref().unwrap_or_default();
    let init = fetch(run, &resolve(url, map), &mut findings).await;
    let init = init.and_then(|bytes| Init::parse(&bytes).ok());
    findings.check(RULE, init.is_some(), || {
        format!("{map} is no initialization section")
    });
    let mut timeline = Timeline::default();
    for segment in pair {
        let segment_url = resolve(url, &segment.uri);
        let bytes = fetch(run, &segment_url, &mut findings).await;
        let (Some(bytes), Some(init)) = (bytes, &init) else {
            continue;
        };
        let listed = Some(segment.duration);
        timeline.follow(&segment_url, &bytes, init, listed, &mut findings);
        if bytes.len() > 2 {
            let (first, last) = (1, bytes.len() - 2);
            if let Ok(range) = run.client.get_range(&segment_url, first, last).await {
                check_range(
                    &segment_url,
                    &bytes,
                    (first, last),
                    &range.answer,
                    &mut findings,
                );
            }
        }
    }
    run.leave(url, findings);
}

async fn fetch(run: &LiveRun, url: &str, findings: &mut Findings) -> Option<Vec<u8>> {
    let fetched = match run.client.get_gzip(url).await {
        Ok(fetched) => fetched,
        Err(error) => {
            run.fault(&format!("{url}: {error}"));
            return None;
        }
    };
    let status = fetched.answer.status;
    findings.check(RULE, status == 200, || {
        format!("{url} is listed far back and answered with {status}")
    });
    if status != 200 {
        return None;
    }
    check_answer(url, RequestKind::Media, &fetched.answer, findings);
    Some(fetched.answer.body)
}

/// Compares the end of a list with the live list, until both were seen in the same moment.
pub(super) async fn compare(run: Arc<LiveRun>, index: usize, live_url: String) {
    run.until_the_end(async {
        while run.checkers()[index].edge().is_none() {
            sleep(PAUSE).await;
        }
        let url = &run.urls[index];
        for _ in 0..COMPARISONS {
            let (Ok(own), Ok(live)) = (
                run.client.get_gzip(url).await,
                run.client.get_gzip(&live_url).await,
            ) else {
                return;
            };
            let (own, live) = (own.answer.text(), live.answer.text());
            if run.checkers()[index]
                .ends_like(&own, &live_url, &live)
                .is_some()
            {
                return;
            }
            sleep(PAUSE).await;
        }
    })
    .await;
}
