//! How the video is encoded, and where it will be stored. The stream is passed through as it comes and served from
//! memory; ffmpeg draws pictures of it and encodes other qualities.

use super::super::rules;
use super::super::setting::{Kind, Meta, Setting};
use super::super::types::{S3, Variant, checked_s3, checked_variants, pass_through};
use super::{meta, next_stream, unseen};

/// Where viewers fetch media.
pub static SERVING_ENDPOINT: Setting<String> = Setting {
    meta: unseen(meta(
        "video_serving_endpoint",
        "videoservingendpoint",
        "/videoServingEndpoint",
        Kind::Url,
        "Another address for media; it is kept, and media is served from this server for now.",
    )),
    default: String::new,
    rule: rules::optional_url,
};

/// The program that draws pictures of the stream, by its path.
pub static FFMPEG_PATH: Setting<String> = Setting {
    meta: unseen(meta(
        "ffmpeg_path",
        "ffmpegpath",
        "/ffmpegPath",
        Kind::Text,
        "The ffmpeg program that draws pictures of the stream and encodes other qualities of it; empty means the one of the system.",
    )),
    default: String::new,
    rule: rules::line::<4000>,
};

/// Object storage.
pub static S3_STORAGE: Setting<S3> = Setting {
    meta: Meta {
        is_secret: true,
        ..unseen(meta(
            "s3",
            "s3",
            "/s3",
            Kind::Json,
            "A bucket for media; it is kept, and nothing is stored there for now.",
        ))
    },
    default: S3::default,
    rule: checked_s3,
};

/// The codec of encoded qualities.
pub static CODEC: Setting<String> = Setting {
    meta: unseen(next_stream(meta(
        "video_codec",
        "video/codec",
        "/videoCodec",
        Kind::Text,
        "The encoder of further qualities, by the name that ffmpeg has for it; one that does not work here is replaced by libx264.",
    ))),
    default: || "libx264".into(),
    rule: rules::required_line::<60>,
};

/// Qualities beside the broadcaster's own.
pub static OUTPUT_VARIANTS: Setting<Vec<Variant>> = Setting {
    meta: unseen(next_stream(meta(
        "output_variants",
        "video/streamoutputvariants",
        "/videoSettings/videoQualityVariants",
        Kind::Json,
        "The qualities the stream is offered in: what the broadcaster sends, or others that ffmpeg encodes.",
    ))),
    default: || vec![pass_through()],
    rule: checked_variants,
};
