//! Rungs of the ladder, encoded by a real ffmpeg from the packager's output.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bytes::BytesMut;
use media::ffmpeg;
use media::ingest::{Ingest, PackagerProvider};
use media::transcoder::{
    EncodedFrame, Encoder, FIRST_PIPE, LadderPlan, LadderSource, PictureOutput, arguments, trial,
};
use media_formats::flv::PipeReader;
use model::settings::VideoVariant;
use mp4_atom::{Decode, Moof};
use testkit::LONG_DEADLINE;

use crate::clips::send;
use crate::rig::{FIRST_MSN, Rig, TOKEN};
use crate::stills::other;

/// When a picture is shown, in milliseconds, and whether decoding can start there.
pub(crate) type Shown = (i64, bool);

/// A clip as the packager wrote it.
struct Written {
    source: LadderSource,
    file: Vec<u8>,
    /// In chronological order.
    pictures: Vec<Shown>,
}

impl Written {
    fn of(clip: &str) -> Self {
        let (mut rig, mut ingest) = (Rig::new(2), Ingest::default());
        send(&mut rig, &mut ingest, clip, 0);
        let source = LadderSource::of(rig.packager().unwrap().tracks());
        let snapshot = rig.snapshot();
        let view = snapshot.picture().unwrap();
        let mut inits = (1..10).filter_map(|version| view.init(TOKEN, version));
        let mut file = inits.next().unwrap().bytes.to_vec();
        let mut pictures = Vec::new();
        for msn in FIRST_MSN..=view.open_msn() {
            let parts = (0..).map_while(|index| view.part(TOKEN, msn, index));
            for part in parts {
                file.extend_from_slice(&part.bytes);
                pictures.extend(shown(&part.bytes));
            }
        }
        pictures.sort_unstable();
        Self {
            source,
            file,
            pictures,
        }
    }
}

/// The pictures of a fragment as a player reads them.
pub(crate) fn shown(mut fragment: &[u8]) -> Vec<Shown> {
    const TICKS_PER_MS: i64 = 90;
    const NO_SYNC: u32 = 0x1_0000;
    let moof = Moof::decode(&mut fragment).unwrap();
    let track = &moof.traf[0];
    let start = track.tfdt.as_ref().unwrap().base_media_decode_time;
    let mut at = i64::try_from(start).unwrap();
    let mut pictures = Vec::new();
    for entry in track.trun.iter().flat_map(|run| run.samples.iter()) {
        let duration = entry.duration.or(track.tfhd.default_sample_duration);
        let flags = entry.flags.or(track.tfhd.default_sample_flags).unwrap();
        let ticks = at + entry.cts.unwrap_or(0);
        assert_eq!(ticks % TICKS_PER_MS, 0, "whole milliseconds");
        pictures.push((ticks / TICKS_PER_MS, flags & NO_SYNC == 0));
        at += i64::from(duration.unwrap());
    }
    pictures
}

/// Runs ffmpeg with files as its pipes, which a shell can pass; returns its error output.
pub(crate) fn run(words: &[String], input: &[u8], folder: &Path, outputs: usize) -> String {
    let given = folder.join("input");
    File::create(&given).unwrap().write_all(input).unwrap();
    let pipes: String = (FIRST_PIPE..FIRST_PIPE + outputs)
        .map(|pipe| format!(" {pipe}>{pipe}"))
        .collect();
    let output = Command::new("/bin/sh")
        .args(["-c", &format!("exec \"$@\"{pipes}"), "sh"])
        .arg(ffmpeg::command("").as_std().get_program())
        .args(words)
        .current_dir(folder)
        .env_clear()
        .stdin(File::open(&given).unwrap())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words:?}: {complaint}");
    complaint
}

/// Reads and validates an output, as if it arrived in pieces.
pub(crate) fn came(path: &Path, output: &mut PictureOutput, given_ms: i64) -> Vec<EncodedFrame> {
    let (mut reader, mut input) = (PipeReader::default(), BytesMut::new());
    let mut frames = Vec::new();
    for piece in std::fs::read(path).unwrap().chunks(1_000) {
        input.extend_from_slice(piece);
        while let Some(tag) = reader.decode(&mut input).unwrap() {
            frames.extend(output.take(tag, given_ms).unwrap());
        }
    }
    assert!(input.is_empty(), "{} bytes are left over", input.len());
    frames
}

pub(crate) fn times(frames: &[EncodedFrame]) -> Vec<Shown> {
    let each = frames.iter().map(|frame| (frame.at_ms, frame.is_key));
    each.collect()
}

fn keys(pictures: &[Shown]) -> Vec<i64> {
    let keys = pictures.iter().filter(|(_, is_key)| *is_key);
    keys.map(|(at_ms, _)| *at_ms).collect()
}

fn quality(height: u32, framerate: u32) -> VideoVariant {
    VideoVariant {
        scaled_height: height,
        framerate,
        video_bitrate: 200,
        cpu_usage_level: 0,
        ..VideoVariant::default()
    }
}

#[test]
fn every_picture_of_a_rung_and_above_all_its_key_frames_stand_where_the_source_has_them() {
    for clip in ["plain", "bframes", "25fps", "video-only"] {
        let folder = tempfile::tempdir().unwrap();
        let written = Written::of(clip);
        let list = [quality(120, 60), quality(90, 15)];
        let mut plan = LadderPlan::choose(&list, &written.source);
        // The input has no sound here.
        plan.sound = None;
        let words = arguments(&plan, Encoder::X264);
        let complaint = run(&words, &written.file, folder.path(), 2);
        assert_eq!(complaint, "", "{clip}");

        let pictures = &written.pictures;
        let given_ms = pictures.last().unwrap().0;
        let rungs: Vec<Vec<Shown>> = (0..2)
            .map(|place| {
                let path = folder.path().join((FIRST_PIPE + place).to_string());
                let mut output = PictureOutput::new(&plan.rungs[place]);
                times(&came(&path, &mut output, given_ms))
            })
            .collect();
        assert!(keys(pictures).len() > 1, "{clip}");
        assert_eq!(rungs[0], *pictures, "{clip}");
        assert_eq!(keys(&rungs[1]), keys(pictures), "{clip}");
        let share = (rungs[1].len() * 3, pictures.len() * 2);
        assert!(share.0 <= share.1, "{clip}: {} of {}", share.0, share.1);
        assert!(rungs[1].iter().all(|one| pictures.contains(one)), "{clip}");
    }
}

#[tokio::test]
async fn the_encoder_that_works_everywhere_passes_its_trial() {
    trial("", Encoder::X264, LONG_DEADLINE).await.unwrap();
}

#[tokio::test]
async fn an_encoder_that_cannot_be_used_is_refused_with_the_reason() {
    let refused = async |path: &str, limit| {
        let trial = trial(path, Encoder::X264, limit).await;
        trial.unwrap_err().to_string()
    };
    let missing = refused("/nowhere/ffmpeg", LONG_DEADLINE).await;
    assert!(missing.contains("ffmpeg_path"), "{missing}");
    let failed = refused(&other("gives-up"), LONG_DEADLINE).await;
    assert!(failed.contains("does not work here"), "{failed}");
    let slow = refused(&other("hangs"), Duration::from_millis(200)).await;
    assert!(slow.contains("200ms"), "{slow}");
}
