//! Playback reports of players: Common Media Client Data (CTA-5004), versions 1 and 2.
//!
//! A report is a set of short keys. It arrives as a JSON object, or as a list `bs,mtp=4200,sid="…"` in a query, a
//! header or a line of a body. Everything here is pure. A report may be made up, so every number is bounded, and only
//! numbers and words of our own are passed on, and the id of a player's session, which is hashed at once.

mod list;

use serde_json::Value as Json;

/// Reports read from one request; further ones are ignored.
pub(crate) const MAX_REPORTS: usize = 100;
/// Keys looked at in one report; further ones are ignored.
const MAX_KEYS: usize = 64;
/// Entries looked at in a value that is a list; further ones are ignored.
const MAX_ENTRIES: usize = 16;
/// Largest number a report is believed, in any unit; larger ones count as this.
const MAX_NUMBER: f64 = 1e9;

/// The keys that make something a report.
const KEYS: [&str; 11] = [
    "v", "sid", "e", "ts", "sta", "mtp", "ltc", "bs", "ec", "ttlb", "sn",
];

/// A value from either notation.
#[derive(Clone, Debug, PartialEq)]
enum CmcdValue {
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<CmcdValue>),
}

/// The parts of a report that we use.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CmcdReport {
    /// The player's own id, to tell players behind one address apart.
    pub(crate) session: Option<String>,
    /// The player's report counter, to detect duplicates.
    pub(crate) sequence: Option<u64>,
    /// One of our own words.
    pub(crate) state: Option<&'static str>,
    /// Measured by the player.
    pub(crate) throughput_kbps: Option<f64>,
    /// Behind live.
    pub(crate) latency_seconds: Option<f64>,
    /// From the request to the last byte.
    pub(crate) download_seconds: Option<f64>,
    /// Errors and stalls.
    pub(crate) errors: u32,
    /// Changes to another quality.
    pub(crate) quality_changes: u32,
}

/// Why a report cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CmcdError {
    /// Not JSON, or JSON that is not a report.
    #[error("the body is not a CMCD report: {0}")]
    Malformed(String),
}

/// A JSON body: one report or a list of them.
pub(crate) fn from_json(body: &[u8]) -> Result<Vec<CmcdReport>, CmcdError> {
    let malformed = |why: &str| CmcdError::Malformed(why.to_owned());
    let json: Json =
        serde_json::from_slice(body).map_err(|error| CmcdError::Malformed(error.to_string()))?;
    let entries = match json {
        Json::Array(entries) => entries,
        one => vec![one],
    };
    let mut reports = Vec::new();
    for entry in entries.into_iter().take(MAX_REPORTS) {
        let Json::Object(entry) = entry else {
            return Err(malformed("a report must be an object"));
        };
        let pairs = entry.into_iter().take(MAX_KEYS);
        let pairs = pairs.filter_map(|(key, value)| Some((key, from_json_value(&value)?)));
        reports.extend(CmcdReport::from_pairs(pairs));
    }
    match reports.is_empty() {
        true => Err(malformed("it has no CMCD keys")),
        false => Ok(reports),
    }
}

/// A list of keys and values, as in a query or a header.
pub(crate) fn from_list(text: &str) -> Option<CmcdReport> {
    CmcdReport::from_pairs(list::pairs(text).into_iter())
}

/// Lists line by line, as players send them with the type `application/cmcd`.
pub(crate) fn from_lines(body: &str) -> Vec<CmcdReport> {
    let lines = body.lines().take(MAX_REPORTS);
    lines.filter_map(from_list).collect()
}

fn from_json_value(json: &Json) -> Option<CmcdValue> {
    Some(match json {
        Json::Bool(flag) => CmcdValue::Flag(*flag),
        Json::Number(number) => CmcdValue::Number(number.as_f64()?),
        Json::String(text) => CmcdValue::Text(text.clone()),
        Json::Array(entries) => {
            let entries = entries.iter().take(MAX_ENTRIES);
            // The format allows only one level of nesting.
            let flat = entries.filter(|entry| !entry.is_array());
            CmcdValue::List(flat.filter_map(from_json_value).collect())
        }
        Json::Null | Json::Object(_) => return None,
    })
}

impl CmcdReport {
    fn from_pairs(pairs: impl Iterator<Item = (String, CmcdValue)>) -> Option<Self> {
        let mut report = Self::default();
        let mut is_report = false;
        let mut event = None;
        for (key, value) in pairs {
            is_report |= KEYS.contains(&key.as_str());
            match key.as_str() {
                "sid" => report.session = value.text().map(str::to_owned),
                "sn" => report.sequence = value.number().map(|number| number as u64),
                "sta" => report.state = value.text().and_then(state),
                "mtp" => report.throughput_kbps = value.number(),
                "ltc" => report.latency_seconds = value.number().map(|ms| ms / 1000.0),
                "ttlb" => report.download_seconds = value.number().map(|ms| ms / 1000.0),
                "bs" => report.errors += u32::from(value.is_set()),
                "ec" => report.errors += value.count(),
                "e" => event = value.text().map(str::to_owned),
                _ => {}
            }
        }
        match event.as_deref() {
            // An error without a code still counts.
            Some("e") if report.errors == 0 => report.errors = 1,
            Some("bc") => report.quality_changes = 1,
            _ => {}
        }
        is_report.then_some(report)
    }
}

impl CmcdValue {
    /// The number; for a list the largest, which belongs to the video.
    fn number(&self) -> Option<f64> {
        let numbers = match self {
            CmcdValue::Number(number) => vec![*number],
            CmcdValue::List(entries) => entries.iter().filter_map(CmcdValue::number).collect(),
            CmcdValue::Flag(_) | CmcdValue::Text(_) => Vec::new(),
        };
        let usable = numbers.into_iter().filter(|number| number.is_finite());
        let bounded = usable.map(|number| number.clamp(0.0, MAX_NUMBER));
        bounded.reduce(f64::max)
    }

    fn text(&self) -> Option<&str> {
        match self {
            CmcdValue::Text(text) => Some(text),
            CmcdValue::Flag(_) | CmcdValue::Number(_) | CmcdValue::List(_) => None,
        }
    }

    fn is_set(&self) -> bool {
        match self {
            CmcdValue::Flag(flag) => *flag,
            CmcdValue::List(entries) => entries.iter().any(CmcdValue::is_set),
            CmcdValue::Number(_) | CmcdValue::Text(_) => false,
        }
    }

    fn count(&self) -> u32 {
        match self {
            CmcdValue::List(entries) => u32::try_from(entries.len()).unwrap_or(u32::MAX),
            CmcdValue::Flag(flag) => u32::from(*flag),
            CmcdValue::Number(_) | CmcdValue::Text(_) => 1,
        }
    }
}

fn state(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "s" => "starting",
        "p" => "playing",
        "k" => "seeking",
        "r" => "rebuffering",
        "a" => "paused",
        "w" => "waiting",
        "e" => "ended",
        "f" => "failed",
        "q" => "quit",
        "d" => "preloading",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
