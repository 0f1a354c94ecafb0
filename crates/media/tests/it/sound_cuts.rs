//! Where encoded sound is cut, with an encoder that returns its input some frames later.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use media::hls::{
    EncoderEvent, LadderOffer, OfferedRung, Packager, PictureFrame, Snapshot, SoundFrame,
    SourceEncoder,
};
use media::ingest::Ingest;
use media::transcoder::{Alignment, EncodedFrame};
use media_formats::codec::{AudioConfig, VideoConfig};
use mp4_atom::{Decode, Moof};
use testkit::clips::clip;

use crate::clips::{send, send_file};
use crate::rig::{Encoder, Rig};
use crate::room::{Judge, first_msn, master, text, token};

/// Half a frame, and a playlist's rounding.
const MOST_APART_US: i64 = 60_000;
/// Bytes before the samples of a fragment.
const MDAT_HEADER: usize = 8;

/// Returns every frame after a delay of some others, and disappears briefly at intervals.
#[derive(Debug)]
struct Echo {
    waiting: VecDeque<SoundFrame>,
    ready: Vec<EncoderEvent>,
    delay: usize,
    absences: Option<usize>,
    count: usize,
    is_shown: bool,
    config: Arc<AudioConfig>,
}

impl Echo {
    fn new(config: Arc<AudioConfig>, delay: usize, absences: Option<usize>) -> Self {
        Self {
            waiting: VecDeque::new(),
            ready: Vec::new(),
            delay,
            absences,
            count: 0,
            is_shown: false,
            config,
        }
    }
}

impl SourceEncoder for Echo {
    fn give(&mut self, _: PictureFrame) {}

    fn give_sound(&mut self, sound: SoundFrame) {
        self.count += 1;
        if self
            .absences
            .is_some_and(|every| self.count.is_multiple_of(every))
        {
            self.is_shown = false;
            self.waiting.clear();
            self.ready.push(EncoderEvent::HideSound);
        }
        self.waiting.push_back(sound);
        if self.waiting.len() <= self.delay {
            return;
        }
        if !self.is_shown {
            self.is_shown = true;
            let config = Arc::clone(&self.config);
            self.ready.push(EncoderEvent::ShowSound { config });
        }
        let SoundFrame { at_ms, data, .. } = self.waiting.pop_front().unwrap();
        self.ready.push(EncoderEvent::Sound { at_ms, data });
    }

    fn take(&mut self, into: &mut Vec<EncoderEvent>) {
        into.append(&mut self.ready);
    }

    fn note_listed(&mut self, rungs: &[usize], _: bool) {
        assert!(rungs.is_empty());
    }
}

/// Gives a packager its sound a second time.
fn echo(delay: usize, absences: Option<usize>, lists_both_sounds: bool) -> Encoder {
    Box::new(move |packager| {
        let Some(audio) = packager.tracks().audio.clone() else {
            return;
        };
        let echo = Echo::new(audio.config, delay, absences);
        let offer = LadderOffer {
            rungs: Vec::new(),
            above_source: 0,
            lists_both_sounds,
        };
        packager.encode(Box::new(echo), offer);
    })
}

/// Sends clips one after the other and checks everything; returns how often the sound was listed twice, and the
/// violations.
fn played(clips: &[&str], level: u8, encoder: Encoder) -> (usize, Vec<String>) {
    let files: Vec<(&str, Bytes)> = clips.iter().map(|name| (*name, clip(name))).collect();
    played_files(&files, level, encoder)
}

/// The same for named files.
pub(crate) fn played_files(
    files: &[(&str, Bytes)],
    level: u8,
    encoder: Encoder,
) -> (usize, Vec<String>) {
    let mut rig = Rig::new(level);
    rig.encoder = Some(encoder);
    let judge = Rc::new(RefCell::new((Judge::default(), 0)));
    let seen = Rc::clone(&judge);
    rig.watcher = Some(Box::new(move |now: &Arc<Snapshot>| {
        let (judge, count) = &mut *seen.borrow_mut();
        judge.look(now);
        let is_listed = master(now).contains("URI=\"aac/stream.m3u8\"");
        assert_eq!(is_listed, now.aac.is_some());
        *count += usize::from(is_listed);
    }));
    for (name, file) in files {
        send_file(&mut rig, &mut Ingest::default(), name, file.clone(), 0);
    }
    rig.finish_quietly();
    let (judge, count) = &*judge.borrow();
    (*count, judge.wrong.clone())
}

/// Segments with the same number begin at the same time, to the nearest frame; returns how many were compared.
fn compared(now: &Snapshot) -> usize {
    let [encoded, own] = [&now.aac, &now.audio].map(|view| view.as_ref().unwrap());
    let [ours, theirs] = [encoded, own].map(|view| token(&text(view)));
    let mut count = 0;
    for msn in first_msn(&text(encoded))..encoded.open_msn() {
        let segment = encoded.segment(ours, msn).unwrap();
        let Some(other) = own.segment(theirs, msn) else {
            continue;
        };
        let apart_us = (segment.start_us - other.start_us).abs();
        assert!(apart_us <= MOST_APART_US, "{msn}: {apart_us}");
        count += 1;
    }
    count
}

