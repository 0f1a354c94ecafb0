//! A broadcast that goes on with another packager, because the first one died with its server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use media::hls::{
    AudioTrack, LatencyLevel, LiveSnapshot, Packager, PackagerSettings, PartFollower, Rendition,
    ResumePoint, Snapshot, Tracks, VideoTrack,
};
use proptest::prelude::*;

use crate::cutting::parameters;
use crate::rig::{FIRST_MSN, TOKEN};

const FRAME_MS: i64 = 40;
const KEY_EVERY: i64 = 50;

/// What a player learns from one rendition, playlist by playlist.
#[derive(Default)]
struct Seen {
    /// The first listed segment of the newest playlist.
    first: u64,
    /// The highest number of which anything was listed.
    highest: u64,
    /// Listed segments: name and discontinuity number.
    segments: BTreeMap<u64, (String, u64)>,
    names: BTreeSet<String>,
}

impl Seen {
    fn look(&mut self, text: &str) {
        let value = |line: &str, tag: &str| -> Option<u64> { line.strip_prefix(tag)?.parse().ok() };
        let (mut msn, mut discontinuities) = (0, 0);
        for line in text.lines() {
            if let Some(first) = value(line, "#EXT-X-MEDIA-SEQUENCE:") {
                assert!(first >= self.first, "{first} after {}", self.first);
                (self.first, msn) = (first, first);
            } else if let Some(number) = value(line, "#EXT-X-DISCONTINUITY-SEQUENCE:") {
                discontinuities = number;
            } else if line == "#EXT-X-DISCONTINUITY" {
                discontinuities += 1;
            } else if line.starts_with("#EXT-X-PART:") {
                self.highest = self.highest.max(msn);
            } else if !line.is_empty() && !line.starts_with('#') {
                let entry = (line.to_owned(), discontinuities);
                let known = self.segments.entry(msn).or_insert_with(|| entry.clone());
                assert_eq!(*known, entry, "segment {msn} has changed");
                self.highest = self.highest.max(msn);
                msn += 1;
            }
        }
        let names = text.split(['"', '\n']);
        let files = names.filter(|name| name.ends_with(".mp4") || name.ends_with(".m4s"));
        self.names.extend(files.map(str::to_owned));
    }

    fn discontinuities(&self) -> BTreeSet<u64> {
        self.segments.values().map(|(_, number)| *number).collect()
    }
}

/// Both renditions of the one stream.
type Renditions = BTreeMap<&'static str, Seen>;

struct Publisher {
    has_video: bool,
    has_audio: bool,
}

impl Publisher {
    fn tracks(&self) -> Tracks {
        let (video, audio) = parameters("plain");
        Tracks {
            video: self.has_video.then(|| VideoTrack {
                config: video,
                frame_us: 40_000.0,
            }),
            audio: self.has_audio.then_some(AudioTrack { config: audio }),
        }
    }

    /// Sends frames, and looks at every playlist that comes of them.
    fn send(
        &self,
        packager: &mut Packager,
        live_snapshot: &LiveSnapshot,
        frames: i64,
        seen: &mut Renditions,
    ) {
        let begins_ms = packager.end_ms();
        let (_, sound) = parameters("plain");
        let samples = i64::from(sound.frame_samples());
        let rate = i64::from(sound.sample_rate());
        let mut sounds = 0;
        for frame in 0..frames {
            let at_ms = begins_ms + frame * FRAME_MS;
            if self.has_video {
                let is_key = frame % KEY_EVERY == 0;
                packager.video(at_ms, 0, is_key, Bytes::from_static(b"picture"));
            }
            while self.has_audio && begins_ms + sounds * samples * 1000 / rate <= at_ms {
                let sound_ms = begins_ms + sounds * samples * 1000 / rate;
                packager.audio(sound_ms, Bytes::from_static(b"sound"));
                sounds += 1;
            }
            if let Some(snapshot) = live_snapshot.now() {
                look(&snapshot, seen);
            }
        }
    }
}

fn look(snapshot: &Arc<Snapshot>, seen: &mut Renditions) {
    for (name, rendition) in [("main", Rendition::Main), ("audio", Rendition::Audio)] {
        if let Some(view) = snapshot.view(rendition) {
            let text = std::str::from_utf8(&view.full.plain).unwrap();
            seen.entry(name).or_default().look(text);
        }
    }
}

fn settings(level: u8, token: u64) -> PackagerSettings {
    PackagerSettings {
        level: LatencyLevel::new(level),
        lists_audio: false,
        token,
        first_msn: FIRST_MSN,
        first_discontinuity: 4,
    }
}

