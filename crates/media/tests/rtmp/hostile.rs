//! Input that broke other servers, and what a port on the internet receives.

use std::net::SocketAddr;
use std::time::Duration;

use media::rtmp::PublicationEnd;
use testkit::eventually;
use testkit::rtmp::{RtmpClient, chunks, n, null, s};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::support::{KEY, Manners, Seen, Server, server, server_with};

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Pages of memory in use.
fn resident_pages() -> usize {
    let sizes = std::fs::read_to_string("/proc/self/statm").unwrap();
    sizes.split(' ').nth(1).unwrap().parse().unwrap()
}

fn alive_tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

async fn publisher(server: &Server) -> RtmpClient {
    let answer = RtmpClient::publish(server.address, "live", KEY).await;
    answer.unwrap().0
}

/// Reads to the end, whether the connection is closed or reset.
async fn is_closed(tcp: &mut TcpStream) {
    let mut waste = [0; 4096];
    while tcp.read(&mut waste).await.is_ok_and(|read| read > 0) {}
}

async fn all_tasks_end(before: usize) {
    eventually("the tasks of the connections end", || async {
        (alive_tasks() <= before).then_some(())
    })
    .await;
}

/// Another server looped for ever on the empty read of a client that connects and closes.
#[tokio::test]
async fn a_client_that_connects_and_closes_ends_its_task() {
    let server = server().await;
    let before = alive_tasks();
    for sent in [0, 1, 1000, 1537, 2000, 3073] {
        let mut tcp = TcpStream::connect(server.address).await.unwrap();
        tcp.write_all(&vec![3; sent]).await.unwrap();
        tcp.shutdown().await.unwrap();
        is_closed(&mut tcp).await;
    }
    all_tasks_end(before).await;
    server.stop().await;
}

/// Another server divided by the client's window size.
#[tokio::test]
async fn a_window_of_zero_harms_nobody() {
    let server = server().await;
    let mut client = RtmpClient::dial(server.address).await.unwrap();
    client.message(2, 5, 0, 0, &[0; 4]).await.unwrap();
    client.connect("live").await.unwrap();
    client.message(2, 5, 0, 0, &[]).await.unwrap();
    let publish = [s("publish"), n(5.0), null(), s(KEY), s("live")];
    client.command(1, &publish).await.unwrap();
    assert_eq!(
        client.status().await.unwrap().code,
        "NetStream.Publish.Start"
    );
    client.audio(0, b"\xaf\x01aac").await.unwrap();
    server.wait_for(1).await;
    server.stop().await;
}

/// Another server lost a third of the time of a silent microphone, whose frames all have one size.
#[tokio::test]
async fn ten_seconds_of_a_silent_microphone_last_ten_seconds() {
    let server = server().await;
    let mut client = publisher(&server).await;
    let frame = b"\xaf\x01silence";
    let mut bytes = chunks(128, 4, 8, 0, 1, frame);
    bytes.extend(b"\x84\0\0\x17");
    bytes.extend(frame);
    for _ in 0..433 {
        bytes.push(0xc4);
        bytes.extend(frame);
    }
    client.raw(&bytes).await.unwrap();
    let seen = server.wait_for(435).await;
    let times: Vec<u32> = seen
        .iter()
        .map(|seen| match seen {
            Seen::Audio(time, _) => *time,
            other => panic!("{other:?}"),
        })
        .collect();
    let expected: Vec<u32> = (0..435).map(|index| index * 23).collect();
    assert_eq!(times, expected);
    server.stop().await;
}

/// Another server reserved 30 GB of address space for this.
#[tokio::test]
async fn two_thousand_announced_messages_end_the_publication() {
    let server = server().await;
    let mut client = publisher(&server).await;
    let mut bytes = Vec::new();
    for id in 64..2064u16 {
        bytes.push(1);
        bytes.extend((id - 64).to_le_bytes());
        bytes.extend([0, 0, 0, 0x7f, 0xff, 0xff, 9, 1, 0, 0, 0]);
        bytes.extend([0; 128]);
    }
    // The server closes before it has read all of this.
    let _sent = client.raw(&bytes).await;
    let end = server.wait_for_end().await;
    assert_eq!(
        end,
        PublicationEnd::Dropped("more than 16 chunk streams".to_owned())
    );
    server.stop().await;
}