/// Sends various clips, with a fast encoder and a slow one.
fn keeps_every_rule(level: u8) {
    for delay in [0, 20] {
        for clip in ["plain", "bframes", "silent-mic", "25fps", "gop10", "mp3"] {
            let clips = [clip; 2];
            let (count, wrong) = played(&clips, level, echo(delay, None, true));
            let what = format!("{clip}, {delay} behind");
            assert!(count > 0, "{what}");
            assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
        }
    }
}

#[test]
fn whatever_is_sent_encoded_sound_keeps_every_rule_in_the_shortest_parts() {
    keeps_every_rule(0);
}

#[test]
fn whatever_is_sent_encoded_sound_keeps_every_rule_in_usual_parts() {
    keeps_every_rule(2);
}

#[test]
fn whatever_is_sent_encoded_sound_keeps_every_rule_without_parts() {
    keeps_every_rule(4);
}

#[test]
fn encoded_sound_comes_and_goes_and_every_list_keeps_every_rule() {
    for absences in [150, 400] {
        let clips = [
            "plain",
            "bframes",
            "audio-only",
            "360p",
            "video-only",
            "plain",
        ];
        let (count, wrong) = played(&clips, 2, echo(3, Some(absences), true));
        assert!(count > 0, "{absences}");
        assert!(wrong.is_empty(), "{absences}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn encoded_sound_stands_beside_the_sound_that_is_passed_through_however_late_it_comes() {
    // The last delay is more than three seconds.
    for delay in [0, 10, 150] {
        for clip in ["plain", "25fps"] {
            let mut rig = Rig::new(2);
            rig.encoder = Some(echo(delay, None, false));
            // The rig's own checkers know only the usual playlists.
            rig.watcher = Some(Box::new(|_| {}));
            for _ in 0..3 {
                send(&mut rig, &mut Ingest::default(), clip, 0);
            }
            let now = rig.snapshot();
            assert!(compared(&now) >= 2, "{clip}, {delay} behind");
            let (main, encoded) = (now.main.as_ref().unwrap(), now.aac.as_ref().unwrap());
            let behind = main.open_msn() - encoded.open_msn();
            let expected = if delay > 100 { 1..=3 } else { 0..=1 };
            assert!(expected.contains(&behind), "{clip}: {behind}");
        }
    }
}

/// Returns the time of each frame instead of its sound, and loses some frames.
#[derive(Debug)]
struct Marks {
    ready: Vec<EncoderEvent>,
    lost: Range<usize>,
    count: usize,
}

impl SourceEncoder for Marks {
    fn give(&mut self, _: PictureFrame) {}

    fn give_sound(&mut self, SoundFrame { at_ms, .. }: SoundFrame) {
        self.count += 1;
        if !self.lost.contains(&self.count) {
            let data = Bytes::copy_from_slice(&at_ms.to_be_bytes());
            self.ready.push(EncoderEvent::Sound { at_ms, data });
        }
    }

    fn take(&mut self, into: &mut Vec<EncoderEvent>) {
        into.append(&mut self.ready);
    }

    fn note_listed(&mut self, _: &[usize], _: bool) {}
}

#[test]
fn sound_that_was_lost_on_the_way_does_not_move_what_follows() {
    let mut rig = Rig::new(2);
    rig.encoder = Some(Box::new(|packager: &mut Packager| {
        let config = packager.tracks().audio.clone().unwrap().config;
        let marks = Marks {
            ready: vec![EncoderEvent::ShowSound { config }],
            lost: 200..203,
            count: 0,
        };
        let offer = LadderOffer {
            rungs: Vec::new(),
            above_source: 0,
            lists_both_sounds: false,
        };
        packager.encode(Box::new(marks), offer);
    }));
    rig.watcher = Some(Box::new(|_| {}));
    send(&mut rig, &mut Ingest::default(), "plain", 0);
    let now = rig.snapshot();
    let view = now.aac.as_ref().unwrap();
    let list = text(view);
    let mut count = 0;
    for msn in first_msn(&list)..view.open_msn() {
        for part in &view.segment(token(&list), msn).unwrap().parts {
            let mut rest = &part.bytes[..];
            let track = Moof::decode(&mut rest).unwrap().traf.remove(0);
            let mut place = track.tfdt.unwrap().base_media_decode_time;
            let marks = rest[MDAT_HEADER..].as_chunks().0.iter();
            let samples = track.trun.iter().flat_map(|run| &run.samples);
            for (mark, sample) in marks.zip(samples) {
                let (at_ms, stands_ms) = (i64::from_be_bytes(*mark), place as i64 / 48);
                assert!((at_ms - stands_ms).abs() <= 30, "{at_ms}: {stands_ms}");
                let lasts = sample.duration.or(track.tfhd.default_sample_duration);
                place += u64::from(lasts.unwrap());
                count += 1;
            }
        }
    }
    assert!(count > 250, "{count}");
}

#[test]
fn a_source_whose_sound_not_everybody_can_play_is_listed_with_both_sounds() {
    let list = |lists_both_sounds| {
        let mut rig = Rig::new(2);
        rig.encoder = Some(echo(2, None, lists_both_sounds));
        rig.watcher = Some(Box::new(|_| {}));
        for _ in 0..2 {
            send(&mut rig, &mut Ingest::default(), "plain", 0);
        }
        master(&rig.snapshot())
    };
    let twice = list(true);
    let lines: Vec<&str> = twice.lines().collect();
    let sources = lines.windows(2).filter(|two| two[1] == "0/video.m3u8");
    let groups: Vec<&str> = sources
        .map(|two| two[0].rsplit("AUDIO=").next().unwrap())
        .collect();
    assert_eq!(groups, ["\"audio\"", "\"aac\""], "{twice}");
    for group in ["audio", "aac"] {
        let named = format!("GROUP-ID=\"{group}\",NAME=\"Sound\",");
        assert_eq!(twice.matches(&named).count(), 1, "{twice}");
    }
    let once = list(false);
    assert_eq!(once.matches("\n0/video.m3u8").count(), 1, "{once}");
    assert!(once.contains("GROUP-ID=\"aac\""), "{once}");
}

/// Returns pictures at once, and sound with a delay.
#[derive(Debug)]
struct Both {
    sound: Echo,
    place: Alignment,
    is_shown: bool,
    config: Arc<VideoConfig>,
}

impl SourceEncoder for Both {
    fn give(&mut self, picture: PictureFrame) {
        let PictureFrame {
            at_ms,
            composition_ms,
            sent_ms,
            is_key,
            data,
        } = picture;
        if is_key {
            self.place.key(at_ms, composition_ms, sent_ms);
        }
        let at_ms = at_ms + i64::from(composition_ms);
        let frame = EncodedFrame {
            at_ms,
            is_key,
            data,
        };
        let Some(placed) = self.place.place(&frame) else {
            return;
        };
        if !self.is_shown && placed.is_aligned {
            self.is_shown = true;
            let config = Arc::clone(&self.config);
            self.sound
                .ready
                .push(EncoderEvent::Show { rung: 0, config });
        }
        self.sound.ready.push(EncoderEvent::Picture {
            rung: 0,
            is_aligned: placed.is_aligned,
            picture: PictureFrame {
                at_ms: placed.at_ms,
                composition_ms: placed.composition_ms,
                sent_ms: placed.composition_ms,
                is_key,
                data: frame.data,
            },
        });
    }

    fn give_sound(&mut self, sound: SoundFrame) {
        self.sound.give_sound(sound);
    }

    fn take(&mut self, into: &mut Vec<EncoderEvent>) {
        self.sound.take(into);
    }

    fn note_listed(&mut self, _: &[usize], _: bool) {}
}

#[test]
fn a_quality_is_heard_with_encoded_sound_while_there_is_some_and_with_the_sources_otherwise() {
    let mut rig = Rig::new(2);
    rig.encoder = Some(Box::new(|packager: &mut Packager| {
        let tracks = packager.tracks().clone();
        let (video, audio) = (tracks.video.unwrap(), tracks.audio.unwrap());
        let both = Both {
            sound: Echo::new(audio.config, 2, Some(150)),
            place: Alignment::default(),
            is_shown: false,
            config: video.config,
        };
        let offer = LadderOffer {
            rungs: vec![OfferedRung {
                every: 1,
                has_encoded_sound: true,
            }],
            above_source: 0,
            lists_both_sounds: false,
        };
        packager.encode(Box::new(both), offer);
    }));
    let heard = Rc::new(RefCell::new((Judge::default(), BTreeSet::new())));
    let seen = Rc::clone(&heard);
    rig.watcher = Some(Box::new(move |now: &Arc<Snapshot>| {
        let (judge, groups) = &mut *seen.borrow_mut();
        judge.look(now);
        let list = master(now);
        let lines: Vec<&str> = list.lines().collect();
        for two in lines.windows(2).filter(|two| two[1] == "1/video.m3u8") {
            let group = two[0].rsplit("AUDIO=").next().unwrap().to_owned();
            groups.insert((now.aac.is_some(), group));
        }
    }));
    for _ in 0..3 {
        send(&mut rig, &mut Ingest::default(), "plain", 0);
    }
    let (judge, groups) = &*heard.borrow();
    assert!(judge.wrong.is_empty(), "{}", judge.wrong.join("\n"));
    let expected = [
        (false, "\"audio\"".to_owned()),
        (true, "\"aac\"".to_owned()),
    ];
    assert_eq!(*groups, BTreeSet::from(expected));
}
