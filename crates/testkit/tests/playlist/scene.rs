//! A small correct packager: half-second parts, two-second segments, one list per tick of half a second.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

use testkit::playlist::{Checker, Directives, Observation, Role, Skip, Violation};

pub(crate) const PARTS: u64 = 4;

#[derive(Clone, Debug)]
pub(crate) struct Scene {
    /// First letter of all names: `v` or `a`.
    pub(crate) letter: char,
    pub(crate) has_parts: bool,
    /// Complete segments kept in the playlist.
    pub(crate) window: u64,
    /// The segment that begins after a discontinuity of timeline and configuration.
    pub(crate) break_at: Option<u64>,
    /// The tick at which the stream ends.
    pub(crate) ends_at: Option<u64>,
    /// URI of another rendition in step with this one.
    pub(crate) other: Option<&'static str>,
    pub(crate) is_independent: bool,
}

impl Scene {
    pub(crate) fn video() -> Self {
        Self {
            letter: 'v',
            has_parts: true,
            window: 10,
            break_at: None,
            ends_at: None,
            other: None,
            is_independent: true,
        }
    }

    /// The playlist when `tick` parts are complete.
    pub(crate) fn list(&self, tick: u64) -> String {
        self.write(tick, 0)
    }

    /// The same as a delta update, if any segment is old enough: CAN-SKIP-UNTIL is six whole segments.
    pub(crate) fn delta(&self, tick: u64) -> String {
        let (first, whole) = self.range(tick);
        self.write(tick, (whole - first).saturating_sub(6))
    }

    fn is_ended(&self, tick: u64) -> bool {
        self.ends_at.is_some_and(|end| tick >= end)
    }

    /// Media sequence numbers of the playlist: the first, and the one after the last complete segment.
    fn range(&self, tick: u64) -> (u64, u64) {
        let mut whole = tick / PARTS;
        // The segment before a discontinuity is closed together with the first part after it.
        let is_before_break = self.break_at == Some(whole) && tick.is_multiple_of(PARTS);
        if is_before_break && self.has_parts {
            whole -= 1;
        }
        (whole.saturating_sub(self.window), whole)
    }

    fn write(&self, tick: u64, skipped: u64) -> String {
        let tick = tick.min(self.ends_at.unwrap_or(tick));
        let (first, whole) = self.range(tick);
        let mut text = self.header(first);
        if skipped > 0 {
            writeln!(text, "#EXT-X-SKIP:SKIPPED-SEGMENTS={skipped}").unwrap();
        } else {
            let map = if self.break_at.is_some_and(|at| first > at) {
                2
            } else {
                1
            };
            writeln!(text, "#EXT-X-MAP:URI=\"init-{map}.mp4\"").unwrap();
        }
        for msn in first + skipped..whole {
            self.segment(&mut text, msn, PARTS, whole - msn <= 3);
            let letter = self.letter;
            writeln!(text, "#EXTINF:2.00000,\n{letter}{msn}.m4s").unwrap();
        }
        let open = tick - whole * PARTS;
        if self.has_parts && open > 0 {
            self.segment(&mut text, whole, open, true);
        }
        self.footer(&mut text, tick);
        text
    }

    fn header(&self, first: u64) -> String {
        let mut text = "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:2\n".to_owned();
        if self.has_parts {
            text += "#EXT-X-PART-INF:PART-TARGET=0.5\n";
            text += "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5,HOLD-BACK=6.0,CAN-SKIP-UNTIL=12.0\n";
        } else {
            text += "#EXT-X-SERVER-CONTROL:HOLD-BACK=6.0\n";
        }
        if self.is_independent {
            text += "#EXT-X-INDEPENDENT-SEGMENTS\n";
        }
        writeln!(text, "#EXT-X-MEDIA-SEQUENCE:{first}").unwrap();
        let gone = u64::from(self.break_at.is_some_and(|at| first > at));
        writeln!(text, "#EXT-X-DISCONTINUITY-SEQUENCE:{gone}").unwrap();
        text
    }

