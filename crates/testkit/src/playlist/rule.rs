//! The rules by number, and the record of checks and violations.

use std::collections::BTreeMap;
use std::fmt;

/// A rule for a playlist, a response or a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// `S`: the text is a playlist of RFC 8216bis at all.
    Syntax,
    /// `I`: listed values never change, and the window only slides.
    Identity,
    /// `1` to `18`: the rules of live playlists.
    List(u8),
    /// `H1` to `H9`: the rules for HTTP responses.
    Http(u8),
    /// `M1` to `M3`: the rules for media bytes.
    Media(u8),
    /// `V1` to `V8`: the rules for lists of recordings.
    Recorded(u8),
    /// `R1` to `R5`: the rules for lists that go far back.
    Rewind(u8),
}

impl Rule {
    /// The rules for recordings, which no live stream is asked to keep.
    pub fn of_recordings() -> impl Iterator<Item = Self> {
        (1..=8).map(Self::Recorded)
    }

    /// All rules of live streams, in the order of a report.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Syntax, Self::Identity]
            .into_iter()
            .chain((1..=18).map(Self::List))
            .chain((1..=9).map(Self::Http))
            .chain((1..=3).map(Self::Media))
            .chain((1..=5).map(Self::Rewind))
    }

    /// The rule in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Syntax => "well-formed playlist",
            Self::Identity => "what was listed stays as it was, the window only slides",
            Self::List(number) => list_title(number),
            Self::Http(number) => http_title(number),
            Self::Media(1) => "a segment's bytes are those of its parts",
            Self::Media(2) => "fragments follow one another without gap",
            Self::Media(_) => "parts last as long as they say",
            Self::Recorded(number) => recorded_title(number),
            Self::Rewind(number) => rewind_title(number),
        }
    }

    /// Whether a violation can be observed from outside at all.
    pub fn is_observable(self) -> bool {
        self != Self::Http(8)
    }
}

fn list_title(number: u8) -> &'static str {
    match number {
        1 => "EXT-X-VERSION fits and is constant",
        2 => "TARGETDURATION is constant and holds",
        3 => "PART-TARGET is constant and holds",
        4 => "hold-backs and CAN-SKIP-UNTIL are long enough and constant",
        5 => "parts stand before their segment and add up to it",
        6 => "INDEPENDENT exactly where a sync sample begins",
        7 => "parts are listed near the end only",
        8 => "preload hints are there and come true",
        9 => "blocking reloads",
        10 => "delta updates equal the full list",
        11 => "rendition reports are complete and true",
        12 => "every rendition has parts",
        13 => "PROGRAM-DATE-TIME on every segment, consistent",
        14 => "discontinuities are counted, carry EXT-X-MAP and a part",
        15 => "no segment ends alone before a discontinuity",
        16 => "the window keeps three target durations",
        17 => "the multivariant playlist is complete",
        _ => "ENDLIST is final, and nothing vanishes before it",
    }
}

fn recorded_title(number: u8) -> &'static str {
    match number {
        1 => "complete from number 0 to EXT-X-ENDLIST",
        2 => "no tags of live lists",
        3 => "TARGETDURATION holds",
        4 => "byte ranges are whole, and back to back in their file",
        5 => "EXT-X-MAP is in force, and changes behind a discontinuity only",
        6 => "PROGRAM-DATE-TIME where a file begins",
        7 => "EXT-X-VERSION fits",
        _ => "renditions have the same entries and discontinuities",
    }
}

fn http_title(number: u8) -> &'static str {
    match number {
        1 => "clear-text HTTP/1.1 is answered",
        2 => "playlists are gzipped on request, segments never",
        3 => "Cache-Control",
        4 => "a name never has other bytes",
        5 => "unknown names are 404, nothing is 200 and empty",
        6 => "Content-Length on what is complete",
        7 => "CORS, Timing-Allow-Origin and Range",
        8 => "viewers are not counted by address",
        _ => "content types",
    }
}

fn rewind_title(number: u8) -> &'static str {
    match number {
        1 => "a list that slides has no EXT-X-PLAYLIST-TYPE",
        2 => "a list that goes back ends like the live list",
        3 => "a long list keeps its length",
        4 => "a gap stays one, and offers no parts",
        _ => "what is listed far back is there, and plays on",
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("S"),
            Self::Identity => f.write_str("I"),
            Self::List(number) => write!(f, "{number}"),
            Self::Http(number) => write!(f, "H{number}"),
            Self::Media(number) => write!(f, "M{number}"),
            Self::Recorded(number) => write!(f, "V{number}"),
            Self::Rewind(number) => write!(f, "R{number}"),
        }
    }
}

/// One violation of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule that was broken.
    pub rule: Rule,
    /// The line of the playlist, from 1, if it concerns one.
    pub line: Option<usize>,
    /// What is wrong, for people.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}: ", self.rule)?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.text)
    }
}

/// Counts the checks and collects the violations.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    checks: BTreeMap<Rule, u64>,
    violations: Vec<Violation>,
}

impl Findings {
    /// Makes one check; `text` is called only if it failed.
    pub fn check(&mut self, rule: Rule, ok: bool, text: impl FnOnce() -> String) {
        self.check_at(rule, None, ok, text);
    }

    /// Makes one check that concerns a line.
    pub fn check_at(
        &mut self,
        rule: Rule,
        line: impl Into<Option<usize>>,
        ok: bool,
        text: impl FnOnce() -> String,
    ) {
        *self.checks.entry(rule).or_default() += 1;
        if !ok {
            self.violations.push(Violation {
                rule,
                line: line.into(),
                text: text(),
            });
        }
    }

    /// How often each rule was checked.
    pub fn checks(&self) -> &BTreeMap<Rule, u64> {
        &self.checks
    }

    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    pub fn into_violations(self) -> Vec<Violation> {
        self.violations
    }
}
