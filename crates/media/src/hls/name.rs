//! Parses file names below `/hls/` into typed values: nothing a client sends is ever used as a file name.

use std::fmt;

/// Longest path that can name anything here; longer ones are not looked at.
const MAX_PATH_BYTES: usize = 128;

/// The name everybody looks for first.
const STREAM: &str = "stream.m3u8";
/// The name of the lists that go further back.
pub(super) const REWIND: &str = "rewind.m3u8";

/// Folders of qualities that are encoded, in the order of the plan.
const RUNG_FOLDERS: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

/// An encoded quality, by its position in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RungIndex(usize);

impl RungIndex {
    /// Every possible position.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..RUNG_FOLDERS.len()).map(Self)
    }

    /// Counted from zero; `None` beyond the available folders.
    pub fn new(place: usize) -> Option<Self> {
        (place < RUNG_FOLDERS.len()).then_some(Self(place))
    }

    pub fn index(self) -> usize {
        self.0
    }
}

/// One of the playlists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendition {
    /// `0`: the picture, or the sound of a stream without one.
    Main,
    /// `audio`: the sound alone.
    Audio,
    /// `aac`: the sound alone, encoded as AAC.
    Aac,
    /// `1` and so on: the picture in another quality.
    Rung(RungIndex),
}

impl Rendition {
    /// The folder under which it is served.
    pub fn folder(self) -> &'static str {
        match self {
            Rendition::Main => "0",
            Rendition::Audio => "audio",
            Rendition::Aac => "aac",
            Rendition::Rung(RungIndex(place)) => RUNG_FOLDERS[place],
        }
    }

    /// The name of its playlist there. For a picture, `stream.m3u8` is the multivariant playlist of that picture and
    /// its sound, because people have bookmarked that address and recorders use it.
    pub fn playlist(self) -> &'static str {
        match self {
            Rendition::Main | Rendition::Rung(_) => "video.m3u8",
            Rendition::Audio | Rendition::Aac => STREAM,
        }
    }

    fn from_folder(folder: &str) -> Option<Self> {
        match folder {
            "0" => Some(Rendition::Main),
            "audio" => Some(Rendition::Audio),
            "aac" => Some(Rendition::Aac),
            other => {
                let place = RUNG_FOLDERS.iter().position(|folder| *folder == other)?;
                Some(Rendition::Rung(RungIndex(place)))
            }
        }
    }
}

/// A file of a rendition. A token belongs to one rendition of one packager, so the content under a name never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HlsFile {
    /// `init-TOKEN-VERSION.mp4`
    Init {
        /// The token of the segments that need it.
        token: u64,
        /// Increases with every change of parameters.
        version: u32,
    },
    /// `seg-TOKEN-MSN.m4s`
    Segment {
        /// Its segment's token.
        token: u64,
        /// Media sequence number.
        msn: u64,
    },
    /// `part-TOKEN-MSN-INDEX.m4s`
    Part {
        /// Its segment's token.
        token: u64,
        /// Media sequence number of its segment.
        msn: u64,
        /// Position in the segment.
        index: usize,
    },
}

impl fmt::Display for HlsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HlsFile::Init { token, version } => write!(f, "init-{token:016x}-{version}.mp4"),
            HlsFile::Segment { token, msn } => write!(f, "seg-{token:016x}-{msn}.m4s"),
            HlsFile::Part { token, msn, index } => write!(f, "part-{token:016x}-{msn}-{index}.m4s"),
        }
    }
}

/// A resource below `/hls/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HlsPath {
    /// `stream.m3u8`: the multivariant playlist.
    Master,
    /// `0/stream.m3u8`: the multivariant playlist of one picture and its sound.
    Quality(Rendition),
    /// `0/video.m3u8`, `audio/stream.m3u8`: the media playlist of a rendition.
    Playlist(Rendition),
    /// `rewind.m3u8`: the multivariant playlist of the lists that go further back.
    RewindMaster,
    /// `0/rewind.m3u8`: the media playlist of a rendition that goes further back.
    RewindPlaylist(Rendition),
    /// A file of a rendition.
    File(Rendition, HlsFile),
}

impl HlsPath {
    /// Parses the path after `/hls/`. Only our exact names are accepted.
    pub fn parse(path: &str) -> Option<Self> {
        if path.len() > MAX_PATH_BYTES {
            return None;
        }
        if path == STREAM {
            return Some(HlsPath::Master);
        }
        if path == REWIND {
            return Some(HlsPath::RewindMaster);
        }
        let (folder, name) = path.split_once('/')?;
        let rendition = Rendition::from_folder(folder)?;
        if name == rendition.playlist() {
            return Some(HlsPath::Playlist(rendition));
        }
        if name == STREAM {
            return Some(HlsPath::Quality(rendition));
        }
        if name == REWIND {
            return Some(HlsPath::RewindPlaylist(rendition));
        }
        HlsFile::parse(name).map(|file| HlsPath::File(rendition, file))
    }
}

