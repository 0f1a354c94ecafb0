//! Sound encoded by a real ffmpeg, for players that cannot play the publisher's.

use std::process::Command;
use std::sync::{Arc, Mutex};

use bytes::BytesMut;
use media::ffmpeg;
use media::hls::{
    EncoderEvent, LadderOffer, Packager, PictureFrame, RenditionView, Snapshot, SoundFrame,
    SourceEncoder,
};
use media::ingest::{Ingest, PackagerProvider};
use media::transcoder::{
    EncodedFrame, Encoder, FIRST_PIPE, Feed, LadderPlan, LadderSource, PictureOutput, SoundOutput,
    arguments,
};
use media_formats::cmaf::init;
use media_formats::flv::PipeReader;
use model::settings::VideoVariant;
use mp4_atom::{Decode, Moof};
use rustix::process::{Pid, Signal, kill_process};
use testkit::{LONG_DEADLINE, within};

use crate::clips::send;
use crate::ladder::{Shown, came, run, times};
use crate::rig::Rig;
use crate::room::{Room, first_msn, master, text, token};
use crate::rungs::{quality, source};

/// Two frames of AAC: the encoder's first frame may begin this much before its input.
const TWO_FRAMES_MS: i64 = 43;

/// An encoder's input, in order.
#[derive(Debug)]
enum Seen {
    Picture(PictureFrame),
    Sound(SoundFrame),
}

/// Records an encoder's input.
#[derive(Debug)]
struct Recorder(Arc<Mutex<Vec<Seen>>>);

impl SourceEncoder for Recorder {
    fn give(&mut self, picture: PictureFrame) {
        self.0.lock().unwrap().push(Seen::Picture(picture));
    }

    fn give_sound(&mut self, sound: SoundFrame) {
        self.0.lock().unwrap().push(Seen::Sound(sound));
    }

    fn take(&mut self, _: &mut Vec<EncoderEvent>) {}

    fn note_listed(&mut self, _: &[usize], _: bool) {}
}

/// A clip as an encoder's input.
struct Fed {
    plan: LadderPlan,
    file: Vec<u8>,
    /// In presentation order.
    pictures: Vec<Shown>,
    /// The time of each frame of sound.
    sounds: Vec<i64>,
    /// Their total duration, which is shorter than the elapsed time if the publisher left some out.
    sounded_ms: i64,
}

impl Fed {
    fn of(clip: &str, variants: &[VideoVariant]) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut rig = Rig::new(2);
        let recorder = Arc::clone(&seen);
        rig.encoder = Some(Box::new(move |packager: &mut Packager| {
            let offer = LadderOffer {
                rungs: Vec::new(),
                above_source: 0,
                lists_both_sounds: false,
            };
            packager.encode(Box::new(Recorder(Arc::clone(&recorder))), offer);
        }));
        send(&mut rig, &mut Ingest::default(), clip, 0);
        let tracks = rig.packager().unwrap().tracks();
        let plan = LadderPlan::choose(variants, &LadderSource::of(tracks));
        let (video, audio) = (tracks.video.as_ref(), tracks.audio.as_ref());
        let init = init::together(
            video.map(|track| &*track.config),
            audio.map(|track| &*track.config),
        );
        let (mut feed, mut file) = (Feed::new(init), Vec::new());
        let (mut pictures, mut sounds) = (Vec::new(), Vec::new());
        let (config, mut samples) = (&audio.unwrap().config, 0);
        for one in seen.lock().unwrap().drain(..) {
            match one {
                Seen::Picture(PictureFrame {
                    at_ms,
                    composition_ms,
                    is_key,
                    data,
                    ..
                }) => {
                    assert!(feed.picture(at_ms, composition_ms, is_key, data));
                    pictures.push((at_ms + i64::from(composition_ms), is_key));
                }
                Seen::Sound(sound) => {
                    let lasts = i64::from(config.samples_of(&sound.data));
                    if feed.sound(sound.place, sound.lasts, sound.data) {
                        sounds.push(sound.at_ms);
                        samples += lasts;
                    }
                }
            }
            while let Some(piece) = feed.next_piece() {
                file.extend_from_slice(&piece);
            }
        }
        pictures.sort_unstable();
        let sounded_ms = samples * 1000 / i64::from(config.sample_rate());
        Self {
            plan,
            file,
            pictures,
            sounds,
            sounded_ms,
        }
    }
}

