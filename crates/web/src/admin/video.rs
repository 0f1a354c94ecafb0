//! Qualities, encoders, and their cost.

mod wire;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use http_server::json::ApiJson;
use media::transcoder::sentences::NOT_STARTED;
use media::transcoder::{
    Encoder, Failure, LadderPlan, LadderSource, MeasureError, OmittedQuality, SourcePicture,
    SourceSound, TranscoderStatus, TrialOutcome, TrialPolicy,
};
use model::StreamState;
use model::sentence::Sentence;
use model::settings::VideoVariant;
use model::settings::table::video::{CODEC, FFMPEG_PATH, OUTPUT_VARIANTS};

use self::wire::{
    AssumedSource, EncoderState, Ladder, LadderRung, LadderSample, LadderSound, LeftOutVariant,
    PlannedRung, Program,
};
pub(crate) use self::wire::{Cost, EncoderList, EncodersQuery, LadderReport, MeasureRequest};
use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::sentences;
use crate::state::{App, LiveState, Shared};

/// Below this many percent an encoder keeps up with a test picture, and perhaps not with a camera's.
const COMFORTABLE_PERCENT: u32 = 150;
/// Smallest and largest width and height of a broadcast that is assumed.
const ASSUMED_PIXELS: std::ops::RangeInclusive<u32> = 16..=8192;
/// Fewest and most frames in a second of a broadcast that is assumed.
const ASSUMED_FRAMES: std::ops::RangeInclusive<u32> = 1..=240;

/// What most people broadcast.
const USUAL_SOURCE: AssumedSource = AssumedSource {
    width: 1920,
    height: 1080,
    framerate: 30,
};

/// How ffmpeg is installed where this server mostly runs.
const INSTALL: &str = "install it (Debian and Ubuntu: apt install ffmpeg), \
    or say where it is with the setting ffmpeg_path";

/// Why nothing is known about an encoder.
const UNTRIED: &str = "it has not been tested yet, because a stream is live and might stutter; \
    check again when it is over, or send again=true";

fn is_live(app: &App) -> bool {
    app.live.status.borrow().state != StreamState::Offline
}

/// `GET /api/admin/video/encoders`
pub(crate) async fn encoders(
    State(app): State<App>,
    query: Result<Query<EncodersQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let expected = "\"again\" must be true or false";
    let Query(query) = query.map_err(|_| Problem::BadRequest(expected.into()))?;
    let settings = app.settings.now();
    let path = settings.text(&FFMPEG_PATH);
    // Opening a page must not make the stream stutter.
    let trials = if query.again {
        TrialPolicy::Again
    } else if is_live(&app) {
        TrialPolicy::Known
    } else {
        TrialPolicy::Missing
    };
    let here = app.live.measurements.encoders(path, trials).await;
    let ffmpeg = match here.version {
        Ok(version) => Program {
            found: true,
            version,
            message: String::new(),
            code: None,
            params: None,
        },
        Err(why) => {
            let message = format!("ffmpeg cannot be started ({why}); {INSTALL}");
            let sentence = NOT_STARTED.with([why.into()]);
            Program {
                found: false,
                version: String::new(),
                message,
                code: Some(sentence.code()),
                params: Some(sentence.params().clone()),
            }
        }
    };
    let encoders = here.encoders.into_iter().map(|one| {
        let (tried, usable) = match one.outcome {
            TrialOutcome::Works => (true, true),
            TrialOutcome::Refused { .. } => (true, false),
            TrialOutcome::Untried => (false, false),
        };
        let (reason, sentence) = match one.outcome {
            TrialOutcome::Works => (String::new(), None),
            TrialOutcome::Refused { reason, sentence } => (reason, Some(sentence)),
            TrialOutcome::Untried => (UNTRIED.to_owned(), None),
        };
        EncoderState {
            name: one.encoder.name(),
            tried,
            usable,
            reason,
            code: sentence.as_ref().map(Sentence::code),
            params: sentence.map(|sentence| sentence.params().clone()),
        }
    });
    let list = EncoderList {
        ffmpeg,
        chosen: chosen(settings.text(&CODEC)).name(),
        encoders: encoders.collect(),
    };
    Ok((NO_CACHE, Json(list)).into_response())
}

