//! The encoders for rungs: x264 in software, or hardware that has passed a trial.
//!
//! All of them write H.264, which every player can play. Each puts key frames where the source has them, uses no
//! B-frames, and keeps to its bit rate within seconds.

/// An encoder inside ffmpeg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoder {
    /// In software; works everywhere.
    X264,
    /// Cards of NVIDIA.
    Nvenc,
    /// Intel and AMD on Linux.
    Vaapi,
    /// Intel.
    QuickSync,
    /// Small boards, such as a Raspberry Pi.
    V4l2,
}

impl Encoder {
    /// All there are, the one that always works first.
    pub const ALL: [Self; 5] = [
        Self::X264,
        Self::Nvenc,
        Self::Vaapi,
        Self::QuickSync,
        Self::V4l2,
    ];

    /// The encoder with this name in the setting `video_codec`. The setting's text is only compared, never passed on.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|encoder| encoder.name() == name.trim())
    }

    /// ffmpeg's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::X264 => "libx264",
            Self::Nvenc => "h264_nvenc",
            Self::Vaapi => "h264_vaapi",
            Self::QuickSync => "h264_qsv",
            Self::V4l2 => "h264_v4l2m2m",
        }
    }

    /// Global arguments before the input.
    pub(super) fn device(self) -> &'static [&'static str] {
        match self {
            Self::Vaapi => &["-vaapi_device", "/dev/dri/renderD128"],
            Self::X264 | Self::Nvenc | Self::QuickSync | Self::V4l2 => &[],
        }
    }

    /// The pixel format conversion at the end of a rung's filters.
    pub(super) fn layout(self) -> &'static str {
        match self {
            Self::X264 | Self::Nvenc | Self::V4l2 => "format=yuv420p",
            Self::QuickSync => "format=nv12",
            Self::Vaapi => "format=nv12,hwupload",
        }
    }

    /// Options besides size and bit rate. `effort` goes from 0 to 5.
    pub(super) fn options(self, effort: u8) -> Vec<&'static str> {
        let mut words = vec!["-c:v", self.name()];
        if let Some(preset) = self.preset(effort) {
            words.extend(["-preset", preset]);
        }
        words.extend_from_slice(match self {
            // Without this tuning it uses lookahead and delays its output by a second.
            Self::X264 => &["-tune", "zerolatency", "-sc_threshold", "0"],
            // Without this option players cannot start at a forced key frame.
            Self::Nvenc => &["-tune", "ll", "-forced-idr", "1", "-no-scenecut", "1"],
            Self::QuickSync => &["-forced_idr", "1", "-async_depth", "1"],
            Self::Vaapi | Self::V4l2 => &[],
        });
        // No B-frames: frames leave in presentation order.
        words.extend(["-bf", "0"]);
        words
    }

    fn preset(self, effort: u8) -> Option<&'static str> {
        let level = usize::from(effort.min(5));
        match self {
            Self::X264 => {
                const LEVELS: [&str; 6] = [
                    "ultrafast",
                    "superfast",
                    "veryfast",
                    "faster",
                    "fast",
                    "medium",
                ];
                LEVELS.get(level).copied()
            }
            Self::Nvenc => {
                const LEVELS: [&str; 6] = ["p1", "p2", "p3", "p4", "p5", "p6"];
                LEVELS.get(level).copied()
            }
            Self::QuickSync => {
                const LEVELS: [&str; 6] =
                    ["veryfast", "veryfast", "faster", "fast", "medium", "slow"];
                LEVELS.get(level).copied()
            }
            Self::Vaapi | Self::V4l2 => None,
        }
    }
}
