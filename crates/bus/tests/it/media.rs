//! The stream of media, by a real NATS with JetStream.

use std::time::Duration;

use bus::{MediaLimits, MediaReader};
use bytes::Bytes;

use crate::nats::Nats;

const DEADLINE: Duration = Duration::from_secs(60);

async fn next(reader: &mut MediaReader) -> Bytes {
    tokio::time::timeout(DEADLINE, reader.next()).await.unwrap()
}

fn block(size: usize, seed: usize) -> Bytes {
    (0..size)
        .map(|place| ((place + seed) % 251) as u8)
        .collect()
}

#[tokio::test]
async fn blocks_of_every_size_arrive_in_order_at_readers_from_before_and_after() {
    let Some(nats) = Nats::new() else { return };
    let bus = nats.bus().await;
    let other = nats.bus().await;
    let mut early = other.media(MediaLimits::default()).reader();
    let (queue, work) = bus.media(MediaLimits::default()).publisher(7);
    let work = tokio::spawn(work);
    let sizes = [0, 1, 100, 512 * 1024 - 21, 512 * 1024, 3_000_000, 5];
    let blocks: Vec<Bytes> = sizes.iter().map(|size| block(*size, size % 7)).collect();
    for block in &blocks {
        assert!(queue.push(block.clone()));
    }
    for block in &blocks {
        assert_eq!(next(&mut early).await, *block);
    }
    let mut late = other.media(MediaLimits::default()).reader();
    let (newest, before) = blocks.split_last().unwrap();
    for block in before {
        assert_eq!(next(&mut late).await, *block);
        assert!(late.is_behind());
    }
    assert_eq!(next(&mut late).await, *newest);
    assert!(!late.is_behind());
    // A pause leaves nothing out.
    late.pause();
    assert!(queue.push(block(200, 3)));
    assert_eq!(next(&mut late).await, block(200, 3));
    assert!(!late.is_behind());
    work.abort();
    nats.delete_stream().await;
}

#[tokio::test]
async fn a_stream_that_is_gone_is_made_anew_and_the_publisher_hears_of_the_loss() {
    let Some(nats) = Nats::new() else { return };
    let bus = nats.bus().await;
    let mut reader = nats.bus().await.media(MediaLimits::default()).reader();
    let (queue, work) = bus.media(MediaLimits::default()).publisher(7);
    let mut losses = queue.losses();
    let work = tokio::spawn(work);
    assert!(queue.push(block(10, 1)));
    assert_eq!(next(&mut reader).await, block(10, 1));
    losses.take();

    nats.delete_stream().await;
    assert!(queue.push(block(20, 2)));
    let lost = tokio::time::timeout(DEADLINE, losses.is_noted());
    lost.await.unwrap();
    assert!(losses.take());
    assert!(queue.push(block(30, 3)));
    // The block in between may have been the one that found out.
    let mut heard = next(&mut reader).await;
    if heard == block(20, 2) {
        heard = next(&mut reader).await;
    }
    assert_eq!(heard, block(30, 3));
    work.abort();
    nats.delete_stream().await;
}