/// An unknown name selects the encoder that works everywhere.
fn chosen(name: &str) -> Encoder {
    Encoder::named(name).unwrap_or(Encoder::X264)
}

/// `POST /api/admin/video/measure`
pub(crate) async fn measure(
    State(app): State<App>,
    ApiJson(request): ApiJson<MeasureRequest>,
) -> Result<Json<Cost>, Problem> {
    let settings = app.settings.now();
    let variants = match request.variants {
        Some(variants) => (OUTPUT_VARIANTS.rule)(variants)
            .map_err(|why| Problem::BadRequest(format!("variants: {why}")))?,
        None => settings.get(&OUTPUT_VARIANTS).clone(),
    };
    let encoder = match request.encoder.as_deref() {
        Some(name) => Encoder::named(name).ok_or_else(unknown_encoder)?,
        None => chosen(settings.text(&CODEC)),
    };
    let assumed = checked(request.source.unwrap_or(USUAL_SOURCE))?;
    let source = source(assumed);
    let plan = LadderPlan::choose(&variants, &source);
    if is_live(&app) && !request.while_live && !plan.is_empty() {
        let text = "a stream is live and would stutter during the measurement; \
             measure when it is over, or send \"whileLive\": true";
        return Err(Problem::Conflict(text.into()).worded(sentences::LIVE_NOW.plain()));
    }
    let path = settings.text(&FFMPEG_PATH);
    let speed = app
        .live
        .measurements
        .speed(path, encoder, &plan, &source)
        .await;
    let (verdict, message) = match &speed {
        Ok(percent) => judged(*percent),
        Err(MeasureError::Busy) => {
            let problem = Problem::Conflict(MeasureError::Busy.to_string());
            return Err(problem.worded(sentences::MEASURING.plain()));
        }
        Err(MeasureError::Nothing) => (
            "free",
            "Every quality is passed through unchanged: nothing has to be encoded.".to_owned(),
        ),
        Err(why @ MeasureError::Slow(_)) => ("slow", why.to_string()),
        Err(why) => ("failed", why.to_string()),
    };
    let sentence = speed.as_ref().err().and_then(MeasureError::sentence);
    let rungs = plan.rungs.iter().map(|rung| PlannedRung {
        variant: rung.variant,
        name: name_of(&variants, rung.variant),
        width: rung.width,
        height: rung.height,
        framerate: f64::from(assumed.framerate) / f64::from(rung.every.max(1)),
        kbps: rung.kbps,
    });
    Ok(Json(Cost {
        encoder: encoder.name(),
        source: assumed,
        verdict,
        speed_percent: speed.ok(),
        message,
        code: sentence.as_ref().map(Sentence::code),
        params: sentence.map(|sentence| sentence.params().clone()),
        rungs: rungs.collect(),
        left_out: left_out(&plan.left_out, &variants),
    }))
}

fn unknown_encoder() -> Problem {
    let names = Encoder::ALL.map(Encoder::name).join(", ");
    Problem::BadRequest(format!("encoder: must be one of {names}"))
}

fn checked(assumed: AssumedSource) -> Result<AssumedSource, Problem> {
    for (name, number, allowed) in [
        ("width", assumed.width, ASSUMED_PIXELS),
        ("height", assumed.height, ASSUMED_PIXELS),
        ("framerate", assumed.framerate, ASSUMED_FRAMES),
    ] {
        if !allowed.contains(&number) {
            return Err(Problem::BadRequest(format!(
                "source: {name} is {number}, but must be from {} to {}",
                allowed.start(),
                allowed.end()
            )));
        }
    }
    Ok(assumed)
}

fn source(assumed: AssumedSource) -> LadderSource {
    LadderSource {
        picture: Some(SourcePicture {
            width: assumed.width,
            height: assumed.height,
            frame_us: 1e6 / f64::from(assumed.framerate),
        }),
        // If no quality re-encodes it, the sound is passed through and costs nothing.
        sound: Some(SourceSound {
            plays_everywhere: true,
            channels: 2,
            rate: 48_000,
        }),
    }
}

