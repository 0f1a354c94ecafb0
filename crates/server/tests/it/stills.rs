//! Thumbnails of the stream, for pages and for posts.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use server::testing::TestServer;
use testkit::picture::decode;
use testkit::{LONG_DEADLINE, within};

use crate::http::{Answer, get, post, request, server_with, set_up_server};
use crate::stream::broadcast;

/// The answer, once it has this content type.
pub(crate) async fn once_it_is(server: &TestServer, path: &str, kind: &str) -> Answer {
    within(LONG_DEADLINE, &format!("{path} is {kind}"), async || {
        let answer = get(path).send(server).await;
        assert_eq!(answer.status, 200, "{path}");
        (answer.header("content-type") == kind).then_some(answer)
    })
    .await
}

/// The answer, once there is one.
pub(crate) async fn once_there(server: &TestServer, path: &str) -> Answer {
    within(LONG_DEADLINE, &format!("{path} is there"), async || {
        let answer = get(path).send(server).await;
        (answer.status == 200).then_some(answer)
    })
    .await
}

#[tokio::test]
async fn the_stream_has_pictures_while_it_is_live_and_the_logo_stands_for_them_otherwise() {
    let server = server_with(&[]).await;
    let logo = get("/logo").send(&server).await;
    let paths = ["/thumbnail.jpg", "/preview.gif"];
    for path in paths {
        let answer = get(path).send(&server).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), logo.header("content-type"));
        assert_eq!(answer.header("cache-control"), "public, max-age=20");
        assert!(answer.bytes == logo.bytes, "{path}");
    }

    let mut client = broadcast(&server).await;
    // Until the thumbnail is drawn there is a placeholder, which is a JPEG too; the animated preview comes after it.
    let moving = once_it_is(&server, paths[1], "image/gif").await;
    let still = once_it_is(&server, paths[0], "image/jpeg").await;
    let (picture, motion) = (decode(&still.bytes), decode(&moving.bytes));
    assert_eq!((picture.width, picture.height), (320, 180));
    assert_eq!((picture.codec.as_str(), picture.frames), ("mjpeg", 1));
    assert!(
        motion.codec == "gif" && motion.width <= 320 && motion.frames > 1,
        "{motion:?}"
    );
    for (path, answer) in [(paths[0], &still), (paths[1], &moving)] {
        assert_eq!(answer.header("cache-control"), "public, max-age=20");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        let head = request("HEAD", path).send(&server).await;
        assert_eq!(
            (head.status, head.bytes.len()),
            (200, 0),
            "{path}: {:?}",
            head.headers
        );
        assert_eq!(head.header("content-type"), answer.header("content-type"));
        let tag = answer.header("etag");
        let again = get(path).header("if-none-match", tag).send(&server).await;
        // The stream goes on, so there may be a newer thumbnail by now.
        assert!(again.status == 304 || again.header("etag") != tag, "{path}");
    }
    assert_ne!(still.header("etag"), moving.header("etag"));

    // On a busy machine it may have been silent for so long that the server closed the connection.
    drop(client.unpublish().await);
    for path in paths {
        let answer = once_it_is(&server, path, logo.header("content-type")).await;
        assert!(answer.bytes == logo.bytes, "{path}");
    }
}

#[tokio::test]
async fn a_stream_without_ffmpeg_has_the_logo_on_a_stage_for_a_picture() {
    // An ffmpeg that records that it was called, and fails.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("ffmpeg");
    fs::write(&program, "#!/bin/sh\n: > \"$0.asked\"\nexit 1\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let setting = format!("ffmpeg_path={}", program.display());
    let server = server_with(&[setting.as_str()]).await;
    let _client = broadcast(&server).await;
    within(LONG_DEADLINE, "a picture is asked for", async || {
        let was_asked = folder.path().join("ffmpeg.asked").exists();
        was_asked.then_some(())
    })
    .await;
    for path in ["/thumbnail.jpg", "/preview.gif"] {
        let answer = once_it_is(&server, path, "image/jpeg").await;
        let picture = decode(&answer.bytes);
        assert_eq!((picture.width, picture.height), (1280, 720), "{path}");
    }
    let playlist = get("/hls/0/video.m3u8").send(&server).await;
    assert_eq!(playlist.status, 200);
}

#[tokio::test]
async fn a_logo_in_svg_stands_for_no_picture_of_the_stream() {
    let server = set_up_server().await;
    let svg = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
    let upload = serde_json::json!({ "value": format!("data:image/svg+xml;base64,{svg}") });
    let upload = post("/api/admin/config/logo", &upload).by_admin();
    assert_eq!(upload.send(&server).await.status, 200);
    for path in ["/thumbnail.jpg", "/preview.gif"] {
        let answer = get(path).send(&server).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "image/png")
        );
    }
}
