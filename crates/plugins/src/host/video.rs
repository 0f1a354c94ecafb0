//! The video settings.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::args;
use crate::host::plugin_host::Host;
use crate::host::wire::{VideoConfigChange, VideoVariant};

/// Encoders a plugin may choose.
const CODECS: [&str; 7] = [
    "libx264",
    "h264_omx",
    "h264_vaapi",
    "h264_qsv",
    "h264_nvenc",
    "h264_v4l2m2m",
    "h264_videotoolbox",
];

/// When a viewer's player starts by itself.
const AUTOPLAY: [&str; 3] = ["off", "always", "sound-only"];

/// The slowest latency level.
const MAX_LATENCY_LEVEL: i64 = 4;

/// The highest effort of an encoder that plugins may ask for.
const MAX_CPU_LEVEL: u32 = 4;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VideoConfigArgs {
    latency_level: Option<i64>,
    codec: Option<String>,
    autoplay: Option<String>,
    variants: Option<Vec<VideoVariant>>,
}

/// The configuration may be the whole argument or, as some callers do it, a member.
#[derive(Deserialize)]
struct WrappedArgs {
    #[serde(alias = "partial")]
    config: Box<RawValue>,
}

pub(super) async fn read(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.video_config().await?)
}

pub(super) async fn write(host: &Host, args: &str) -> Result<String, String> {
    let given = match args::read::<WrappedArgs>(args) {
        Ok(wrapped) => wrapped.config,
        Err(_) => args::read::<Box<RawValue>>(args)?,
    };
    let config = checked(args::read(given.get())?, given)?;
    host.parts
        .services
        .write_video_config(host.slug(), &config)
        .await?;
    Ok(args::done())
}

fn checked(config: VideoConfigArgs, given: Box<RawValue>) -> Result<VideoConfigChange, String> {
    let latency_level = match config.latency_level {
        None => None,
        Some(level) if (0..=MAX_LATENCY_LEVEL).contains(&level) => u8::try_from(level).ok(),
        Some(level) => {
            return Err(format!(
                "latencyLevel is {level}, it must be 0 to {MAX_LATENCY_LEVEL}"
            ));
        }
    };
    one_of("codec", config.codec.as_deref(), &CODECS)?;
    one_of("autoplay", config.autoplay.as_deref(), &AUTOPLAY)?;
    for (place, variant) in config.variants.iter().flatten().enumerate() {
        if variant.cpu_usage_level > MAX_CPU_LEVEL {
            return Err(format!(
                "variants[{place}].cpuUsageLevel is {}, it must be 0 to {MAX_CPU_LEVEL}",
                variant.cpu_usage_level
            ));
        }
    }
    Ok(VideoConfigChange {
        latency_level,
        codec: config.codec,
        autoplay: config.autoplay,
        variants: config.variants,
        given: Some(given),
    })
}

fn one_of(name: &str, value: Option<&str>, known: &[&str]) -> Result<(), String> {
    match value {
        Some(value) if !known.contains(&value) => Err(format!(
            "{name} is {value:?}, it must be one of {}",
            known.join(", ")
        )),
        _ => Ok(()),
    }
}
