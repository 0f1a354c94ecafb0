//! Qualities the stream is offered in.

use serde::{Deserialize, Serialize};

use super::super::rules::{line, too_many};
use super::super::setting::SettingError;

/// Qualities in the list; encoding more at once is beyond any machine this runs on.
const MAX_VARIANTS: usize = 20;
/// Limit (broadcasters): bit rate of an encoded quality; a higher one is refused.
const MAX_KBPS: u32 = 100_000;
/// Limit (broadcasters): width and height of an encoded quality, in pixels; a larger one is refused.
const MAX_PIXELS: u32 = 8192;
/// Limit (broadcasters): frames per second of an encoded quality; a higher rate is refused.
const MAX_FRAMERATE: u32 = 240;
/// The highest level of effort an encoder can be asked for.
const MAX_CPU_LEVEL: u32 = 5;
/// Frames per second when none are named.
const USUAL_FRAMERATE: u32 = 24;

/// One quality. What a caller leaves out has the values of [`VideoVariant::default`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VideoVariant {
    /// The operator's name for it; if empty, a name is made from the other fields.
    pub name: String,
    /// Whether the picture is passed through as the publisher sends it.
    pub video_passthrough: bool,
    /// Whether the sound is passed through as the publisher sends it.
    pub audio_passthrough: bool,
    /// In kbit/s.
    pub video_bitrate: u32,
    /// In kbit/s; 0 leaves the sound as it is.
    pub audio_bitrate: u32,
    /// In pixels; 0 follows the height.
    #[serde(skip_serializing_if = "is_zero")]
    pub scaled_width: u32,
    /// In pixels; 0 follows the width.
    #[serde(skip_serializing_if = "is_zero")]
    pub scaled_height: u32,
    /// Frames per second; 0 for a passed-through picture.
    pub framerate: u32,
    /// The encoder's effort.
    pub cpu_usage_level: u32,
}

impl Default for VideoVariant {
    fn default() -> Self {
        Self {
            name: String::new(),
            video_passthrough: false,
            audio_passthrough: true,
            video_bitrate: 1200,
            audio_bitrate: 0,
            scaled_width: 0,
            scaled_height: 0,
            framerate: USUAL_FRAMERATE,
            cpu_usage_level: 2,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What the publisher sends, untouched: the only quality by default.
pub(in super::super) fn pass_through() -> VideoVariant {
    VideoVariant {
        video_passthrough: true,
        video_bitrate: 0,
        framerate: 0,
        cpu_usage_level: 0,
        ..VideoVariant::default()
    }
}

impl VideoVariant {
    /// The name in the viewers' menu.
    pub fn display_name(&self) -> String {
        if !self.name.is_empty() {
            return self.name.clone();
        }
        if self.video_passthrough {
            return "Source".into();
        }
        let rate = rate(self.video_bitrate);
        match (self.scaled_width, self.scaled_height) {
            // The programs this list is written for use this name, wrong ratio included.
            (1080, 720) => format!("720p @{rate}"),
            (1920, 1080) => format!("1080p @{rate}"),
            (0, 0) => format!("{rate}@{}fps", self.framerate),
            (_, height) if height > 0 => format!("{height}h"),
            (width, _) => format!("{width}w"),
        }
    }
}

/// `800Kbps`, `2Mbps`, `1.2Mbps`
fn rate(kbps: u32) -> String {
    match kbps {
        0..1000 => format!("{kbps}Kbps"),
        _ if kbps.is_multiple_of(1000) => format!("{}Mbps", kbps / 1000),
        _ => format!("{:.1}Mbps", f64::from(kbps) / 1000.0),
    }
}

/// Replaces an empty list by the default, and makes dependent fields of a quality consistent.
pub(in super::super) fn checked(
    variants: Vec<VideoVariant>,
) -> Result<Vec<VideoVariant>, SettingError> {
    if variants.is_empty() {
        return Ok(vec![pass_through()]);
    }
    if variants.len() > MAX_VARIANTS {
        return Err(too_many(variants.len(), MAX_VARIANTS));
    }
    variants.into_iter().map(checked_one).collect()
}

fn checked_one(variant: VideoVariant) -> Result<VideoVariant, SettingError> {
    for (name, number, max) in [
        ("videoBitrate", variant.video_bitrate, MAX_KBPS),
        ("audioBitrate", variant.audio_bitrate, MAX_KBPS),
        ("scaledWidth", variant.scaled_width, MAX_PIXELS),
        ("scaledHeight", variant.scaled_height, MAX_PIXELS),
        ("framerate", variant.framerate, MAX_FRAMERATE),
        ("cpuUsageLevel", variant.cpu_usage_level, MAX_CPU_LEVEL),
    ] {
        if number > max {
            return Err(format!("{name} is {number}, but must be at most {max}").into());
        }
    }
    let framerate = match variant.framerate {
        _ if variant.video_passthrough => 0,
        0 => USUAL_FRAMERATE,
        given => given,
    };
    Ok(VideoVariant {
        name: line::<60>(variant.name).map_err(|why| why.of("name"))?,
        audio_passthrough: variant.audio_passthrough || variant.audio_bitrate == 0,
        framerate,
        ..variant
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_completed() {
        let partial = r#"[{"framerate": 42, "cpuUsageLevel": 3}]"#;
        let list = checked(serde_json::from_str(partial).unwrap()).unwrap();
        assert_eq!(
            list,
            [VideoVariant {
                framerate: 42,
                cpu_usage_level: 3,
                ..VideoVariant::default()
            }]
        );
        assert_eq!(checked(vec![]).unwrap(), [pass_through()]);
        let fast = VideoVariant {
            framerate: 999,
            ..VideoVariant::default()
        };
        assert!(checked(vec![fast]).is_err());
    }

    #[test]
    fn qualities_without_a_name_are_named_after_what_they_are() {
        let name = |width, height, kbps| {
            VideoVariant {
                scaled_width: width,
                scaled_height: height,
                video_bitrate: kbps,
                ..VideoVariant::default()
            }
            .display_name()
        };
        assert_eq!(pass_through().display_name(), "Source");
        assert_eq!(name(1080, 720, 800), "720p @800Kbps");
        assert_eq!(name(1920, 1080, 2000), "1080p @2Mbps");
        assert_eq!(name(0, 480, 1200), "480h");
        assert_eq!(name(640, 0, 1200), "640w");
        assert_eq!(name(0, 0, 1200), "1.2Mbps@24fps");
    }
}
