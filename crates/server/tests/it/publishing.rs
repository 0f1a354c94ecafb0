//! What publishers send besides audio and video: stream keys and metadata.

use testkit::eventually;
use testkit::rtmp::{RtmpClient, n, s};

use crate::http::{get, server_with};
use crate::stream::{publisher, state};

#[tokio::test]
async fn a_key_is_found_as_it_was_sent_or_decoded_once() {
    let keys = r#"stream_keys=[{"key":"aZ09!@#$^&*"},{"key":"kept%41as-it-is"}]"#;
    let server = server_with(&[keys]).await;
    let publish = async |key| {
        let publishing = RtmpClient::publish(server.rtmp_address(), "live", key);
        let (mut client, status) = publishing.await.unwrap();
        if status.level == "status" {
            client.unpublish().await.unwrap();
            state(&server, "offline").await;
        }
        status.level
    };
    for key in [
        "aZ09!@#$^&*",
        "aZ09%21%40%23$^%26*",
        "kept%41as-it-is",
        "kept%2541as-it-is",
    ] {
        assert_eq!(publish(key).await, "status", "{key}");
    }
    for key in ["aZ09%2521@#$^&*", "keptAas-it-is", "kept%252541as-it-is"] {
        assert_eq!(publish(key).await, "error", "{key}");
    }
}

#[tokio::test]
async fn the_admin_status_names_the_encoder_and_how_much_sound_comes() {
    let server = server_with(&[]).await;
    let mut client = publisher(&server).await;
    let claims = [
        ("encoder", s("obs-output module (libobs version 30.0)")),
        ("audiodatarate", n(160.0)),
    ];
    client.metadata(&claims).await.unwrap();
    client.send_clip("plain", 0).await.unwrap();
    let details = eventually("sound is measured", || async {
        let status = get("/api/admin/status").by_admin().send(&server).await;
        let details = status.json()["broadcaster"]["streamDetails"].clone();
        (details["audioBitrate"].as_u64()? > 0).then_some(details)
    })
    .await;
    assert_eq!(
        details["encoder"],
        "obs-output module (libobs version 30.0)"
    );
    assert!(details["videoBitrate"].as_u64().unwrap() > 0, "{details}");
}
