//! A low-latency player: blocking reloads, preload hints, delta updates, and every byte once.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::LiveRun;
use super::bare::half_an_update;
use super::client::{FetchError, TimedResponse};
use super::media::Downloads;
use crate::playlist::http::{RequestKind, check_answer, check_gzipped};
use crate::playlist::model::{HintKind, MediaPlaylist};
use crate::playlist::observation::{Directives, Observation, Skip};
use crate::playlist::uri::resolve;

/// Every so many reloads only a segment is asked for, as Safari does.
const SEGMENT_ONLY_EVERY: u64 = 5;
/// Every so many reloads a delta update is asked for.
const DELTA_EVERY: u64 = 2;
/// Before asking again when the list cannot be had.
const PAUSE: Duration = Duration::from_millis(500);
/// Requests in a row that fail before the player gives up.
const MAX_FAILURES: u32 = 3;

/// Follows one rendition until the time is over or the stream has ended.
pub(super) async fn follow(run: Arc<LiveRun>, index: usize) {
    let mut player = LowLatencyPlayer {
        downloads: Downloads::new(Arc::clone(&run), index),
        list: None,
        reloads: 0,
        run: Arc::clone(&run),
        index,
    };
    let work = async {
        let mut failures = 0;
        while failures < MAX_FAILURES && !player.is_over() {
            match player.step().await {
                Ok(()) => failures = 0,
                Err(error) => {
                    run.fault(&format!("{}: {error}", run.urls[index]));
                    failures += 1;
                    sleep(PAUSE).await;
                }
            }
        }
    };
    run.until_the_end(work).await;
}

struct LowLatencyPlayer {
    run: Arc<LiveRun>,
    index: usize,
    list: Option<MediaPlaylist>,
    reloads: u64,
    downloads: Downloads,
}

impl LowLatencyPlayer {
    fn is_over(&self) -> bool {
        self.list.as_ref().is_some_and(|list| list.is_ended)
    }

    /// One reload, with the hinted part requested at the same time, and the download of new content.
    async fn step(&mut self) -> Result<(), FetchError> {
        let asked = self.next_question();
        let url = with_directives(&self.run.urls[self.index], asked);
        let hinted = self.fetch_hinted();
        let fetched = self.run.client.get_gzip(&url).await?;
        let text = fetched.answer.text();
        let seen = Observation {
            asked_at: fetched.asked_at,
            at: fetched.at,
            asked,
            status: fetched.answer.status,
            text: &text,
        };
        self.run.observe(self.index, &seen);
        self.reloads += 1;
        if fetched.answer.status != 200 {
            sleep(PAUSE).await;
            return Ok(());
        }
        let list = MediaPlaylist::read(&text);
        self.check_headers(&url, asked, &list, &fetched);
        self.downloads.fetch_new(&list).await?;
        if let Some((hinted_url, hinted)) = hinted
            && let Ok(answer) = hinted.await
        {
            self.downloads.compare_hinted(&hinted_url, &answer?);
        }
        if asked == Directives::default() && self.list.is_some() && !list.is_ended {
            sleep(half_an_update(&list)).await;
        }
        self.list = Some(list);
        Ok(())
    }

    /// The next part; sometimes only its segment, sometimes as a delta update.
    fn next_question(&self) -> Directives {
        let Some(list) = &self.list else {
            return Directives::default();
        };
        let control = list.control.clone().unwrap_or_default();
        if !control.can_block_reload {
            return Directives::default();
        }
        let is_segment_only = !list.has_parts() || self.reloads.is_multiple_of(SEGMENT_ONLY_EVERY);
        let is_delta = control.can_skip_until.is_some() && self.reloads.is_multiple_of(DELTA_EVERY);
        // If parts are listed, a request for the open segment alone returns at once: ask for the next one.
        let is_open = list.has_parts() && !list.open.parts.is_empty();
        let msn = list.open_msn() + u64::from(is_segment_only && is_open);
        Directives {
            msn: Some(msn),
            part: (!is_segment_only).then_some(list.open.parts.len() as u64),
            skip: is_delta.then_some(Skip::Yes),
        }
    }

    fn fetch_hinted(&self) -> Option<(String, JoinHandle<Result<TimedResponse, FetchError>>)> {
        let list = self.list.as_ref()?;
        let hint = list.hints.iter().find(|hint| hint.kind == HintKind::Part)?;
        let url = resolve(&self.run.urls[self.index], &hint.uri);
        let (client, hinted) = (self.run.client.clone(), url.clone());
        let task = tokio::spawn(async move { client.get_gzip(&hinted).await });
        Some((url, task))
    }

    fn check_headers(
        &self,
        url: &str,
        asked: Directives,
        list: &MediaPlaylist,
        fetched: &TimedResponse,
    ) {
        if list.is_ended {
            return;
        }
        let kind = if is_what_was_asked(asked, list) {
            RequestKind::BlockedPlaylist {
                target_duration: list.target_duration.unwrap_or_default(),
            }
        } else {
            RequestKind::Playlist {
                half_an_update: half_an_update(list),
            }
        };
        let mut findings = self.run.findings();
        check_answer(url, kind, &fetched.answer, &mut findings);
        check_gzipped(url, &fetched.answer, &mut findings);
    }
}

/// A playlist that is ahead of the request, because we or the server were late, counts as a plain one; so does
/// one that is behind it, because the publisher is away.
fn is_what_was_asked(asked: Directives, list: &MediaPlaylist) -> bool {
    let open = list.open_msn();
    let open_parts = list.open.parts.len() as u64;
    asked.msn.is_some_and(|msn| {
        let is_late = msn + 1 < open;
        let is_open = msn == open && asked.part.unwrap_or(0) < open_parts;
        !is_late && (msn < open || is_open)
    })
}

fn with_directives(url: &str, asked: Directives) -> String {
    let mut query = Vec::new();
    query.extend(asked.msn.map(|msn| format!("_HLS_msn={msn}")));
    query.extend(asked.part.map(|part| format!("_HLS_part={part}")));
    query.extend(asked.skip.map(|skip| match skip {
        Skip::Yes => "_HLS_skip=YES".to_owned(),
        Skip::V2 => "_HLS_skip=v2".to_owned(),
    }));
    if query.is_empty() {
        return url.to_owned();
    }
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{}", query.join("&"))
}
