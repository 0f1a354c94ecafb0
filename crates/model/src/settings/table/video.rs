//! The qualities a stream is offered in, who encodes them, and where media may be stored elsewhere one day. Media is
//! served from memory, so the settings about other places have no effect today.

use super::super::rules;
use super::super::setting::{Meta, Setting, SettingFormat, SettingKind};
use super::super::types::{S3, VideoVariant, checked_s3, checked_variants, pass_through};
use super::meta::{idle, max_chars, meta, next_stream, of_form};

/// Where viewers fetch media.
pub static SERVING_ENDPOINT: Setting<String> = Setting {
    meta: idle(meta(
        "video_serving_endpoint",
        "videoservingendpoint",
        "/videoServingEndpoint",
        SettingKind::Url,
        "Another address for media; it is kept, and media is served from this server for now.",
    )),
    default: String::new,
    rule: rules::optional_url,
};

/// The program that encodes qualities and sound, and draws pictures of the stream, by its path.
pub static FFMPEG_PATH: Setting<String> = Setting {
    meta: meta(
        "ffmpeg_path",
        "ffmpegpath",
        "/ffmpegPath",
        SettingKind::Text,
        "The ffmpeg program that encodes qualities and sound, and draws pictures of the stream; empty means the one of the system.",
    ),
    default: String::new,
    rule: rules::line::<4000>,
};

/// Object storage.
pub static S3_STORAGE: Setting<S3> = Setting {
    meta: Meta {
        is_secret: true,
        ..idle(meta(
            "s3",
            "s3",
            "/s3",
            SettingKind::Json,
            "A bucket for media; it is kept, and nothing is stored there for now.",
        ))
    },
    default: S3::default,
    rule: checked_s3,
};

/// What encodes qualities.
pub static CODEC: Setting<String> = Setting {
    meta: of_form(
        SettingFormat::NotBlank,
        max_chars(
            60,
            next_stream(meta(
                "video_codec",
                "video/codec",
                "/videoCodec",
                SettingKind::Text,
                "The encoder: libx264, or hardware through h264_nvenc, h264_vaapi, h264_qsv or h264_v4l2m2m.",
            )),
        ),
    ),
    default: || "libx264".into(),
    rule: rules::required_line::<60>,
};

/// Qualities beside the broadcaster's own.
pub static OUTPUT_VARIANTS: Setting<Vec<VideoVariant>> = Setting {
    meta: next_stream(meta(
        "output_variants",
        "video/streamoutputvariants",
        "/videoSettings/videoQualityVariants",
        SettingKind::Json,
        "The qualities the stream is offered in: passed through as it comes, or encoded by ffmpeg.",
    )),
    default: || vec![pass_through()],
    rule: checked_variants,
};