    /// The tags of a segment up to its EXTINF.
    fn segment(&self, text: &mut String, msn: u64, parts: u64, lists_parts: bool) {
        let mut millis = msn * 2_000;
        if self.break_at.is_some_and(|at| msn >= at) {
            millis += 3_250;
        }
        if self.break_at == Some(msn) {
            text.push_str("#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"init-2.mp4\"\n");
        }
        let (minutes, seconds) = (millis / 60_000, millis as f64 % 60_000.0 / 1_000.0);
        writeln!(
            text,
            "#EXT-X-PROGRAM-DATE-TIME:2026-11-15T10:{minutes:02}:{seconds:06.3}Z"
        )
        .unwrap();
        for part in 0..parts {
            let is_independent = part == 0 || self.letter == 'a';
            let independent = if is_independent {
                ",INDEPENDENT=YES"
            } else {
                ""
            };
            let letter = self.letter;
            if self.has_parts && lists_parts {
                writeln!(
                    text,
                    "#EXT-X-PART:DURATION=0.50000,URI=\"{letter}{msn}.{part}.m4s\"{independent}"
                )
                .unwrap();
            }
        }
    }

    fn footer(&self, text: &mut String, tick: u64) {
        if self.is_ended(tick) {
            text.push_str("#EXT-X-ENDLIST\n");
            return;
        }
        if self.has_parts {
            let (letter, msn, part) = (self.letter, tick / PARTS, tick % PARTS);
            writeln!(
                text,
                "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"{letter}{msn}.{part}.m4s\""
            )
            .unwrap();
        }
        if let Some(other) = self.other {
            let (msn, part) = ((tick - 1) / PARTS, (tick - 1) % PARTS);
            writeln!(
                text,
                "#EXT-X-RENDITION-REPORT:URI=\"{other}\",LAST-MSN={msn},LAST-PART={part}"
            )
            .unwrap();
        }
    }
}

/// The time of a tick.
pub(crate) fn at(tick: u64) -> Duration {
    Duration::from_millis(tick * 500)
}

/// Feeds playlists of the scene for the given ticks; fails on any violation.
pub(crate) fn fed(scene: &Scene, ticks: impl IntoIterator<Item = u64>) -> Checker {
    let role = if scene.letter == 'a' {
        Role::Audio
    } else {
        Role::Video
    };
    let mut checker = Checker::new(role).at("http://h/hls/this.m3u8");
    for tick in ticks {
        let text = scene.list(tick);
        let found = checker.observe(&Observation::of(at(tick), &text));
        assert!(found.is_empty(), "tick {tick}: {found:?}\n{text}");
    }
    checker
}

/// A delta update as the response to a request for one.
pub(crate) fn delta_answer(tick: u64, text: &str) -> Observation<'_> {
    Observation {
        asked: Directives {
            skip: Some(Skip::Yes),
            ..Directives::default()
        },
        ..Observation::of(at(tick), text)
    }
}

/// The numbers of the broken rules, each once.
pub(crate) fn rules(violations: &[Violation]) -> Vec<String> {
    let rules: BTreeSet<_> = violations.iter().map(|found| found.rule).collect();
    rules.into_iter().map(|rule| rule.to_string()).collect()
}

/// Replaces text that must be present, so that no test passes by editing nothing.
pub(crate) fn edit(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in\n{text}");
    text.replacen(from, to, 1)
}

/// Follows the scene up to `tick`, then feeds the playlist of that tick changed by `change`: exactly this rule
/// is broken.
pub(crate) fn assert_breaks(rule: &str, scene: &Scene, tick: u64, change: impl Fn(&str) -> String) {
    let mut checker = fed(scene, 1..tick);
    let good = scene.list(tick);
    let broken = change(&good);
    assert_ne!(good, broken);
    let found = checker.observe(&Observation::of(at(tick), &broken));
    assert_eq!(rules(&found), [rule], "{found:#?}\n{broken}");
    let mut checker = fed(scene, 1..tick);
    let found = checker.observe(&Observation::of(at(tick), &good));
    assert!(
        found.is_empty(),
        "the unchanged list is no good either: {found:?}"
    );
}
