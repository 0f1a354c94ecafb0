//! Other qualities of a stream as viewers get them, and what happens when their encoder fails.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use media::ffmpeg;
use media::hls::{RenditionView, Snapshot};
use media::rtmp::PublicationEnd;
use model::settings::VideoVariant;
use rustix::process::{Pid, Signal, kill_process};
use testkit::{LONG_DEADLINE, within};

use crate::ladder::shown;
use crate::room::{Room, first_msn, master, text, token};
use crate::stills::process;

pub(crate) fn quality(height: u32, framerate: u32) -> VideoVariant {
    VideoVariant {
        scaled_height: height,
        framerate,
        video_bitrate: 150,
        cpu_usage_level: 2,
        ..VideoVariant::default()
    }
}

pub(crate) fn source() -> VideoVariant {
    VideoVariant {
        video_passthrough: true,
        ..VideoVariant::default()
    }
}

/// For each complete segment of a playlist: its number, the time of its first picture, and its bytes.
fn segments(view: &RenditionView) -> Vec<(u64, i64, Vec<u8>)> {
    let list = text(view);
    let token = token(&list);
    let numbers = first_msn(&list)..view.open_msn();
    let found = numbers.map(|msn| {
        let segment = view.segment(token, msn).unwrap();
        let mut parts = segment.parts.iter().map(|part| &part.bytes);
        let bytes = parts.clone().flatten().copied().collect();
        let pictures = shown(parts.next().unwrap());
        assert!(pictures[0].1, "{msn} begins with a key frame");
        (msn, pictures[0].0, bytes)
    });
    found.collect()
}

/// The presentation times of the pictures in all complete segments.
fn pictures(view: &RenditionView) -> Vec<i64> {
    let list = text(view);
    let numbers = first_msn(&list)..view.open_msn();
    let segments = numbers.map(|msn| view.segment(token(&list), msn).unwrap());
    let parts = segments.flat_map(|segment| &segment.parts);
    let shown = parts.flat_map(|part| shown(&part.bytes));
    shown.map(|(at_ms, _)| at_ms).collect()
}

/// Whether segments with the same number begin at the same millisecond; returns how many were compared.
fn compared(source: &RenditionView, rung: &RenditionView) -> usize {
    let own = segments(rung);
    let theirs = segments(source);
    let mut count = 0;
    for (msn, at_ms, _) in &own {
        if let Some((_, source_ms, _)) = theirs.iter().find(|one| one.0 == *msn) {
            assert_eq!(at_ms, source_ms, "segment {msn}");
            count += 1;
        }
    }
    count
}

/// What ffmpeg decodes from a playlist without errors: size and number of pictures.
fn decoded(view: &RenditionView) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rung.mp4");
    let token = token(&text(view));
    let init = (1..100).find_map(|version| view.init(token, version));
    let mut file = init.unwrap().bytes.to_vec();
    for (_, _, bytes) in segments(view) {
        file.extend(bytes);
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
        .args(["-v", "error", "-count_frames", "-of", "csv=p=0"])
        .args(["-show_entries", "stream=width,height,nb_read_frames"])
        .arg(&path)
        .output()
        .unwrap();
    String::from_utf8_lossy(&probe.stdout).trim().to_owned()
}

