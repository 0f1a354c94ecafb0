//! Reads a recording once: every list, and every byte that is listed.

use std::time::Duration;

use super::client::{FetchError, HttpClient};
use super::report::LiveReport;
use crate::playlist::http::HttpResponse;
use crate::playlist::master::Master;
use crate::playlist::media::{Init, Timeline};
use crate::playlist::recorded::{FileRange, RecordedList, check_recorded, check_recorded_beside};
use crate::playlist::rule::{Findings, Rule};
use crate::playlist::uri::resolve;

/// Applies the rules to the recording whose multivariant playlist is at `url`.
pub(super) async fn check(
    client: &HttpClient,
    url: &str,
    master: &Master,
    findings: Findings,
) -> Result<LiveReport, FetchError> {
    let mut report = LiveReport::new(url);
    report.add("", findings);
    let mut first: Option<RecordedList> = None;
    for rendition in &master.renditions {
        let own = resolve(url, &rendition.uri);
        let mut findings = Findings::default();
        let answer = client.get(&own).await?.answer;
        findings.check(Rule::Http(5), answer.status == 200, || {
            format!("a listed playlist is answered with {}", answer.status)
        });
        let list = check_recorded(&answer.text(), &mut findings);
        read(client, &own, &list, &mut findings).await?;
        match &first {
            Some(first) => check_recorded_beside(first, &list, &mut findings),
            None => first = Some(list),
        }
        report.add(&own, findings);
    }
    Ok(report)
}

/// A segment that is checked when it is known what follows: where that is time alone, its last frame may last into it.
struct Fetched {
    name: String,
    bytes: Vec<u8>,
    init: Init,
    listed: Duration,
}

impl Fetched {
    fn check(self, timeline: &mut Timeline, findings: &mut Findings) {
        let listed = Some(self.listed);
        timeline.follow(&self.name, &self.bytes, &self.init, listed, findings);
    }
}

/// Fetches everything in its order, as a player that plays it from its beginning to its end.
async fn read(
    client: &HttpClient,
    url: &str,
    list: &RecordedList,
    findings: &mut Findings,
) -> Result<(), FetchError> {
    let mut timeline = Timeline::default();
    let mut map: Option<(FileRange, Init)> = None;
    let mut held: Option<Fetched> = None;
    for segment in &list.segments {
        if segment.is_discontinuity || segment.place.is_none() {
            if let Some(before) = held.take() {
                before.check(&mut timeline, findings);
            }
            timeline.restart();
        }
        let Some(place) = &segment.place else {
            continue;
        };
        let Some(wanted) = &segment.map else { continue };
        if map.as_ref().is_none_or(|(known, _)| known != wanted) {
            let bytes = fetch(client, url, wanted, findings).await?.body;
            let init = Init::parse(&bytes);
            findings.check(Rule::Media(2), init.is_ok(), || {
                format!("the map {} cannot be read", wanted.uri)
            });
            map = init.ok().map(|init| (wanted.clone(), init));
        }
        let bytes = fetch(client, url, place, findings).await?.body;
        let Some((_, init)) = &map else { continue };
        if let Some(before) = held.as_mut().filter(|_| init.has_no_samples(&bytes)) {
            before.listed += segment.duration;
            continue;
        }
        let fetched = Fetched {
            name: format!("{} at {}", place.uri, place.bytes.start),
            bytes,
            init: *init,
            listed: segment.duration,
        };
        if let Some(before) = held.replace(fetched) {
            before.check(&mut timeline, findings);
        }
    }
    if let Some(last) = held {
        last.check(&mut timeline, findings);
    }
    Ok(())
}

async fn fetch(
    client: &HttpClient,
    url: &str,
    place: &FileRange,
    findings: &mut Findings,
) -> Result<HttpResponse, FetchError> {
    let url = resolve(url, &place.uri);
    // Files have five minutes at most, so places in them fit.
    let (first, end) = (place.bytes.start as usize, place.bytes.end as usize);
    let last = end.saturating_sub(1);
    let answer = client.get_range(&url, first, last).await?.answer;
    let said = answer.header("content-range").unwrap_or_default();
    let ok = answer.status == 206
        && answer.body.len() == end - first
        && said.starts_with(&format!("bytes {first}-{last}/"));
    findings.check(Rule::Http(7), ok, || {
        let (status, len) = (answer.status, answer.body.len());
        format!("bytes {first} to {last} of {url}: {status} with {len} bytes, {said:?}")
    });
    Ok(answer)
}