#[tokio::test]
async fn one_byte_chunks_end_the_publication() {
    let server = server().await;
    let mut client = publisher(&server).await;
    client.set_chunk_size(1).await.unwrap();
    let _sent = client.video(0, &vec![0x17; 200_000]).await;
    let end = server.wait_for_end().await;
    let reason = "too many chunk headers for what they carry";
    assert_eq!(end, PublicationEnd::Dropped(reason.to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn an_unknown_message_and_an_abort_harm_nobody() {
    let server = server().await;
    let mut client = publisher(&server).await;
    client.message(9, 99, 0, 1, b"unknown").await.unwrap();
    client
        .message(2, 2, 0, 0, &77u32.to_be_bytes())
        .await
        .unwrap();
    client.message(9, 16, 0, 1, b"shared object").await.unwrap();
    client.audio(5, b"\xaf\x01aac").await.unwrap();
    assert!(matches!(server.wait_for(1).await[0], Seen::Audio(5, _)));
    server.stop().await;
}

#[tokio::test]
async fn a_web_browser_at_the_wrong_port_is_closed() {
    let server = server().await;
    let mut tcp = TcpStream::connect(server.address).await.unwrap();
    tcp.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    is_closed(&mut tcp).await;
    server.stop().await;
}

#[tokio::test]
async fn a_player_hears_where_to_watch() {
    let server = server().await;
    let mut client = RtmpClient::dial(server.address).await.unwrap();
    client.connect("live").await.unwrap();
    let play = [s("play"), n(4.0), null(), s(KEY)];
    client.command(1, &play).await.unwrap();
    let status = client.status().await.unwrap();
    assert!(status.description.contains("web page"), "{status:?}");
    client.closed().await.unwrap();
    server.stop().await;
}

#[tokio::test]
async fn the_fifth_stranger_from_one_address_is_not_let_in() {
    let server = server().await;
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(RtmpClient::dial(server.address).await.unwrap());
    }
    assert!(RtmpClient::dial(server.address).await.is_err());
    waiting.pop();
    eventually("a place is free again", || async {
        RtmpClient::dial(server.address).await.ok()
    })
    .await;
    server.stop().await;
}

/// The only test that waits for real time: a stranger that stops in the middle of its handshake, and one that trickles.
#[tokio::test]
async fn a_stranger_that_does_not_come_to_the_point_is_dropped() {
    let server = server().await;
    let mut half_open = TcpStream::connect(server.address).await.unwrap();
    half_open.write_all(&[3; 100]).await.unwrap();
    let address = server.address;
    let trickle = tokio::spawn(async move {
        let mut tcp = TcpStream::connect(address).await.unwrap();
        while tcp.write_all(&[3]).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    is_closed(&mut half_open).await;
    trickle.await.unwrap();
    server.stop().await;
}

/// A whole session, damaged at one position.
fn malformed(index: usize) -> Vec<u8> {
    let hello = [vec![3], vec![0; 2 * 1536]].concat();
    let message = |kind: u8, body: &[u8]| chunks(128, 3, kind, 0, 0, body);
    match index % 10 {
        0 => b"\x16\x03\x01\x02\0\x01\0".to_vec(),
        1 => hello[..index % hello.len()].to_vec(),
        2 => [hello, vec![0xff; 64]].concat(),
        3 => [hello, message(20, &[0x0a; 600])].concat(),
        4 => [hello, message(17, b"\x11\x09\x03\x01")].concat(),
        5 => [hello, message(1, &[0; 4])].concat(),
        6 => [hello, message(20, &[s("publish"), n(1.0)].concat())].concat(),
        7 => [hello, message(20, b"\x02\xff\xffshort")].concat(),
        8 => [hello, vec![3, 0, 0, 0, 0xff, 0xff, 0xff, 20, 0, 0, 0, 0]].concat(),
        _ => (0..index % 4000)
            .map(|at| (at * index % 251) as u8)
            .collect(),
    }
}

async fn misbehave(address: SocketAddr, index: usize) {
    let mut tcp = TcpStream::connect(address).await.unwrap();
    // The server may close before it has read all of this.
    let _sent = tcp.write_all(&malformed(index)).await;
    if !index.is_multiple_of(3) {
        let _shut = tcp.shutdown().await;
        is_closed(&mut tcp).await;
    }
}

#[tokio::test]
async fn malformed_publishers_leave_no_task_file_memory_or_place_behind() {
    let is_long = std::env::var_os("RILLCAST_RING").is_some_and(|ring| ring == "all");
    let publishers = if is_long { 10_000 } else { 1_000 };
    let server = server().await;
    let tasks_before = alive_tasks();
    let files_before = open_files();
    let pages_before = resident_pages();
    for first in (0..publishers).step_by(4) {
        let batch = (first..first + 4).map(|index| misbehave(server.address, index));
        futures_util::future::join_all(batch).await;
    }
    all_tasks_end(tasks_before).await;
    eventually("the sockets are closed", || async {
        // Other tests of this binary open and close files meanwhile.
        (open_files() <= files_before + 40).then_some(())
    })
    .await;
    // 32 MiB in 4 KiB pages: enough for the other tests, but not for a leak per publisher.
    assert!(resident_pages() <= pages_before + 8192);
    drop(publisher(&server).await);
    server.stop().await;
}

/// A client that waits for the reply to a wrong key must not block the port for others.
#[tokio::test]
async fn guessers_that_wait_for_their_answer_hold_nobody_up() {
    let manners = Manners {
        refusal_delay: Duration::from_secs(3600),
        ..Manners::default()
    };
    let server = server_with(manners, None).await;
    let address = server.address;
    let guessers: Vec<_> = (0..3)
        .map(|_| tokio::spawn(async move { RtmpClient::publish(address, "live", "guess").await }))
        .collect();
    eventually("three guesses were heard", || async {
        (server.requests().len() == 3).then_some(())
    })
    .await;
    let mut honest = publisher(&server).await;
    honest.audio(7, b"\xaf\x01aac").await.unwrap();
    assert!(matches!(server.wait_for(1).await[0], Seen::Audio(7, _)));
    assert!(guessers.iter().all(|guesser| !guesser.is_finished()));
    server.stop().await;
}

/// One of a crowd; it connects from an address of its own and stays until it is disconnected.
async fn loiter(address: SocketAddr, index: usize) {
    let socket = TcpSocket::new_v4().unwrap();
    let (high, low) = ((index / 4) / 250, (index / 4) % 250);
    let own = [127, 0, 1 + high as u8, 1 + low as u8];
    socket.bind(SocketAddr::from((own, 0))).unwrap();
    let Ok(mut tcp) = socket.connect(address).await else {
        return;
    };
    match index % 4 {
        // Half open: it sends nothing, or stops in the middle of a message.
        0 => is_closed(&mut tcp).await,
        1 => {
            let _sent = tcp.write_all(&[3; 700]).await;
            is_closed(&mut tcp).await;
        }
        // Slow: a byte now and then.
        2 => {
            while tcp.write_all(&[3]).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
        _ => {
            let _sent = tcp.write_all(&malformed(index)).await;
            is_closed(&mut tcp).await;
        }
    }
}

#[tokio::test]
async fn a_thousand_half_open_slow_and_garbage_publishers_get_their_places_and_no_more() {
    const CROWD: usize = 1_000;
    const PLACES: usize = 32;
    let server = server().await;
    let tasks_before = alive_tasks();
    let pages_before = resident_pages();
    let mut honest = publisher(&server).await;
    let mut crowd = JoinSet::new();
    // While any of them is left, the honest publisher continues, and the server never has more tasks than permits.
    let (mut come, mut sent, mut most) = (0, 0, 0);
    let honest_one = 1;
    while come < CROWD || !crowd.is_empty() {
        // More at once would overflow the listener's backlog, and clients that drop out of it are not told.
        let batch = come..(come + 16).min(CROWD);
        come = batch.end;
        for index in batch {
            crowd.spawn(loiter(server.address, index));
        }
        while crowd.try_join_next().is_some() {}
        let others = tasks_before + honest_one + crowd.len();
        most = most.max(alive_tasks().saturating_sub(others));
        honest.audio(sent, b"\xaf\x01aac").await.unwrap();
        sent += 1;
        let _joined = tokio::time::timeout(Duration::from_millis(20), crowd.join_next()).await;
    }
    assert!(most > 0, "nobody was attended to");
    assert!(most <= PLACES, "{most} strangers were attended to at once");
    let seen = server.wait_for(sent as usize).await;
    assert_eq!(seen.len(), sent as usize, "{:?}", seen.last());
    drop(honest);
    all_tasks_end(tasks_before).await;
    // As above: enough for the other tests.
    assert!(resident_pages() <= pages_before + 8192);
    drop(publisher(&server).await);
    server.stop().await;
}
