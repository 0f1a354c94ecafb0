//! Hardware encoders that the operator has chosen, whether or not this machine has them.

use media::transcoder::Encoder;
use testkit::{LONG_DEADLINE, within};

use crate::room::{Room, master};
use crate::rungs::{quality, source};

/// The encoder of an offered quality if NVIDIA's was chosen.
async fn encodes(program: &str) -> Encoder {
    let mut room = Room::with(&[source(), quality(90, 30)], program).await;
    room.encode_with(Encoder::Nvenc).await;
    room.publish("plain").await;
    let (snapshot, _) = room.rung(0, 2).await;
    assert!(master(&snapshot).contains("1/video.m3u8"));
    let status = within(LONG_DEADLINE, "the quality is offered", async || {
        let status = room.stream.transcoder_status()?;
        status.rungs[0].is_offered.then_some(status)
    })
    .await;
    // A failed trial does not count as a failure of the encoder.
    let report = &status.report;
    assert_eq!((report.restarts, &report.last_failure), (0, &None));
    room.close().await;
    status.encoder
}

#[tokio::test(flavor = "multi_thread")]
async fn hardware_that_works_encodes_the_qualities() {
    assert_eq!(encodes("has-a-card").await, Encoder::Nvenc);
}

#[tokio::test(flavor = "multi_thread")]
async fn libx264_encodes_where_the_chosen_hardware_does_not_work() {
    assert_eq!(encodes("has-no-card").await, Encoder::X264);
}