fn judged(percent: u32) -> (&'static str, String) {
    let times = f64::from(percent) / 100.0;
    match percent {
        0..100 => (
            "slow",
            format!(
                "Too slow: this machine encodes {percent} seconds in the time of 100. \
                 Remove a quality, or lower its size, frame rate or CPU level."
            ),
        ),
        100..COMFORTABLE_PERCENT => (
            "tight",
            format!(
                "Only {times:.1} times as fast as needed: fast-moving video or other work on this machine may be too much."
            ),
        ),
        _ => (
            "comfortable",
            format!("{times:.1} times as fast as needed."),
        ),
    }
}

fn name_of(variants: &[VideoVariant], place: usize) -> String {
    let variant = variants.get(place);
    variant.map_or_else(String::new, VideoVariant::display_name)
}

fn left_out(all: &[OmittedQuality], variants: &[VideoVariant]) -> Vec<LeftOutVariant> {
    let all = all.iter().map(|one| {
        let sentence = one.reason.sentence();
        LeftOutVariant {
            variant: one.variant,
            name: name_of(variants, one.variant),
            reason: one.reason.to_string(),
            code: sentence.code(),
            params: sentence.params().clone(),
        }
    });
    all.collect()
}

/// `GET /api/admin/video/ladder`
pub(crate) async fn ladder(State(live): State<Shared<LiveState>>) -> Response {
    let ladder = live.stream.transcoder_status().map(|status| told(&status));
    (NO_CACHE, Json(LadderReport { ladder })).into_response()
}

fn told(status: &TranscoderStatus) -> Ladder {
    let variants = &status.variants;
    let rungs = status.rungs.iter().map(|one| LadderRung {
        variant: one.rung.variant,
        name: name_of(variants, one.rung.variant),
        width: one.rung.width,
        height: one.rung.height,
        kbps: one.rung.kbps,
        offered: one.is_offered,
    });
    let samples = status.samples.iter().map(|sample| LadderSample {
        at: sample.at,
        speed_percent: sample.speed_percent,
        behind_ms: sample.behind_ms,
    });
    let report = &status.report;
    let failure = report.last_failure.as_ref().map(Failure::sentence);
    Ladder {
        encoder: status.encoder.name(),
        running: report.is_running,
        hurries: report.hurries,
        behind_ms: report.behind_ms,
        speed_percent: report.speed_percent,
        restarts: report.restarts,
        last_failure: report.last_failure.as_ref().map(ToString::to_string),
        failure_code: failure.as_ref().map(Sentence::code),
        failure_params: failure.map(|sentence| sentence.params().clone()),
        rungs: rungs.collect(),
        sound: status.sound.map(|sound| LadderSound {
            kbps: sound.rung.kbps,
            channels: sound.rung.channels,
            offered: sound.is_offered,
            given_up: sound.is_given_up,
        }),
        left_out: left_out(&status.left_out, variants),
        samples: samples.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_told_in_words() {
        let (verdict, words) = judged(230);
        assert_eq!(
            (verdict, words.as_str()),
            ("comfortable", "2.3 times as fast as needed.")
        );
        assert_eq!(judged(149).0, "tight");
        assert_eq!(judged(100).0, "tight");
        let (verdict, words) = judged(80);
        assert_eq!(verdict, "slow");
        assert!(words.contains("80 seconds"), "{words}");
    }

    #[test]
    fn an_assumed_broadcast_is_one_that_can_be() {
        assert!(checked(USUAL_SOURCE).is_ok());
        for wrong in [
            AssumedSource {
                width: 0,
                ..USUAL_SOURCE
            },
            AssumedSource {
                height: 100_000,
                ..USUAL_SOURCE
            },
            AssumedSource {
                framerate: 0,
                ..USUAL_SOURCE
            },
        ] {
            assert!(checked(wrong).is_err(), "{wrong:?}");
        }
    }
}
