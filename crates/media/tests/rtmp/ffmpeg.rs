//! ffmpeg, the most common publisher: handshake with digests, chunks of 128 bytes, its own order of commands.

use std::net::SocketAddr;
use std::process::Output;

use media::rtmp::PublicationEnd;
use media_formats::flv::{self, VideoTag};
use tokio::process::Command;

use crate::support::{KEY, Seen, server};

/// Two seconds of picture and sound, with B-frames, pushed in real time.
async fn push(address: SocketAddr, key: &str, offset_s: &str) -> Output {
    let url = format!("rtmp://{address}/live/{key}");
    let arguments = "-hide_banner -loglevel error -nostdin -re -f lavfi -i testsrc2=size=128x72:rate=25 \
        -f lavfi -i sine=440 -t 1 -c:v libx264 -preset ultrafast -bf 2 -g 25 -pix_fmt yuv420p -c:a aac -f flv";
    Command::new("ffmpeg")
        .args(arguments.split_whitespace())
        .args(["-output_ts_offset", offset_s, &url])
        .output()
        .await
        .unwrap()
}

fn frame_times(seen: &[Seen]) -> Vec<u32> {
    let frames = seen.iter().filter_map(|seen| match seen {
        Seen::Video(time, body) => Some((*time, flv::video(body.clone()).unwrap())),
        _ => None,
    });
    frames
        .filter(|(_, tag)| matches!(tag, VideoTag::Frame { .. }))
        .map(|(time, _)| time)
        .collect()
}

#[tokio::test]
async fn every_frame_of_ffmpeg_arrives_in_its_time() {
    let server = server().await;
    let output = push(server.address, KEY, "0").await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(server.wait_for_end().await, PublicationEnd::Unpublished);
    let times = frame_times(&server.stop().await);
    let steps: Vec<u32> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(steps, [40; 24]);
}

#[tokio::test]
async fn time_goes_on_where_three_bytes_end() {
    let server = server().await;
    // The limit is at 16,777.215 s; half of the frames are beyond it.
    let output = push(server.address, KEY, "16776.7").await;
    assert!(output.status.success(), "{output:?}");
    server.wait_for_end().await;
    let times = frame_times(&server.stop().await);
    assert!(
        times[0] < 0x00ff_ffff && times[24] > 0x00ff_ffff,
        "{times:?}"
    );
    let steps: Vec<u32> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(steps, [40; 24]);
}

#[tokio::test]
async fn ffmpeg_shows_why_it_was_refused() {
    let server = server().await;
    let output = push(server.address, "wrong", "0").await;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("The stream key is not known here."), "{said}");
    server.stop().await;
}