#[test]
fn sound_comes_back_as_aac_at_its_own_time_and_moves_no_picture() {
    for clip in ["plain", "bframes", "mp3", "av1-opus", "hevc-old-flac"] {
        let folder = tempfile::tempdir().unwrap();
        let less = VideoVariant {
            audio_passthrough: false,
            audio_bitrate: 64,
            ..quality(90, 60)
        };
        let fed = Fed::of(clip, &[less]);
        let words = arguments(&fed.plan, Encoder::X264);
        let complaint = run(&words, &fed.file, folder.path(), 2);
        assert_eq!(complaint, "", "{clip}");

        let path = folder.path().join(FIRST_PIPE.to_string());
        let mut output = PictureOutput::new(&fed.plan.rungs[0]);
        let given_ms = fed.pictures.last().unwrap().0;
        let pictures = times(&came(&path, &mut output, given_ms));
        assert_eq!(pictures, fed.pictures, "{clip}");

        let path = folder.path().join((FIRST_PIPE + 1).to_string());
        let mut output = SoundOutput::new(&fed.plan.sound.unwrap());
        let given_ms = *fed.sounds.last().unwrap();
        let (mut reader, mut frames) = (PipeReader::default(), Vec::<EncodedFrame>::new());
        let mut input = BytesMut::from(&std::fs::read(&path).unwrap()[..]);
        while let Some(tag) = reader.decode(&mut input).unwrap() {
            frames.extend(output.take(tag, given_ms).unwrap());
        }
        let config = output.config().unwrap();
        assert_eq!(config.codec_string(), "mp4a.40.2", "{clip}");
        let first_ms = fed.sounds[0];
        let early_ms = first_ms - frames[0].at_ms;
        assert!(
            (0..=TWO_FRAMES_MS).contains(&early_ms),
            "{clip}: {early_ms}"
        );
        let last_ms = frames.last().unwrap().at_ms;
        assert!((last_ms - given_ms).abs() < 120, "{clip}: {last_ms}");
        // None is lost or duplicated.
        let followed = i64::try_from(frames.len()).unwrap() - 1;
        let samples = i64::from(config.frame_samples()) * followed;
        let lasted_ms = samples * 1000 / i64::from(config.sample_rate());
        let apart_ms = (lasted_ms - fed.sounded_ms).abs();
        assert!(apart_ms <= 30, "{clip}: {lasted_ms}, {}", fed.sounded_ms);
    }
}

/// Waits until the encoded sound has this many complete segments.
async fn listed(room: &Room, segments: usize) -> (Arc<Snapshot>, u64) {
    let live_snapshot = room.stream.live_snapshot();
    within(LONG_DEADLINE, "the sound is listed as AAC", async || {
        let now = live_snapshot.now()?;
        let list = text(now.aac.as_ref()?);
        let token = token(&list);
        (list.matches("#EXTINF:").count() >= segments).then_some((Arc::clone(&now), token))
    })
    .await
}

/// The number of each complete segment of a sound playlist, and the time of its first sample in milliseconds.
fn starts(view: &RenditionView, rate: i64) -> Vec<(u64, i64)> {
    let list = text(view);
    let numbers = first_msn(&list)..view.open_msn();
    let found = numbers.map(|msn| {
        let segment = view.segment(token(&list), msn).unwrap();
        let moof = Moof::decode(&mut &segment.parts[0].bytes[..]).unwrap();
        let time = moof.traf[0].tfdt.as_ref().unwrap().base_media_decode_time;
        (msn, i64::try_from(time).unwrap() * 1000 / rate)
    });
    found.collect()
}

/// ffprobe's description of a sound playlist that ffmpeg decodes without errors.
fn decoded(view: &RenditionView) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sound.mp4");
    let list = text(view);
    let token = token(&list);
    let init = (1..100).find_map(|version| view.init(token, version));
    let mut file = init.unwrap().bytes.to_vec();
    for msn in first_msn(&list)..view.open_msn() {
        let segment = view.segment(token, msn).unwrap();
        for part in &segment.parts {
            file.extend_from_slice(&part.bytes);
        }
    }
    std::fs::write(&path, file).unwrap();
    let ffmpeg = ffmpeg::command("").as_std().get_program().to_owned();
    let check = Command::new(ffmpeg)
        .args(["-v", "warning", "-i"])
        .arg(&path)
        .args(["-f", "null", "-"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&check.stderr), "");
    let probe = Command::new("ffprobe")
        .args(["-v", "error", "-of", "csv=p=0"])
        .args(["-show_entries", "stream=codec_name,channels"])
        .arg(&path)
        .output()
        .unwrap();
    String::from_utf8_lossy(&probe.stdout).trim().to_owned()
}

