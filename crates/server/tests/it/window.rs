//! What can be fetched of a stream, and for how long.

use testkit::eventually;

use crate::http::{get, server_with};
use crate::stream::{broadcast, name, send};

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
        send(&mut client, CLIP, clip * CLIP_MS).await;
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
    // It is not the stream that has gone.
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    let first = format!("/hls/0/{}", name(&playlist, "seg-"));
    assert!(!paths.contains(&first), "{}", playlist.body);
    assert!(!playlist.body.contains("#EXT-X-ENDLIST"));
}
