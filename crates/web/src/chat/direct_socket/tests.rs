use std::pin::pin;

use futures_util::FutureExt;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::*;

/// A wire and its peer.
async fn pair() -> (Arc<DirectTcp>, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (near, far) = tokio::join!(TcpStream::connect(address), listener.accept());
    (Arc::new(DirectTcp::new(near.unwrap())), far.unwrap().0)
}

async fn read(far: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    far.read_exact(&mut bytes).await.unwrap();
    bytes
}

/// Writes frames of a megabyte until the system takes no more; returns how many were written.
fn fill(wire: &DirectTcp) -> usize {
    let frame = Bytes::from(vec![b'x'; 1 << 20]);
    let mut given = 0;
    while wire.is_drained() {
        wire.write_frames(&frame, 1).unwrap();
        given += 1;
    }
    given
}

#[tokio::test]
async fn what_the_room_gives_before_the_queue_is_empty_comes_after_it() {
    let (wire, mut far) = pair().await;
    let mut pipe = SocketIo::direct(Arc::clone(&wire), Bytes::new());
    wire.tcp.writable().await.unwrap();
    wire.write_frames(&Bytes::from_static(b"second"), 1)
        .unwrap();
    pipe.write_all(b"first ").await.unwrap();
    wire.open();
    pipe.flush().await.unwrap();
    wire.write_frames(&Bytes::from_static(b" third"), 1)
        .unwrap();
    pipe.write_all(b" fourth").await.unwrap();
    let all = b"first second third fourth";
    assert_eq!(read(&mut far, all.len()).await, all);
}

#[tokio::test]
async fn who_does_not_read_is_owed_so_many_frames_and_no_more() {
    let (wire, mut far) = pair().await;
    wire.open();
    wire.tcp.writable().await.unwrap();
    let filling = fill(&wire);
    let line = Bytes::from_static(b"line");
    for _ in 1..LISTENER_QUEUE {
        wire.write_frames(&line, 1).unwrap();
    }
    assert_eq!(wire.write_frames(&line, 1), Err(CloseReason::TooSlow));
    let mut settling = pin!(wire.drain());
    let mut reading = pin!(read(&mut far, (filling << 20) + 4 * (LISTENER_QUEUE - 1)));
    let bytes = tokio::select! {
        error = &mut settling => panic!("{error}"),
        bytes = &mut reading => bytes,
    };
    assert!(bytes.ends_with(b"linelineline"));
    assert_eq!(
        wire.write_frames(&line, 1),
        Ok(()),
        "who reads again is owed nothing"
    );
}

#[tokio::test]
async fn a_frame_that_has_begun_ends_before_the_farewell() {
    let (wire, mut far) = pair().await;
    let mut pipe = SocketIo::direct(Arc::clone(&wire), Bytes::new());
    wire.open();
    wire.tcp.writable().await.unwrap();
    let filling = fill(&wire);
    wire.write_frames(&Bytes::from_static(b"never heard"), 1)
        .unwrap();
    wire.forget();
    pipe.write_all(b"farewell").await.unwrap();
    let (flushed, bytes) = tokio::join!(pipe.flush(), read(&mut far, (filling << 20) + 8));
    flushed.unwrap();
    assert!(bytes.ends_with(b"xfarewell"));
}

#[tokio::test]
async fn a_wire_that_is_cut_says_so() {
    let (wire, far) = pair().await;
    wire.open();
    wire.tcp.writable().await.unwrap();
    SockRef::from(&far)
        .set_linger(Some(std::time::Duration::ZERO))
        .unwrap();
    drop(far);
    let line = Bytes::from_static(b"line");
    testkit::eventually("the room hears of it", || async {
        (wire.write_frames(&line, 1) == Err(CloseReason::Removed)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_came_with_the_request_is_read_first() {
    let (wire, mut far) = pair().await;
    let mut pipe = SocketIo::direct(wire, Bytes::from_static(b"early "));
    far.write_all(b"late").await.unwrap();
    let mut bytes = [0; 10];
    pipe.read_exact(&mut bytes).await.unwrap();
    assert_eq!(&bytes, b"early late");
}

#[tokio::test]
async fn nothing_is_settled_while_nothing_is_owed() {
    let (wire, _far) = pair().await;
    wire.open();
    assert!(wire.drain().now_or_never().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Checked with the library's own parser.
    #[test]
    fn what_is_wrapped_is_read_as_the_same_texts(lengths in prop::collection::vec(
        prop_oneof![0_usize..300, 65_530_usize..65_540, Just(125), Just(126), Just(127)], 1..5)) {
        let texts: Vec<String> = lengths.iter().map(|length| "a".repeat(*length)).collect();
        let mut wrapped = BytesMut::new();
        for text in &texts {
            wrap(text.as_bytes(), &mut wrapped);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let heard: Vec<String> = runtime.block_on(async {
            let (near, far) = tokio::io::duplex(wrapped.len());
            let mut near = near;
            near.write_all(&wrapped).await.unwrap();
            let socket = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
            use futures_util::StreamExt;
            socket.take(texts.len()).map(|text| text.unwrap().into_text().unwrap().to_string()).collect().await
        });
        prop_assert_eq!(heard, texts);
    }
}
