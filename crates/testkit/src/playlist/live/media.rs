//! Downloads parts, segments and initialization sections once each, and compares them with the playlist.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::LiveRun;
use super::client::{FetchError, TimedResponse};
use crate::playlist::http::{RequestKind, check_answer, check_range, check_same_bytes};
use crate::playlist::media::{Init, Timeline, check_segment_is_its_parts};
use crate::playlist::model::{MediaPlaylist, PartialSegment, Segment};
use crate::playlist::rule::Rule;
use crate::playlist::uri::resolve;

/// Every so many segments one is asked for in part and once more, to see whether it is still the same.
const CLOSER_LOOK_EVERY: u64 = 3;

/// Segments fetched when a stream without parts is joined.
const SEGMENTS_AT_START: u64 = 3;

pub(super) struct Downloads {
    run: Arc<LiveRun>,
    index: usize,
    /// Initialization sections by address.
    inits: HashMap<String, Option<Init>>,
    /// The map in force, for delta updates that do not repeat it.
    map: Option<String>,
    timeline: Timeline,
    /// The map of the fragments last seen by the timeline.
    followed_map: Option<String>,
    /// The segment being fetched, and its parts so far.
    msn: u64,
    parts: Vec<Vec<u8>>,
    /// A part of the previous segment, to be fetched again after it is no longer listed.
    old_part: Option<(String, Vec<u8>)>,
    /// The newest fetched parts, for comparison with the hinted one.
    newest: HashMap<String, Vec<u8>>,
}

/// Where a player joins: at the parts, or three segments before the end. Older segments may leave the
/// playlist while they are fetched.
fn first_to_fetch(list: &MediaPlaylist) -> u64 {
    let with_parts = list
        .numbered()
        .find(|(_, segment)| !segment.parts.is_empty());
    let near_the_end = list.open_msn().saturating_sub(SEGMENTS_AT_START);
    with_parts
        .map_or(near_the_end, |(msn, _)| msn)
        .max(list.first_listed())
}

impl Downloads {
    pub(super) fn new(run: Arc<LiveRun>, index: usize) -> Self {
        Self {
            run,
            index,
            inits: HashMap::new(),
            map: None,
            timeline: Timeline::default(),
            followed_map: None,
            msn: 0,
            parts: Vec::new(),
            old_part: None,
            newest: HashMap::new(),
        }
    }

    /// Fetches what is new in the playlist.
    pub(super) async fn fetch_new(&mut self, list: &MediaPlaylist) -> Result<(), FetchError> {
        self.newest.clear();
        if self.msn == 0 {
            self.msn = first_to_fetch(list);
        }
        for (msn, segment) in list.numbered() {
            if msn < self.msn {
                continue;
            }
            if msn > self.msn {
                self.timeline.restart();
                self.begin(msn);
            }
            if segment.map.is_some() {
                self.map.clone_from(&segment.map);
            }
            if segment.is_gap {
                self.timeline.restart();
                continue;
            }
            let init = self.init().await?;
            for part in segment.parts.iter().skip(self.parts.len()) {
                self.fetch_part(segment, part, init.as_ref()).await?;
            }
            if segment.is_complete() {
                self.fetch_segment(msn, segment, init.as_ref()).await?;
                self.begin(msn + 1);
            }
        }
        self.look_back(list).await
    }

    fn begin(&mut self, msn: u64) {
        self.msn = msn;
        self.parts.clear();
    }

    async fn fetch_part(
        &mut self,
        segment: &Segment,
        part: &PartialSegment,
        init: Option<&Init>,
    ) -> Result<(), FetchError> {
        let url = self.resolve(&part.uri);
        let bytes = self.fetch(&url).await?;
        let is_first = self.parts.is_empty();
        if let Some(init) = init {
            if is_first {
                self.check_break(segment, &bytes, init);
            }
            let listed = Some(part.duration);
            let mut findings = self.run.findings();
            self.timeline
                .follow(&url, &bytes, init, listed, &mut findings);
        }
        self.followed_map.clone_from(&self.map);
        self.run.checkers()[self.index].check_media_bytes(&part.uri, &bytes, init);
        self.newest.insert(url, bytes.clone());
        self.parts.push(bytes);
        Ok(())
    }

