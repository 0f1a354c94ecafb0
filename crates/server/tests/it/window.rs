//! Which files of a stream can be fetched, and for how long.

use testkit::eventually;

use crate::http::{get, server_with};
use crate::stream::{broadcast, name, state};

const CLIP: &str = "plain";
const CLIP_MS: u32 = 8_000;
/// Twice as much as is listed and kept for a while after it.
const CLIPS: u32 = 6;

#[tokio::test]
async fn a_segment_that_has_left_the_window_is_404_for_a_second() {
    let server = server_with(&[]).await;
    let mut client = broadcast(&server).await;
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    let paths = ["seg-", "part-"].map(|kind| format!("/hls/0/{}", name(&playlist, kind)));
    for path in &paths {
        assert_eq!(get(path).send(&server).await.status, 200, "{path}");
    }
    for clip in 1..CLIPS {
        client.send_clip(CLIP, clip * CLIP_MS).await.unwrap();
    }
    for path in &paths {
        let gone = eventually(&format!("{path} is gone"), || async {
            let answer = get(path).send(&server).await;
            (answer.status != 200).then_some(answer)
        })
        .await;
        assert_eq!(
            (gone.status, gone.header("cache-control")),
            (404, "max-age=1"),
            "{path}"
        );
    }
    // The stream itself is still there.
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    let first = format!("/hls/0/{}", name(&playlist, "seg-"));
    assert!(!paths.contains(&first), "{}", playlist.body);
    assert!(!playlist.body.contains("#EXT-X-ENDLIST"));
}

#[tokio::test]
async fn a_blocked_reload_gets_the_unchanged_list_or_its_delta_while_the_publisher_is_away() {
    let server = server_with(&[]).await;
    let mut client = broadcast(&server).await;
    for clip in 1..3 {
        client.send_clip(CLIP, clip * CLIP_MS).await.unwrap();
    }
    drop(client);
    state(&server, "waiting").await;
    let now = get("/hls/0/video.m3u8").send(&server).await;
    let first: u64 = tag(&now.body, "#EXT-X-MEDIA-SEQUENCE:").parse().unwrap();
    let next = first + now.body.matches("#EXTINF:").count() as u64 + 1;
    let path = format!("/hls/0/video.m3u8?_HLS_msn={next}");
    let (whole, delta) = tokio::join!(
        get(&path).send(&server),
        get(&format!("{path}&_HLS_skip=YES")).send(&server),
    );
    for answer in [&whole, &delta] {
        let cache = answer.header("cache-control");
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(cache, "no-cache, no-store, must-revalidate");
    }
    assert_eq!(whole.body, now.body);
    let skipped: usize = tag(&delta.body, "#EXT-X-SKIP:SKIPPED-SEGMENTS=")
        .parse()
        .unwrap();
    let listed = delta.body.matches("#EXTINF:").count();
    assert_eq!(
        skipped + listed,
        whole.body.matches("#EXTINF:").count(),
        "{}",
        delta.body
    );
}

fn tag<'a>(playlist: &'a str, name: &str) -> &'a str {
    let mut lines = playlist.lines();
    let value = lines.find_map(|line| line.strip_prefix(name));
    value.unwrap_or_else(|| panic!("no {name} in {playlist}"))
}
