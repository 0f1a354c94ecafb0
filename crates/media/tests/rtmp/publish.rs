//! The life cycle of a publication.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use media::rtmp::{PublicationEnd, Transport};
use testkit::eventually;
use testkit::rtmp::{RtmpClient, n, null, object, s};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::support::{KEY, Manners, Seen, server, server_with};

const FRAME: &[u8] = b"\x17\x01\0\0\0nal";

async fn publisher(address: std::net::SocketAddr) -> RtmpClient {
    let (client, status) = RtmpClient::publish(address, "live", KEY).await.unwrap();
    assert_eq!(status.code, "NetStream.Publish.Start");
    client
}

#[tokio::test]
async fn media_reaches_the_sink_and_a_clean_stop_is_a_clean_end() {
    let server = server().await;
    let mut client = publisher(server.address).await;
    client.metadata(&[("width", n(640.0))]).await.unwrap();
    client.video(0, FRAME).await.unwrap();
    client.audio(23, b"\xaf\x01aac").await.unwrap();
    let large = [FRAME, &[7; 100_000]].concat();
    client.video(33, &large).await.unwrap();
    client.unpublish().await.unwrap();
    client.closed().await.unwrap();
    let seen = server.wait_for(5).await;
    assert!(matches!(&seen[0], Seen::Metadata(metadata) if metadata.width == Some(640)));
    let expected = [
        Seen::Video(0, Bytes::from_static(FRAME)),
        Seen::Audio(23, Bytes::from_static(b"\xaf\x01aac")),
        Seen::Video(33, large.into()),
        Seen::End(PublicationEnd::Unpublished),
    ];
    assert_eq!(seen[1..], expected);
    let requests = server.requests();
    assert_eq!(requests[0].app, "live");
    assert_eq!(requests[0].encoder, "FMLE/3.0 (compatible; testkit)");
    assert!(!requests[0].is_tls);
    server.stop().await;
}

#[tokio::test]
async fn the_key_may_be_at_the_end_of_the_address() {
    let server = server().await;
    let app = format!("live/{KEY}");
    let (_client, status) = RtmpClient::publish(server.address, &app, "").await.unwrap();
    assert_eq!(status.code, "NetStream.Publish.Start");
    server.stop().await;
}

#[tokio::test]
async fn a_wrong_key_is_refused_with_a_reason_and_a_clean_close() {
    let server = server().await;
    let answer = RtmpClient::publish(server.address, "live", "wrong").await;
    let (mut client, status) = answer.unwrap();
    assert_eq!(status.level, "error");
    assert_eq!(status.code, "NetStream.Publish.BadName");
    assert_eq!(status.description, "The stream key is not known here.");
    client.closed().await.unwrap();
    assert!(server.stop().await.is_empty());
}

#[tokio::test]
async fn a_guesser_keeps_its_place_taken_while_it_waits() {
    let manners = Manners {
        refusal_delay: Duration::from_secs(3600),
        ..Manners::default()
    };
    let server = server_with(manners, None).await;
    let address = server.address;
    for _ in 0..4 {
        tokio::spawn(async move { RtmpClient::publish(address, "live", "guess").await });
    }
    eventually("four guesses were heard", || async {
        (server.requests().len() == 4).then_some(())
    })
    .await;
    let fifth = RtmpClient::publish(address, "live", KEY).await;
    assert!(fifth.is_err());
    assert_eq!(server.requests().len(), 4);
    server.stop().await;
}

