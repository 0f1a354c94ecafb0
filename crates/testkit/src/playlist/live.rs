//! Follows a live stream over HTTP as players do, and applies the rules to every response.
//!
//! Each rendition is followed twice at the same time: by a low-latency player (blocking reloads, preload
//! hints, delta updates, every part and segment once) and by an old one (plain reloads). In addition, a
//! prober sends requests that no player sends. Clear-text HTTP/1.1 only.

mod bare;
mod client;
mod far_back;
mod follow;
mod media;
mod probes;
mod recording;
mod report;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::checker::Checker;
use super::http::{RequestKind, check_answer};
use super::master::check_master;
use super::model::MediaPlaylist;
use super::observation::{Observation, OtherRendition};
use super::recorded::is_recorded;
use super::rule::{Findings, Rule};
use super::uri::resolve;

pub use client::FetchError;
pub use report::LiveReport;

/// Follows the stream whose multivariant playlist is at `url` for this duration; a recording is read once, and whole.
pub async fn check(url: &str, length: Duration) -> Result<LiveReport, FetchError> {
    check_beside(url, None, length).await
}

/// The same for a stream that goes back: its lists must end like those of `live`, the same stream as it is for those who stay
/// live.
pub async fn check_beside(
    url: &str,
    live: Option<&str>,
    length: Duration,
) -> Result<LiveReport, FetchError> {
    let client = client::HttpClient::new();
    let mut findings = Findings::default();
    let first = client.get(url).await?;
    if first.answer.status != 200 {
        return Err(FetchError::NoStream(first.answer.status));
    }
    check_answer(url, RequestKind::Master, &first.answer, &mut findings);
    let master = check_master(&first.answer.text(), &mut findings);
    if let Some(one) = master.renditions.first() {
        let list = client.get(&resolve(url, &one.uri)).await?.answer;
        if list.status == 200 && is_recorded(&list.text()) {
            return recording::check(&client, url, &master, findings).await;
        }
    }

    let live_lists: Vec<String> = match live {
        Some(live) => {
            let fetched = client.get(live).await?;
            let master = check_master(&fetched.answer.text(), &mut findings);
            let renditions = master.renditions.iter();
            renditions.map(|one| resolve(live, &one.uri)).collect()
        }
        None => Vec::new(),
    };
    let renditions = master.renditions.iter();
    let urls: Vec<String> = renditions.map(|one| resolve(url, &one.uri)).collect();
    let checkers = master.renditions.iter().zip(&urls).map(|(one, own)| {
        let others: Vec<&str> = urls
            .iter()
            .filter(|url| *url != own)
            .map(String::as_str)
            .collect();
        Checker::new(one.role).at(own).beside(&others)
    });
    let run = Arc::new(LiveRun {
        client,
        deadline: Instant::now() + length,
        checkers: Mutex::new(checkers.collect()),
        urls,
        findings: Mutex::new(findings),
        left: Mutex::new(Vec::new()),
    });
    let mut players = tokio::task::JoinSet::new();
    for (index, one) in master.renditions.iter().enumerate() {
        players.spawn(follow::follow(Arc::clone(&run), index));
        players.spawn(bare::reload(Arc::clone(&run), index, one.role));
        players.spawn(probes::probe_rendition(Arc::clone(&run), index));
        players.spawn(far_back::probe(Arc::clone(&run), index));
        let own = &run.urls[index];
        let is_beside = |live: &&String| folder(live) == folder(own);
        let live = live_lists.iter().find(|live| *live == own);
        if let Some(live) = live.or_else(|| live_lists.iter().find(is_beside)) {
            players.spawn(far_back::compare(Arc::clone(&run), index, live.clone()));
        }
    }
    players.spawn(probes::probe_master(Arc::clone(&run), url.to_owned()));
    while let Some(ended) = players.join_next().await {
        if let Err(error) = ended {
            run.fault(&format!("a player of the checker stopped: {error}"));
        }
    }
    let is_independent = match run.client.get(url).await {
        Ok(last) if last.answer.status == 200 => {
            check_master(&last.answer.text(), &mut run.findings()).is_independent
        }
        _ => master.is_independent,
    };
    Ok(run.finish(url, is_independent))
}

/// Lists of one rendition are in one folder.
fn folder(url: &str) -> &str {
    url.rsplit_once('/').map_or(url, |(folder, _)| folder)
}

/// State shared by all players of one run.
#[derive(Debug)]
struct LiveRun {
    client: client::HttpClient,
    deadline: Instant,
    urls: Vec<String>,
    /// For the low-latency players, in the order of `urls`.
    checkers: Mutex<Vec<Checker>>,
    /// Findings outside the playlists themselves.
    findings: Mutex<Findings>,
    /// Findings of finished players, by name.
    left: Mutex<Vec<(String, Findings)>>,
}

impl LiveRun {
    /// A player that panicked has lost its own findings; those of the others still count.
    fn findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn checkers(&self) -> MutexGuard<'_, Vec<Checker>> {
        self.checkers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the findings of a finished player.
    fn leave(&self, name: &str, findings: Findings) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.push((name.to_owned(), findings));
    }

    /// Records a failed request.
    fn fault(&self, text: &str) {
        self.findings()
            .check(Rule::Http(1), false, || text.to_owned());
    }

    /// Checks a response of one rendition, and tells the other renditions its progress.
    fn observe(&self, index: usize, seen: &Observation<'_>) {
        let mut checkers = self.checkers();
        checkers[index].observe(seen);
        let edge = MediaPlaylist::read(seen.text).edge();
        let Some(edge) = edge.filter(|_| seen.status == 200) else {
            return;
        };
        let other = OtherRendition {
            asked_at: seen.asked_at,
            at: seen.at,
            edge,
        };
        for (number, checker) in checkers.iter_mut().enumerate() {
            if number != index {
                checker.saw_other(&self.urls[index], &other);
            }
        }
    }

    /// Runs until the stream's time is over; unfinished work is dropped.
    async fn until_the_end<F: Future>(&self, work: F) -> Option<F::Output> {
        timeout_at(self.deadline, work).await.ok()
    }

    fn finish(&self, url: &str, master_is_independent: bool) -> LiveReport {
        let mut report = LiveReport::new(url);
        report.add("", std::mem::take(&mut *self.findings()));
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, findings) in left.drain(..) {
            report.add(&name, findings);
        }
        let mut checkers = self.checkers();
        let any_depends = checkers.iter().any(Checker::saw_dependent_start);
        for (checker, url) in checkers.iter_mut().zip(&self.urls) {
            checker.finish(master_is_independent, any_depends);
            report.add(url, checker.findings().clone());
        }
        report
    }
}