impl HlsFile {
    fn parse(name: &str) -> Option<Self> {
        let (kind, rest) = name.split_once('-')?;
        let (rest, extension) = rest.rsplit_once('.')?;
        let (token, rest) = rest.split_once('-')?;
        let token = token_from(token)?;
        match (kind, extension) {
            ("init", "mp4") => {
                let version = u32::try_from(number(rest)?).ok()?;
                Some(HlsFile::Init { token, version })
            }
            ("seg", "m4s") => Some(HlsFile::Segment {
                token,
                msn: number(rest)?,
            }),
            ("part", "m4s") => {
                let (msn, index) = rest.split_once('-')?;
                let msn = number(msn)?;
                let index = usize::try_from(number(index)?).ok()?;
                Some(HlsFile::Part { token, msn, index })
            }
            _ => None,
        }
    }
}

fn token_from(text: &str) -> Option<u64> {
    let is_plain = text.len() == 16
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    is_plain
        .then(|| u64::from_str_radix(text, 16).ok())
        .flatten()
}

/// Decimal without sign and leading zeros, so that every file has only one name.
pub(super) fn number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    is_plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_name_is_read_back() {
        let token = 0x00ab_cdef_0123_4567;
        let files = [
            HlsFile::Init { token, version: 3 },
            HlsFile::Segment {
                token,
                msn: 1_794_000_000,
            },
            HlsFile::Part {
                token,
                msn: u64::MAX,
                index: 0,
            },
        ];
        let rungs = RungIndex::all().map(Rendition::Rung);
        let others = [Rendition::Main, Rendition::Audio, Rendition::Aac];
        for rendition in others.into_iter().chain(rungs) {
            let path = format!("{}/{}", rendition.folder(), rendition.playlist());
            assert_eq!(
                HlsPath::parse(&path),
                Some(HlsPath::Playlist(rendition)),
                "{path}"
            );
            for file in files {
                let path = format!("{}/{file}", rendition.folder());
                assert_eq!(
                    HlsPath::parse(&path),
                    Some(HlsPath::File(rendition, file)),
                    "{path}"
                );
            }
        }
        assert_eq!(HlsPath::parse("stream.m3u8"), Some(HlsPath::Master));
        assert_eq!(HlsPath::parse("rewind.m3u8"), Some(HlsPath::RewindMaster));
        let rewind = Some(HlsPath::RewindPlaylist(Rendition::Audio));
        assert_eq!(HlsPath::parse("audio/rewind.m3u8"), rewind);
        let quality = Some(HlsPath::Quality(Rendition::Main));
        assert_eq!(HlsPath::parse("0/stream.m3u8"), quality);
        let sound = Some(HlsPath::Playlist(Rendition::Audio));
        assert_eq!(HlsPath::parse("audio/stream.m3u8"), sound);
    }

    #[test]
    fn anything_else_is_not_understood() {
        for path in [
            "",
            "/",
            "..",
            "0",
            "0/",
            "0/..",
            "0/../stream.m3u8",
            "video.m3u8",
            "audio/video.m3u8",
            "7/stream.m3u8",
            "01/stream.m3u8",
            "-1/stream.m3u8",
            "0/stream.m3u8/",
            "0//stream.m3u8",
            "0/%2e%2e/stream.m3u8",
            "audio/Stream.m3u8",
            "AAC/stream.m3u8",
            "aac/aac/stream.m3u8",
            "0/seg-1-2.m4s",
            "0/seg-00abcdef01234567-02.m4s",
            "0/seg-00abcdef01234567-+2.m4s",
            "0/seg-00ABCDEF01234567-2.m4s",
            "0/seg-00abcdef01234567-2.mp4",
            "0/part-00abcdef01234567-2.m4s",
            "0/part-00abcdef01234567-2--1.m4s",
            "0/seg-00abcdef01234567-99999999999999999999.m4s",
            "0/init-00abcdef01234567-4294967296.mp4",
            "0/seg-.m4s",
        ] {
            assert_eq!(HlsPath::parse(path), None, "{path}");
        }
        assert_eq!(HlsPath::parse(&"0/".repeat(1000)), None);
    }

    proptest! {
        #[test]
        fn a_path_that_is_understood_is_the_only_name_of_its_file(path in "[0-9a-z/.-]{0,40}|([0-9]|audio|aac)/(seg|part|init)-[0-9a-f]{16}-[0-9]{1,4}(-[0-9]{1,3})?\\.(m4s|mp4)") {
            if let Some(HlsPath::File(rendition, file)) = HlsPath::parse(&path) {
                prop_assert_eq!(format!("{}/{file}", rendition.folder()), path);
            }
        }
    }
}
