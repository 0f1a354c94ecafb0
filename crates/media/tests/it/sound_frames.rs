//! Encoded sound with other frames than the source's: AAC has 1,024 samples in each, MP3 1,152 and Opus 960.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use media::hls::{EncoderEvent, LadderOffer, Packager, PictureFrame, SoundFrame, SourceEncoder};
use media::ingest::Ingest;
use media_formats::codec::{AacConfig, AudioConfig};
use testkit::clips::clip;

use crate::clips::send;
use crate::rig::{Encoder, Rig};
use crate::sound_cuts::played_files;

/// Samples in a frame of AAC.
const AAC_SAMPLES: i64 = 1_024;
/// Two channels of AAC at 44,100 and at 48,000 samples in a second.
const AT_44_100: &[u8] = b"\x12\x10";
const AT_48_000: &[u8] = b"\x11\x90";
/// Distance between the pictures that last longer; not a whole number of parts.
const LONGER_EVERY: u32 = 47;

/// Converts its input to empty AAC frames, and returns each after a delay of some others.
#[derive(Debug)]
struct Reframer {
    rate: i64,
    delay: usize,
    /// The position of the next frame, in samples.
    next: Option<i64>,
    waiting: VecDeque<EncoderEvent>,
    ready: Vec<EncoderEvent>,
}

impl Reframer {
    fn new(source: &AudioConfig, delay: usize) -> Self {
        let record = match source.sample_rate() {
            44_100 => AT_44_100,
            48_000 => AT_48_000,
            other => panic!("no clip has {other} samples in a second"),
        };
        let config = Arc::new(AudioConfig::Aac(AacConfig::parse(record).unwrap()));
        assert_eq!(config.sample_rate(), source.sample_rate());
        Self {
            rate: i64::from(source.sample_rate()),
            delay,
            next: None,
            waiting: VecDeque::new(),
            ready: vec![EncoderEvent::ShowSound { config }],
        }
    }
}

impl SourceEncoder for Reframer {
    fn give(&mut self, _: PictureFrame) {}

    fn give_sound(&mut self, sound: SoundFrame) {
        let SoundFrame { place, lasts, .. } = sound;
        // After a gap it continues where the sound does.
        let known = self.next.filter(|next| place - next <= AAC_SAMPLES);
        let mut next = known.unwrap_or(place);
        while next + AAC_SAMPLES <= place + i64::from(lasts) {
            self.waiting.push_back(EncoderEvent::Sound {
                at_ms: next * 1000 / self.rate,
                data: Bytes::from_static(&[0; 50]),
            });
            next += AAC_SAMPLES;
        }
        self.next = Some(next);
        while self.waiting.len() > self.delay {
            self.ready.extend(self.waiting.pop_front());
        }
    }

    fn take(&mut self, into: &mut Vec<EncoderEvent>) {
        into.append(&mut self.ready);
    }

    fn note_listed(&mut self, rungs: &[usize], _: bool) {
        assert!(rungs.is_empty());
    }
}

fn offer() -> LadderOffer {
    LadderOffer {
        rungs: Vec::new(),
        above_source: 0,
        lists_both_sounds: true,
    }
}

/// Gives a packager its sound a second time, as AAC.
fn reframed(delay: usize) -> Encoder {
    Box::new(move |packager| {
        let Some(audio) = packager.tracks().audio.clone() else {
            return;
        };
        let reframer = Reframer::new(&audio.config, delay);
        packager.encode(Box::new(reframer), offer());
    })
}

/// A three-byte number as in FLV.
fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |number, byte| (number << 8) + u32::from(*byte))
}

/// A clip in which some pictures last longer, and the sound does not.
fn stretched(name: &str, longer_ms: u32) -> Bytes {
    const FILE_HEAD: usize = 13;
    const TAG_HEAD: usize = 11;
    const VIDEO: u8 = 9;
    let mut file = clip(name).to_vec();
    let (mut at, mut pictures) = (FILE_HEAD, 0_u32);
    while at < file.len() {
        let length = number(&file[at + 1..at + 4]);
        if file[at] == VIDEO {
            let stamp = number(&file[at + 4..at + 7]) + pictures / LONGER_EVERY * longer_ms;
            file[at + 4..at + 7].copy_from_slice(&stamp.to_be_bytes()[1..]);
            pictures += 1;
        }
        at += TAG_HEAD + length as usize + 4;
    }
    file.into()
}

/// Sends clips whose sound has other frames, with regular and irregular pictures.
fn keeps_every_rule(level: u8) {
    for name in ["mp3", "av1-opus"] {
        for longer_ms in [0, 11, 17, 23] {
            for delay in [0, 20] {
                let files = vec![(name, stretched(name, longer_ms)); 3];
                let (count, wrong) = played_files(&files, level, reframed(delay));
                let what = format!("{name}, {longer_ms} ms longer, {delay} behind");
                assert!(count > 0, "{what}");
                assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
            }
        }
    }
}

#[test]
fn sound_in_frames_of_aac_keeps_every_rule_in_the_shortest_parts() {
    keeps_every_rule(0);
}

#[test]
fn sound_in_frames_of_aac_keeps_every_rule_in_usual_parts() {
    keeps_every_rule(2);
}

/// Records the start and end of each frame of sound that it is given.
#[derive(Debug)]
struct Recorder(Arc<Mutex<Vec<(i64, i64)>>>);

impl SourceEncoder for Recorder {
    fn give(&mut self, _: PictureFrame) {}

    fn give_sound(&mut self, SoundFrame { at_ms, end_ms, .. }: SoundFrame) {
        self.0.lock().unwrap().push((at_ms, end_ms));
    }

    fn take(&mut self, _: &mut Vec<EncoderEvent>) {}

    fn note_listed(&mut self, _: &[usize], _: bool) {}
}

#[test]
fn whoever_encodes_sound_is_told_where_each_frame_of_it_ends() {
    for name in ["mp3", "av1-opus", "hevc-old-flac"] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut rig = Rig::new(2);
        let recorder = Arc::clone(&seen);
        rig.encoder = Some(Box::new(move |packager: &mut Packager| {
            packager.encode(Box::new(Recorder(Arc::clone(&recorder))), offer());
        }));
        rig.watcher = Some(Box::new(|_| {}));
        send(&mut rig, &mut Ingest::default(), name, 0);
        let seen = seen.lock().unwrap();
        assert!(seen.len() > 30, "{name}");
        for two in seen.windows(2) {
            let ((at_ms, end_ms), (next_ms, _)) = (two[0], two[1]);
            assert!(at_ms < end_ms, "{name}: {two:?}");
            assert!((next_ms - end_ms).abs() <= 1, "{name}: {two:?}");
        }
    }
}