fn view(snapshot: &Snapshot, place: usize) -> &Arc<RenditionView> {
    snapshot.rungs[place].as_ref().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn rungs_are_listed_in_order_cut_where_the_source_is_and_can_be_decoded() {
    let mut room = Room::with(&[quality(90, 30), source(), quality(54, 15)], "").await;
    room.publish("bframes").await;
    room.rung(0, 4).await;
    let (snapshot, _) = room.rung(1, 4).await;
    let main = snapshot.main.as_ref().unwrap();
    for place in [0, 1] {
        let rung = view(&snapshot, place);
        assert!(compared(main, rung) >= 3, "rung {place}");
    }
    let pictures = |view| {
        let found = decoded(view);
        let (size, count) = found.rsplit_once(',').unwrap();
        (size.to_owned(), count.parse::<usize>().unwrap())
    };
    let (size, all) = pictures(view(&snapshot, 0));
    assert_eq!(size, "160,90");
    assert!(all >= 4 * 30, "{all}");
    let (size, half) = pictures(view(&snapshot, 1));
    assert_eq!(size, "96,54");
    assert!(half >= 4 * 15 && half < all, "{half} of {all}");

    let list = master(&snapshot);
    let places: Vec<usize> = ["\n1/video.m3u8", "\n0/video.m3u8", "\n2/video.m3u8"]
        .iter()
        .map(|name| list.find(name).unwrap())
        .collect();
    assert!(places.is_sorted(), "{list}");
    for words in [
        "RESOLUTION=160x90,FRAME-RATE=30.000",
        "RESOLUTION=96x54,FRAME-RATE=15.000",
    ] {
        let line = list.lines().find(|line| line.contains(words));
        let line = line.unwrap_or_else(|| panic!("{list}"));
        assert!(line.contains("CODECS=\"avc1.") && line.contains(",mp4a.40.2\""));
    }
    let status = room.stream.transcoder_status().unwrap();
    assert!(status.report.is_running && !status.samples.is_empty());
    assert!(status.rungs.iter().all(|rung| rung.is_offered));
    let rungs = status
        .rungs
        .iter()
        .map(|one| &status.variants[one.rung.variant]);
    let heights: Vec<u32> = rungs.map(|variant| variant.scaled_height).collect();
    assert_eq!(heights, [90, 54]);
    room.leave(PublicationEnd::Unpublished).await;
    let ended = room
        .until("the end", |now| now.is_ended.then(|| now.rungs.clone()))
        .await;
    for rung in ended {
        assert!(text(&rung.unwrap()).ends_with("#EXT-X-ENDLIST\n"));
    }
    room.close().await;
}

/// The rung disappears, the source continues, and the rung returns under other names; returns why it disappeared.
async fn survives(room: Room, token: u64) -> String {
    room.until("the rung leaves the list", |now| {
        (!master(now).contains("1/video.m3u8")).then_some(())
    })
    .await;
    let gone = room.stream.live_snapshot().now().unwrap();
    let msn = gone.main.as_ref().unwrap().open_msn();
    room.until("the source goes on", |now| {
        (now.main.as_ref()?.open_msn() > msn).then_some(())
    })
    .await;
    let back = within(LONG_DEADLINE, "the rung is back", async || {
        let (snapshot, other) = room.rung(0, 2).await;
        (other != token).then_some(snapshot)
    })
    .await;
    let rung = view(&back, 0);
    assert!(first_msn(&text(rung)) >= msn);
    assert!(compared(back.main.as_ref().unwrap(), rung) > 0);
    assert!(master(&back).contains("1/video.m3u8"));
    let report = room.stream.transcoder_status().unwrap().report.clone();
    assert!(report.restarts >= 1, "{report:?}");
    assert_eq!(room.programs().len(), 2);
    room.close().await;
    report.last_failure.unwrap().to_string()
}

async fn signalled(program: &str, signal: Signal) -> String {
    let mut room = Room::with(&[source(), quality(90, 30)], program).await;
    room.publish("plain").await;
    let (_, token) = room.rung(0, 1).await;
    let id = room.programs()[0];
    let id = Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
    kill_process(id, signal).unwrap();
    survives(room, token).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoder_that_is_killed_costs_its_own_qualities_until_it_is_started_again() {
    signalled("shows-itself", Signal::KILL).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoder_that_hangs_is_ended_and_started_again() {
    signalled("shows-itself", Signal::STOP).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoder_that_writes_noise_in_mid_stream_is_ended_and_started_again() {
    let why = signalled("makes-noise-later", Signal::USR1).await;
    assert!(why.contains("cannot be used"), "{why}");
}

async fn held_up(clip: &str) {
    let mut room = Room::with(&[source(), quality(90, 30)], "shows-itself").await;
    room.publish(clip).await;
    room.rung(0, 1).await;
    let id = i32::try_from(room.programs()[0]).unwrap();
    let id = Pid::from_raw(id).unwrap();
    kill_process(id, Signal::STOP).unwrap();
    // So far that it has been fed only key frames for a while.
    within(LONG_DEADLINE, "it is behind", async || {
        (room.stream.transcoder_status()?.report.behind_ms >= 4_500).then_some(())
    })
    .await;
    // If this machine was too slow, it has been ended already, and the next run catches up.
    let _ = kill_process(id, Signal::CONT);
    within(LONG_DEADLINE, "it has caught up", async || {
        let status = room.stream.transcoder_status()?;
        let report = &status.report;
        let is_held_up = report.hurries || report.behind_ms >= 1_000;
        let has = report.is_running && !is_held_up && status.rungs[0].is_offered;
        has.then_some(())
    })
    .await;
    let (snapshot, _) = room.rung(0, 2).await;
    let main = snapshot.main.as_ref().unwrap();
    assert!(compared(main, view(&snapshot, 0)) > 0);
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoder_that_has_fallen_behind_catches_up() {
    held_up("plain").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoder_that_has_fallen_behind_catches_up_where_pictures_wait_for_later_ones() {
    held_up("bframes").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broadcaster_whose_clock_is_set_back_keeps_its_qualities() {
    for clip in ["plain", "bframes"] {
        let mut room = Room::with(&[source(), quality(90, 30)], "shows-itself").await;
        room.publish_with_steps_back(clip).await;
        let (snapshot, _) = room.rung(0, 5).await;
        let times = pictures(view(&snapshot, 0));
        assert!(times.len() >= 4 * 30, "{clip}: {}", times.len());
        assert!(
            times.is_sorted_by(|one, next| one < next),
            "{clip}: {times:?}"
        );
        let report = room.stream.transcoder_status().unwrap().report.clone();
        assert_eq!((report.restarts, report.last_failure), (0, None), "{clip}");
        room.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoder_that_writes_noise_is_not_believed_and_started_again() {
    let mut room = Room::with(&[source(), quality(90, 30)], "makes-noise-first").await;
    room.publish("plain").await;
    let (snapshot, _) = room.rung(0, 2).await;
    let main = snapshot.main.as_ref().unwrap();
    assert!(compared(main, view(&snapshot, 0)) > 0);
    let report = room.stream.transcoder_status().unwrap().report.clone();
    let why = report.last_failure.unwrap().to_string();
    assert!(why.contains("cannot be used"), "{why}");
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_ffmpeg_the_source_plays_and_the_operator_is_told_what_is_missing() {
    let mut room = Room::with(&[quality(90, 30)], "/nowhere/ffmpeg").await;
    room.publish("plain").await;
    room.until("the source is listed", |now| {
        let list = text(now.main.as_ref()?);
        (list.contains("#EXTINF:") && master(now).contains("0/video.m3u8")).then_some(())
    })
    .await;
    let why = room
        .stream
        .transcoder_status()
        .unwrap()
        .report
        .last_failure
        .clone();
    assert!(why.unwrap().to_string().contains("ffmpeg_path"));
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_is_not_wanted_is_listed_last_for_when_there_is_nothing_else() {
    let mut room = Room::with(&[quality(90, 30)], "").await;
    room.publish("plain").await;
    let (snapshot, _) = room.rung(0, 2).await;
    let list = master(&snapshot);
    let place = |name: &str| list.find(name).unwrap_or_else(|| panic!("{list}"));
    assert!(place("\n1/video.m3u8") < place("\n0/video.m3u8"), "{list}");
    assert!(snapshot.main.is_some());
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publisher_that_comes_back_goes_on_in_all_qualities_and_other_parameters_begin_anew() {
    let mut room = Room::with(&[source(), quality(90, 30)], "shows-itself").await;
    room.publish("plain").await;
    let (_, token) = room.rung(0, 2).await;
    room.leave(PublicationEnd::Dropped("gone".into())).await;
    room.publish("plain").await;
    let (_, same) = room.rung(0, 5).await;
    assert_eq!(same, token);
    room.leave(PublicationEnd::Dropped("gone".into())).await;
    room.publish("360p").await;
    let back = within(LONG_DEADLINE, "the rung is back", async || {
        let (snapshot, other) = room.rung(0, 1).await;
        (other != token).then_some(snapshot)
    })
    .await;
    let main = text(back.main.as_ref().unwrap());
    let rung = text(view(&back, 0));
    assert!(main.contains("#EXT-X-DISCONTINUITY\n"), "{main}");
    assert!(rung.contains("#EXT-X-DISCONTINUITY-SEQUENCE:1\n"), "{rung}");
    assert_eq!(room.programs().len(), 2);
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoder_is_given_no_environment_and_no_files_of_ours() {
    // Like a server's socket that is open meanwhile.
    let _open = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut room = Room::with(&[source(), quality(90, 30)], "looks-around").await;
    room.publish("plain").await;
    room.rung(0, 1).await;
    let report = room.stream.transcoder_status().unwrap().report.clone();
    assert_eq!(report.last_failure, None);
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoder_stands_behind_us_is_limited_and_is_a_group_of_its_own() {
    let mut room = Room::with(&[source(), quality(90, 30)], "shows-itself").await;
    room.publish("plain").await;
    room.rung(0, 1).await;
    let id = room.programs()[0];
    let folder = PathBuf::from(format!("/proc/{id}"));
    let found = process(&folder).unwrap();
    assert_eq!((found.group, found.niceness), (id, 10));
    let limits = std::fs::read_to_string(folder.join("limits")).unwrap();
    for (name, most) in [
        ("Max file size", "0"),
        ("Max core file size", "0"),
        ("Max data size", "4294967296"),
        ("Max cpu time", "unlimited"),
    ] {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        let value = line[name.len()..].split_whitespace().next();
        assert_eq!(value, Some(most), "{line}");
    }
    room.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_only_passed_through_starts_nothing() {
    let mut room = Room::with(&[source()], "shows-itself").await;
    room.publish("plain").await;
    room.until("a segment is listed", |now| {
        text(now.main.as_ref()?).contains("#EXTINF:").then_some(())
    })
    .await;
    assert!(room.stream.transcoder_status().is_none());
    assert!(room.programs().is_empty());
    room.close().await;
}
