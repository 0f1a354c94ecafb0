//! The speed of this machine, measured with a real ffmpeg.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use media::transcoder::{
    Encoder, FfmpegInfo, LadderPlan, LadderSource, MeasureError, Measurements, SourcePicture,
    SourceSound, TrialOutcome, TrialPolicy, version,
};
use model::settings::VideoVariant;
use model::{Clock, Sleep};

use crate::stills::other;

const SMALL: LadderSource = LadderSource {
    picture: Some(SourcePicture {
        width: 320,
        height: 180,
        frame_us: 40_000.0,
    }),
    sound: Some(SourceSound {
        plays_everywhere: true,
        channels: 2,
        rate: 48_000,
    }),
};

/// Real time, because the machine's speed is measured with it.
#[derive(Debug)]
struct Stopwatch(Instant);

impl Clock for Stopwatch {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn uptime(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep_until(&self, _deadline: Timestamp) -> Sleep<'_> {
        Box::pin(std::future::pending())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how fast this machine is can only be measured with real time"
)]
fn measurements() -> Measurements {
    Measurements::new(Arc::new(Stopwatch(Instant::now())))
}

/// Two small rungs, one of them with fewer frames, and encoded sound.
fn plan() -> LadderPlan {
    let quality = |height, framerate, audio_bitrate| VideoVariant {
        scaled_height: height,
        framerate,
        video_bitrate: 200,
        audio_bitrate,
        audio_passthrough: audio_bitrate == 0,
        cpu_usage_level: 0,
        ..VideoVariant::default()
    };
    let plan = LadderPlan::choose(&[quality(120, 25, 0), quality(90, 10, 64)], &SMALL);
    assert_eq!(plan.rungs.len(), 2);
    assert!(plan.sound.is_some());
    plan
}

/// A clock on which each second takes longer than the one before.
#[derive(Debug, Default)]
struct Tiring(AtomicU64);

impl Clock for Tiring {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn uptime(&self) -> Duration {
        let looks = self.0.fetch_add(1, Ordering::Relaxed);
        Duration::from_secs(looks * looks)
    }

    fn sleep_until(&self, _deadline: Timestamp) -> Sleep<'_> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn the_speed_of_a_small_ladder_is_measured_anew_each_time() {
    let measurements = Measurements::new(Arc::new(Tiring::default()));
    let plan = plan();
    let measure = || measurements.speed("", Encoder::X264, &plan, &SMALL);
    // Three seconds of the stream: first in one second, then in five.
    assert_eq!(measure().await.unwrap(), 300);
    assert_eq!(measure().await.unwrap(), 60);
}

#[tokio::test]
async fn two_measurements_at_once_would_measure_each_other() {
    let measurements = measurements();
    let plan = plan();
    let measure = || measurements.speed("", Encoder::X264, &plan, &SMALL);
    let (one, other) = tokio::join!(measure(), measure());
    assert!(one.is_ok(), "{one:?}");
    assert!(matches!(other, Err(MeasureError::Busy)), "{other:?}");
}

#[tokio::test]
async fn what_is_passed_through_costs_nothing() {
    let list = [VideoVariant {
        video_passthrough: true,
        ..VideoVariant::default()
    }];
    let plan = LadderPlan::choose(&list, &SMALL);
    let answer = measurements()
        .speed("/nowhere/ffmpeg", Encoder::X264, &plan, &SMALL)
        .await;
    assert!(matches!(answer, Err(MeasureError::Nothing)), "{answer:?}");
}

#[tokio::test]
async fn what_cannot_be_measured_says_why() {
    let refused = async |path: &str, encoder| {
        let answer = measurements().speed(path, encoder, &plan(), &SMALL).await;
        answer.unwrap_err().to_string()
    };
    let missing = refused("/nowhere/ffmpeg", Encoder::X264).await;
    assert!(missing.contains("ffmpeg_path"), "{missing}");
    let failed = refused(&other("gives-up"), Encoder::X264).await;
    assert!(failed.contains("cannot encode these qualities"), "{failed}");
}

fn refusals(program: &FfmpegInfo) -> Vec<&str> {
    let encoders = program.encoders.iter();
    let refusals = encoders.filter_map(|one| match &one.outcome {
        TrialOutcome::Refused { reason, .. } => Some(reason.as_str()),
        TrialOutcome::Works | TrialOutcome::Untried => None,
    });
    refusals.collect()
}

#[tokio::test]
async fn every_encoder_is_tried_and_a_refusal_has_its_reason() {
    let measurements = measurements();
    let tried = measurements.encoders("", TrialPolicy::Missing).await;
    assert!(tried.version.is_ok());
    assert_eq!(tried.encoders.len(), Encoder::ALL.len());
    assert_eq!(tried.encoders[0].encoder, Encoder::X264);
    assert_eq!(tried.encoders[0].outcome, TrialOutcome::Works);
    for reason in refusals(&tried) {
        assert!(reason.len() > 20, "{reason}");
    }
    let known = measurements.encoders("", TrialPolicy::Known).await;
    assert_eq!(known.encoders, tried.encoders);

    let missing = measurements
        .encoders("/nowhere/ffmpeg", TrialPolicy::Missing)
        .await;
    assert!(missing.version.is_err());
    let told = refusals(&missing).into_iter();
    let told = told.filter(|reason| reason.contains("ffmpeg_path"));
    assert_eq!(told.count(), Encoder::ALL.len());
}

#[tokio::test]
async fn hardware_can_be_used_once_it_has_passed_its_trial() {
    let outcome = |program: &FfmpegInfo| {
        let mut encoders = program.encoders.iter();
        let nvenc = encoders.find(|one| one.encoder == Encoder::Nvenc);
        nvenc.unwrap().outcome.clone()
    };
    let measurements = measurements();
    let path = other("has-a-card");
    assert_eq!(measurements.usable(&path), [Encoder::X264]);
    let tried = measurements.encoders(&path, TrialPolicy::Missing).await;
    assert_eq!(outcome(&tried), TrialOutcome::Works);
    assert!(measurements.usable(&path).contains(&Encoder::Nvenc));

    let path = other("has-no-card");
    let tried = measurements.encoders(&path, TrialPolicy::Missing).await;
    let why = outcome(&tried);
    assert!(
        matches!(&why, TrialOutcome::Refused { reason, sentence }
            if reason.contains("libcuda") && sentence.code() == "encoder-refused"),
        "{why:?}"
    );
    assert!(!measurements.usable(&path).contains(&Encoder::Nvenc));
}

#[tokio::test]
async fn nothing_is_tried_where_only_what_is_known_is_asked_for() {
    let measurements = measurements();
    let is_untried = |program: &FfmpegInfo| {
        let mut encoders = program.encoders.iter();
        encoders.all(|one| one.outcome == TrialOutcome::Untried)
    };
    assert!(is_untried(
        &measurements.encoders("", TrialPolicy::Known).await
    ));
    measurements.encoders("", TrialPolicy::Again).await;
    assert!(!is_untried(
        &measurements.encoders("", TrialPolicy::Known).await
    ));
    // The outcome of one program says nothing about another.
    let path = other("gives-up");
    assert!(is_untried(
        &measurements.encoders(&path, TrialPolicy::Known).await
    ));
}

#[tokio::test]
async fn ffmpeg_says_which_one_it_is_or_why_there_is_none() {
    let said = version("").await.unwrap();
    assert!(said.starts_with("ffmpeg version"), "{said}");
    assert!(version("/nowhere/ffmpeg").await.is_err());
    let broken = version(&other("gives-up")).await.unwrap_err();
    assert!(broken.contains("gave up"), "{broken}");
}
