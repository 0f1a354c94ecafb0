//! Another implementation publishes to ours; what both read and write is compared in `media-formats`.

use bytes::Bytes;
use rtmp_rs::client::{ClientConfig, RtmpPublisher};

use crate::support::{KEY, Seen, server};

#[tokio::test]
async fn their_client_publishes_to_our_server() {
    let server = server().await;
    let url = format!("rtmp://{}/live/{KEY}", server.address);
    let (mut publisher, _events) = RtmpPublisher::new(ClientConfig::new(url));
    publisher.connect().await.unwrap();
    for index in 0..100u32 {
        let body = Bytes::from_static(b"\xaf\x01silence");
        publisher.send_audio(body, index * 23).await.unwrap();
    }
    let seen = server.wait_for(100).await;
    for (index, seen) in seen.iter().take(100).enumerate() {
        let expected = Seen::Audio(index as u32 * 23, Bytes::from_static(b"\xaf\x01silence"));
        assert_eq!(seen, &expected);
    }
    server.stop().await;
}