fn resumed(
    level: u8,
    token: u64,
    point: ResumePoint,
    tracks: Tracks,
    now: Timestamp,
) -> (Packager, LiveSnapshot) {
    let (sender, live_snapshot) = LiveSnapshot::new();
    let packager = Packager::resume(settings(level, token), point, tracks, now, sender);
    (packager, live_snapshot)
}

fn began() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn playlists_before_and_after_the_death_of_a_server_are_one_legal_sequence(
        level in 0_u8..=4,
        has_video in any::<bool>(),
        has_sound in any::<bool>(),
        before in 400_i64..900,
        away_secs in -3_i64..40,
        is_noted_late in any::<bool>(),
    ) {
        let publisher = Publisher { has_video, has_audio: has_sound || !has_video };
        let mut seen = Renditions::new();
        let (sender, live_snapshot) = LiveSnapshot::new();
        let tracks = publisher.tracks();
        let mut packager = Packager::new(settings(level, TOKEN), tracks.clone(), began(), sender);
        publisher.send(&mut packager, &live_snapshot, before, &mut seen);
        prop_assume!(live_snapshot.now().is_some());
        let mut point = live_snapshot.now().unwrap().resume_point().unwrap();
        if is_noted_late {
            // The server died with more listed than it had written down.
            publisher.send(&mut packager, &live_snapshot, before, &mut seen);
            let lasted = SignedDuration::from_millis(before * FRAME_MS + 10_000);
            point = point.by(point.date + lasted);
        }
        drop(packager);
        let old: Vec<(&str, u64, BTreeSet<String>)> = seen
            .iter()
            .map(|(name, seen)| (*name, seen.highest, seen.names.clone()))
            .collect();

        let now = began() + SignedDuration::from_millis(before * FRAME_MS) + SignedDuration::from_secs(away_secs);
        let (mut packager, live_snapshot) = resumed(level, TOKEN ^ 0x55, point, tracks, now);
        let mut after = Renditions::new();
        publisher.send(&mut packager, &live_snapshot, 900, &mut after);
        let snapshot = live_snapshot.now().unwrap();
        look(&snapshot, &mut after);
        for (name, highest, names) in old {
            let new = &after[name];
            let first = new.segments.keys().next().copied().unwrap();
            prop_assert!(first > highest, "{name}: {first} after {highest}");
            prop_assert!(new.names.is_disjoint(&names), "{name}: a name was used twice");
            prop_assert_eq!(new.discontinuities(), BTreeSet::from([5]), "{}", name);
            prop_assert_eq!(seen[name].discontinuities(), BTreeSet::from([4]), "{}", name);
        }
        // Whoever stayed sees one list that only moves on.
        look(&snapshot, &mut seen);
        let next = snapshot.resume_point().unwrap();
        prop_assert_eq!(next.discontinuities, 5);
        prop_assert!(next.date >= point.date && next.end_us > point.end_us);
    }
}

#[test]
fn a_broadcast_that_is_taken_over_twice_has_two_discontinuities() {
    let publisher = Publisher {
        has_video: true,
        has_audio: true,
    };
    let tracks = publisher.tracks();
    let (sender, live_snapshot) = LiveSnapshot::new();
    let mut packager = Packager::new(settings(2, TOKEN), tracks.clone(), began(), sender);
    let mut seen = Renditions::new();
    publisher.send(&mut packager, &live_snapshot, 300, &mut seen);
    let mut point = live_snapshot.now().unwrap().resume_point().unwrap();
    for (place, token) in [TOKEN ^ 1, TOKEN ^ 2].into_iter().enumerate() {
        let now = point.date + SignedDuration::from_secs(5);
        let (mut packager, live_snapshot) = resumed(2, token, point, tracks.clone(), now);
        publisher.send(&mut packager, &live_snapshot, 300, &mut seen);
        point = live_snapshot.now().unwrap().resume_point().unwrap();
        assert_eq!(point.discontinuities, 5 + place as u64);
    }
}

#[test]
fn a_time_line_that_goes_on_begins_where_its_recording_ends_and_now() {
    let publisher = Publisher {
        has_video: true,
        has_audio: true,
    };
    let (sender, live_snapshot) = LiveSnapshot::new();
    let (settings, tracks) = (settings(2, TOKEN), publisher.tracks());
    let mut packager = Packager::new_at(settings, 3_600_000_500, tracks, began(), sender);
    publisher.send(&mut packager, &live_snapshot, 300, &mut Renditions::new());
    let found = PartFollower::default().follow(&live_snapshot.now().unwrap());
    assert_eq!(found.len(), 2);
    for rendition in &found {
        let first = &rendition.parts[0];
        assert_eq!(first.start_us, 3_600_001_000);
        assert_eq!(first.date, began());
        assert!(!first.is_discontinuity);
    }
}