    async fn fetch_segment(
        &mut self,
        msn: u64,
        segment: &Segment,
        init: Option<&Init>,
    ) -> Result<(), FetchError> {
        let url = self.resolve(&segment.uri);
        let bytes = self.fetch(&url).await?;
        if segment.parts.is_empty() {
            if let Some(init) = init {
                self.check_break(segment, &bytes, init);
                if !self.parts.is_empty() {
                    // Some of its parts were fetched, the others left the playlist unseen.
                    self.timeline.restart();
                }
                let listed: Option<Duration> = Some(segment.duration);
                self.timeline
                    .follow(&url, &bytes, init, listed, &mut self.run.findings());
            }
            self.followed_map.clone_from(&self.map);
        } else {
            check_segment_is_its_parts(&url, &bytes, &self.parts, &mut self.run.findings());
            if self.old_part.is_none() {
                let uri = segment.parts.first().map(|part| part.uri.clone());
                self.old_part = uri.zip(self.parts.first().cloned());
            }
        }
        if msn.is_multiple_of(CLOSER_LOOK_EVERY) && bytes.len() > 2 {
            let (first, last) = (1, bytes.len() - 2);
            let range = self.run.client.get_range(&url, first, last).await?;
            let again = self.run.client.get_gzip(&url).await?;
            let mut findings = self.run.findings();
            check_range(&url, &bytes, (first, last), &range.answer, &mut findings);
            check_same_bytes(&url, &bytes, &again.answer.body, &mut findings);
        }
        Ok(())
    }

    /// A discontinuity must change the map or the time; if it does, the timeline restarts.
    fn check_break(&mut self, segment: &Segment, bytes: &[u8], init: &Init) {
        if segment.discontinuity.is_none() {
            return;
        }
        let has_new_map = self.map != self.followed_map;
        let is_idle = self.timeline.would_continue(bytes, init) && !has_new_map;
        self.run.findings().check(Rule::List(14), !is_idle, || {
            format!(
                "{} follows a discontinuity, but neither time nor map breaks",
                segment.uri
            )
        });
        self.timeline.restart();
    }

    /// A player that is slightly late can still fetch a part that has just left the playlist.
    async fn look_back(&mut self, list: &MediaPlaylist) -> Result<(), FetchError> {
        let Some((uri, bytes)) = &self.old_part else {
            return Ok(());
        };
        let mut parts = list.numbered().flat_map(|(_, segment)| &segment.parts);
        if parts.any(|part| part.uri == *uri) {
            return Ok(());
        }
        let url = self.resolve(uri);
        let fetched = self.run.client.get_gzip(&url).await?;
        let status = fetched.answer.status;
        let mut findings = self.run.findings();
        findings.check(Rule::List(7), status == 200, || {
            format!("{url} has just left the list and is answered with {status}")
        });
        if status == 200 {
            check_same_bytes(&url, bytes, &fetched.answer.body, &mut findings);
        }
        drop(findings);
        self.old_part = None;
        Ok(())
    }

    /// The hinted part, requested in advance, must equal the part that was listed.
    pub(super) fn compare_hinted(&self, url: &str, fetched: &TimedResponse) {
        let status = fetched.answer.status;
        let Some(bytes) = self.newest.get(url) else {
            return;
        };
        let mut findings = self.run.findings();
        findings.check(Rule::Http(5), status == 200, || {
            format!("{url} was hinted at and is listed now, but the waiting request got {status}")
        });
        if status == 200 {
            check_answer(url, RequestKind::Media, &fetched.answer, &mut findings);
            check_same_bytes(url, bytes, &fetched.answer.body, &mut findings);
        }
    }

    async fn init(&mut self) -> Result<Option<Init>, FetchError> {
        let Some(map) = self.map.clone() else {
            return Ok(None);
        };
        let url = self.resolve(&map);
        if let Some(known) = self.inits.get(&url) {
            return Ok(*known);
        }
        let bytes = self.fetch(&url).await?;
        let init = Init::parse(&bytes);
        self.run.findings().check(Rule::Media(2), init.is_ok(), || {
            format!("{url} cannot be read: {:?}", init.err())
        });
        self.inits.insert(url, init.ok());
        Ok(init.ok())
    }

    /// A listed name must exist.
    async fn fetch(&self, url: &str) -> Result<Vec<u8>, FetchError> {
        let fetched = self.run.client.get_gzip(url).await?;
        let status = fetched.answer.status;
        let mut findings = self.run.findings();
        findings.check(Rule::Http(5), status == 200, || {
            format!("{url} is listed and answered with {status}")
        });
        check_answer(url, RequestKind::Media, &fetched.answer, &mut findings);
        Ok(fetched.answer.body)
    }

    fn resolve(&self, uri: &str) -> String {
        resolve(&self.run.urls[self.index], uri)
    }
}