#[tokio::test]
async fn a_publisher_takes_no_stranger_s_place() {
    let server = server().await;
    let mut publishers = Vec::new();
    for _ in 0..6 {
        publishers.push(publisher(server.address).await);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_connection_lost_without_a_word_is_a_drop() {
    let server = server().await;
    let mut client = publisher(server.address).await;
    client.video(0, FRAME).await.unwrap();
    drop(client);
    assert!(matches!(
        server.wait_for_end().await,
        PublicationEnd::Dropped(_)
    ));
    server.stop().await;
}

#[tokio::test]
async fn a_revoked_publication_is_told_so_and_closed() {
    let server = server().await;
    let mut client = publisher(server.address).await;
    server.revoke();
    let status = client.status().await.unwrap();
    assert_eq!(status.code, "NetStream.Unpublish.Success");
    client.closed().await.unwrap();
    assert_eq!(server.wait_for_end().await, PublicationEnd::Revoked);
    server.stop().await;
}

#[tokio::test]
async fn rejected_media_ends_the_publication_with_the_reason() {
    let manners = Manners {
        rejected: Some(0x1c),
        ..Manners::default()
    };
    let server = server_with(manners, None).await;
    let mut client = publisher(server.address).await;
    client.video(0, b"\x1chevc").await.unwrap();
    let status = client.status().await.unwrap();
    assert_eq!(status.level, "error");
    assert_eq!(status.description, "This codec is not taken.");
    let end = PublicationEnd::Dropped("This codec is not taken.".to_owned());
    assert_eq!(server.wait_for_end().await, end);
    server.stop().await;
}

#[tokio::test]
async fn a_silent_publisher_is_dropped() {
    let manners = Manners {
        idle_limit: Duration::from_millis(200),
        ..Manners::default()
    };
    let server = server_with(manners, None).await;
    let mut client = publisher(server.address).await;
    let end = server.wait_for_end().await;
    let reason = "nothing was received for too long";
    assert_eq!(end, PublicationEnd::Dropped(reason.to_owned()));
    client.closed().await.unwrap();
    server.stop().await;
}

#[tokio::test]
async fn a_publisher_that_trickles_is_dropped() {
    let manners = Manners {
        idle_limit: Duration::from_secs(2),
        ..Manners::default()
    };
    let server = server_with(manners, None).await;
    let mut client = publisher(server.address).await;
    client.video(0, FRAME).await.unwrap();
    server.wait_for(1).await;
    server.clock.advance(Duration::from_secs(31));
    let end = server.wait_for_end().await;
    let reason = "too little was received for too long";
    assert_eq!(end, PublicationEnd::Dropped(reason.to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn stopping_ends_publications_and_waits_for_them() {
    let server = server().await;
    let mut client = publisher(server.address).await;
    let address = server.address;
    let told = tokio::spawn(async move { client.status().await });
    let seen = server.stop().await;
    let end = PublicationEnd::Dropped("the server is stopping".to_owned());
    assert_eq!(seen, [Seen::End(end)]);
    assert_eq!(
        told.await.unwrap().unwrap().description,
        "The server is stopping."
    );
    assert!(TcpStream::connect(address).await.is_err());
}

/// Publishes with these Enhanced RTMP flags in `connect`.
async fn enhanced_publisher(address: std::net::SocketAddr, flags: f64) -> RtmpClient {
    let mut client = RtmpClient::dial(address).await.unwrap();
    let claims = object(&[("app", s("live")), ("capsEx", n(flags))]);
    let connect = [s("connect"), n(1.0), claims];
    client.command(0, &connect).await.unwrap();
    let publish = [s("publish"), n(5.0), null(), s(KEY)];
    client.command(1, &publish).await.unwrap();
    assert_eq!(
        client.status().await.unwrap().code,
        "NetStream.Publish.Start"
    );
    client
}

#[tokio::test]
async fn before_a_stop_those_who_can_reconnect_are_asked_to_and_nobody_else() {
    let server = server().await;
    let can_reconnect = enhanced_publisher(server.address, 1.0).await;
    let cannot = enhanced_publisher(server.address, 6.0).await;
    let plain = publisher(server.address).await;
    let told = [can_reconnect, cannot, plain].map(|mut client| {
        tokio::spawn(async move {
            let mut codes = Vec::new();
            while let Ok(status) = client.status().await {
                codes.push(status.code);
            }
            codes
        })
    });
    server.stop().await;
    let [can_reconnect, cannot, plain] = told;
    let ended = ["NetStream.Unpublish.Success"];
    let asked = ["NetConnection.Connect.ReconnectRequest", ended[0]];
    assert_eq!(can_reconnect.await.unwrap(), asked);
    assert_eq!(cannot.await.unwrap(), ended);
    assert_eq!(plain.await.unwrap(), ended);
}

#[tokio::test]
async fn a_stop_that_takes_back_the_grant_as_well_is_still_a_stop() {
    let server = server().await;
    let mut told = Vec::new();
    // Repeated, because simultaneous events may be seen in any order.
    for _ in 0..6 {
        let mut client = enhanced_publisher(server.address, 1.0).await;
        told.push(tokio::spawn(async move { client.status().await }));
    }
    server.revoke();
    server.stop().await;
    for told in told {
        let status = told.await.unwrap().unwrap();
        assert_eq!(status.code, "NetConnection.Connect.ReconnectRequest");
    }
}

#[tokio::test]
async fn who_is_thrown_out_is_not_asked_to_reconnect() {
    let server = server().await;
    let mut client = enhanced_publisher(server.address, 1.0).await;
    server.revoke();
    let status = client.status().await.unwrap();
    assert_eq!(status.code, "NetStream.Unpublish.Success");
    server.stop().await;
}

#[tokio::test]
async fn a_tls_client_is_upgraded_on_the_same_port() {
    // Stands in for TLS: consumes the one byte that announces it.
    let upgrade: media::rtmp::TlsUpgrade = Arc::new(|mut tcp: TcpStream| {
        Box::pin(async move {
            tcp.read_u8().await?;
            Ok(Box::new(tcp) as Box<dyn Transport>)
        })
    });
    let server = server_with(Manners::default(), Some(upgrade)).await;
    let tcp = TcpStream::connect(server.address).await.unwrap();
    let mut client = RtmpClient::over(tcp);
    client.raw(&[0x16]).await.unwrap();
    client.shake_hands().await.unwrap();
    client.connect(&format!("live/{KEY}")).await.unwrap();
    let publish = [s("publish"), n(5.0)];
    client.command(1, &publish).await.unwrap();
    assert_eq!(
        client.status().await.unwrap().code,
        "NetStream.Publish.Start"
    );
    assert!(server.requests()[0].is_tls);
    publisher(server.address).await;
    assert!(!server.requests()[1].is_tls);
    server.stop().await;
}

#[tokio::test]
async fn a_tls_client_is_turned_away_where_there_is_no_certificate() {
    let server = server().await;
    let mut client = RtmpClient::over(TcpStream::connect(server.address).await.unwrap());
    client.raw(&[0x16]).await.unwrap();
    assert!(client.shake_hands().await.is_err());
    server.stop().await;
}
