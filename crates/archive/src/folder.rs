//! Where the files of recordings are.

use std::path::{Path, PathBuf};

use model::recording::RecordingId;

/// The folder of all recordings.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// `root` is made when the first recording begins.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Everything of one recording.
    pub fn recording(&self, id: &RecordingId) -> PathBuf {
        self.root.join(id.as_str())
    }

    /// The chunks of a rendition; `None` if no rendition can have this name.
    pub fn rendition(&self, id: &RecordingId, rendition: &str) -> Option<PathBuf> {
        is_rendition(rendition).then(|| self.recording(id).join(rendition))
    }

    /// The media of a chunk: init segment and parts.
    pub fn chunk(&self, id: &RecordingId, rendition: &str, number: u32) -> Option<PathBuf> {
        let folder = self.rendition(id, rendition)?;
        Some(folder.join(format!("{number}.mp4")))
    }

    /// The index of a chunk.
    pub fn index(&self, id: &RecordingId, rendition: &str, number: u32) -> Option<PathBuf> {
        let folder = self.rendition(id, rendition)?;
        Some(folder.join(format!("{number}.idx")))
    }

    /// The picture that stands for the recording.
    pub fn poster(&self, id: &RecordingId) -> PathBuf {
        self.recording(id).join("poster.jpg")
    }
}

/// Whether this is the name of a folder as `/hls/` has it: short, lower case, and nothing that leaves the folder.
pub(crate) fn is_rendition(name: &str) -> bool {
    let is_plain = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    (1..=crate::index::RENDITION_BYTES).contains(&name.len()) && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> Folder {
        Folder::new(PathBuf::from("/data/recordings"))
    }

    fn id() -> RecordingId {
        RecordingId::parse("00ff00ff00ff00ff").unwrap()
    }

    #[test]
    fn a_chunk_is_in_the_folder_of_its_rendition() {
        let media = folder().chunk(&id(), "0", 7).unwrap();
        assert_eq!(
            media,
            Path::new("/data/recordings/00ff00ff00ff00ff/0/7.mp4")
        );
        let index = folder().index(&id(), "audio", 0).unwrap();
        assert_eq!(
            index,
            Path::new("/data/recordings/00ff00ff00ff00ff/audio/0.idx")
        );
    }

    #[test]
    fn no_name_of_a_rendition_leaves_the_folder() {
        for name in [
            "",
            ".",
            "..",
            "../0",
            "0/1",
            "/",
            "0\0",
            "A",
            "0.mp4",
            "ninechars",
        ] {
            assert!(folder().chunk(&id(), name, 0).is_none(), "{name}");
        }
    }
}