/// The lines of a multivariant playlist that name this playlist, with their audio groups.
fn groups(list: &str, uri: &str) -> Vec<String> {
    let lines: Vec<&str> = list.lines().collect();
    let named = lines.windows(2).filter(|two| two[1] == uri);
    let groups = named.map(|two| two[0].rsplit("AUDIO=").next().unwrap().to_owned());
    groups.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn opus_is_offered_as_aac_beside_itself_and_stands_where_it_stands() {
    let mut room = Room::with(&[source()], "").await;
    room.publish("av1-opus").await;
    let (now, _) = listed(&room, 4).await;
    let list = master(&now);
    assert_eq!(
        groups(&list, "0/video.m3u8"),
        ["\"audio\"", "\"aac\""],
        "{list}"
    );
    for codecs in ["av01.0.00M.08,Opus", "av01.0.00M.08,mp4a.40.2"] {
        assert!(list.contains(&format!("CODECS=\"{codecs}\"")), "{list}");
    }
    let encoded = now.aac.as_ref().unwrap();
    let own = starts(now.audio.as_ref().unwrap(), 48_000);
    let mut compared = 0;
    for (msn, at_ms) in starts(encoded, 48_000) {
        if let Some((_, own_ms)) = own.iter().find(|one| one.0 == msn) {
            assert!((at_ms - own_ms).abs() <= TWO_FRAMES_MS, "{msn}: {at_ms}");
            compared += 1;
        }
    }
    assert!(compared >= 3);
    assert_eq!(decoded(encoded), "aac,2");
    let status = room.stream.transcoder_status().unwrap();
    assert!(status.rungs.is_empty());
    assert!(status.sound.is_some_and(|sound| sound.is_offered));
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn qualities_of_a_stream_with_flac_are_heard_with_either_sound() {
    let mut room = Room::with(&[source(), quality(90, 30)], "").await;
    room.publish("hevc-old-flac").await;
    room.rung(0, 2).await;
    listed(&room, 2).await;
    let list = room
        .until("both are listed", |now| {
            (now.aac.is_some() && now.rungs[0].is_some()).then(|| master(now))
        })
        .await;
    for uri in ["0/video.m3u8", "1/video.m3u8"] {
        assert_eq!(groups(&list, uri), ["\"audio\"", "\"aac\""], "{list}");
    }
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quality_that_wants_less_sound_gets_it_and_the_source_keeps_its_own() {
    let less = VideoVariant {
        audio_passthrough: false,
        audio_bitrate: 48,
        ..quality(90, 30)
    };
    let mut room = Room::with(&[source(), less, quality(54, 30)], "").await;
    room.publish("plain").await;
    room.rung(0, 2).await;
    room.rung(1, 2).await;
    let (now, _) = listed(&room, 2).await;
    let list = master(&now);
    assert_eq!(groups(&list, "1/video.m3u8"), ["\"aac\""], "{list}");
    assert_eq!(groups(&list, "2/video.m3u8"), ["\"audio\""], "{list}");
    assert_eq!(groups(&list, "0/video.m3u8"), ["\"audio\""], "{list}");
    let sound = room.stream.transcoder_status().unwrap().sound;
    assert_eq!(sound.map(|sound| sound.rung.kbps), Some(48));
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sound_that_cannot_be_encoded_costs_no_quality_and_the_operator_is_told() {
    let mut room = Room::with(&[source(), quality(90, 30)], "is-deaf").await;
    room.publish("mp3").await;
    let (now, _) = room.rung(0, 2).await;
    assert!(now.aac.is_none());
    let list = master(&now);
    for uri in ["0/video.m3u8", "1/video.m3u8"] {
        assert_eq!(groups(&list, uri), ["\"audio\""], "{list}");
    }
    let status = room.stream.transcoder_status().unwrap();
    let sound = status.sound.unwrap();
    assert!(sound.is_given_up && !sound.is_offered, "{sound:?}");
    let why = status.report.last_failure.clone().unwrap().to_string();
    assert!(why.contains("no decoder found"), "{why}");
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn encoded_sound_goes_with_its_encoder_and_comes_back_under_other_names() {
    let mut room = Room::with(&[source()], "shows-itself").await;
    room.publish("av1-opus").await;
    let (_, before) = listed(&room, 1).await;
    let id = i32::try_from(room.programs()[0]).unwrap();
    kill_process(Pid::from_raw(id).unwrap(), Signal::KILL).unwrap();
    let list = room
        .until("it leaves the list", |now| {
            now.aac.is_none().then(|| master(now))
        })
        .await;
    assert_eq!(groups(&list, "0/video.m3u8"), ["\"audio\""], "{list}");
    within(LONG_DEADLINE, "it is back", async || {
        let (_, after) = listed(&room, 1).await;
        (after != before).then_some(())
    })
    .await;
    room.close().await;
}
