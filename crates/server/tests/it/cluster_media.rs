//! One stream on several machines, with a real NATS between them.

use server::cli::Options;
use server::testing::TestServer;
use testkit::eventually;
use testkit::rtmp::RtmpClient;

use crate::cluster::Database;
use crate::http::{Answer, get};
use crate::stream::state;

const PLAYLISTS: [&str; 3] = [
    "/hls/stream.m3u8",
    "/hls/0/video.m3u8",
    "/hls/audio/stream.m3u8",
];

/// One more machine; `None` without NATS, which CI does not accept.
async fn machine(database: &mut Database, name: &str, roles: &str) -> Option<TestServer> {
    let Ok(nats) = std::env::var("RILLCAST_TEST_NATS") else {
        assert!(
            std::env::var_os("CI").is_none(),
            "RILLCAST_TEST_NATS is not set: run `make test`"
        );
        return None;
    };
    let options = Options {
        cluster: Some(database.name.replace('_', "-")),
        nats: Some(nats),
        node_name: Some(name.into()),
        roles: Some(roles.into()),
        ..Options::default()
    };
    Some(database.machine_with(options).await)
}

/// A publisher, once this machine takes in the stream.
async fn publisher(server: &TestServer) -> RtmpClient {
    let (address, key) = (server.rtmp_address(), server.stream_key());
    eventually("the publisher is let in", async || {
        let published = RtmpClient::publish(address, "live", &key).await;
        let (client, status) = published.ok()?;
        (status.code == "NetStream.Publish.Start").then_some(client)
    })
    .await
}

/// The playlists as soon as both machines have the same.
async fn same_playlists(left: &TestServer, right: &TestServer) -> Vec<Answer> {
    eventually("both machines show the same", async || {
        let mut same = Vec::new();
        for path in PLAYLISTS {
            let own = get(path).send(left).await;
            let other = get(path).send(right).await;
            let is_same = own.status == 200 && own.status == other.status && own.body == other.body;
            same.push(is_same.then_some(own)?);
        }
        Some(same)
    })
    .await
}

/// The names of the files that are there already.
fn files(playlist: &str) -> Vec<&str> {
    let lines = playlist.lines();
    let listed = lines.filter(|line| !line.starts_with("#EXT-X-PRELOAD-HINT"));
    let names = listed.flat_map(|line| line.split('"'));
    names
        .filter(|name| name.ends_with(".mp4") || name.ends_with(".m4s"))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_machine_plays_the_stream_that_one_of_them_takes_in() {
    let Some(mut database) = Database::create() else {
        return;
    };
    let Some(left) = machine(&mut database, "left", "ingest,web").await else {
        return;
    };
    let right = machine(&mut database, "right", "web,worker").await.unwrap();
    let mut client = publisher(&left).await;
    client.send_clip("plain", 0).await.unwrap();
    state(&left, "live").await;
    assert_eq!(state(&right, "live").await["online"], true);
    let late = machine(&mut database, "late", "web").await.unwrap();
    state(&late, "live").await;
    for other in [&right, &late] {
        let playlists = same_playlists(&left, other).await;
        let mut count = 0;
        for (path, playlist) in PLAYLISTS.iter().zip(playlists) {
            let (folder, _) = path.rsplit_once('/').unwrap();
            for name in files(&playlist.body) {
                let path = format!("{folder}/{name}");
                let own = get(&path).send(&left).await;
                let there = get(&path).send(other).await;
                assert_eq!((own.status, there.status), (200, 200), "{path}");
                assert!(own.bytes == there.bytes, "{path} differs");
                count += 1;
            }
        }
        assert!(count > 4, "{count} files");
    }
    client.unpublish().await.unwrap();
    state(&right, "offline").await;
    for playlist in same_playlists(&left, &right).await.iter().skip(1) {
        let body = &playlist.body;
        assert!(body.ends_with("#EXT-X-ENDLIST\n"), "{body}");
    }
    for server in [late, right, left] {
        server.stop().await;
    }
}
