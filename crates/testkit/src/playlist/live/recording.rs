//! Reads a recording once: every list, and every byte that is listed.

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

/// Fetches everything in its order, as a player that plays it from its beginning to its end.
async fn read(
    client: &HttpClient,
    url: &str,
    list: &RecordedList,
    findings: &mut Findings,
) -> Result<(), FetchError> {
    let mut timeline = Timeline::default();
    let mut map: Option<(FileRange, Init)> = None;
    for segment in &list.segments {
        let Some(place) = &segment.place else {
            timeline.restart();
            continue;
        };
        if segment.is_discontinuity {
            timeline.restart();
        }
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
        if let Some((_, init)) = &map {
            let name = format!("{} at {}", place.uri, place.bytes.start);
            timeline.follow(&name, &bytes, init, Some(segment.duration), findings);
        }
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
