//! Renames all files of a session.

use super::Packager;

impl Packager {
    /// Renames every file, including those already listed: the names depend on `names` alone. Old names and copies
    /// under them become useless; players find the new names in the next playlist.
    pub fn rename(&mut self, names: u64) {
        let change = self.names ^ names;
        if change == 0 {
            return;
        }
        self.names = names;
        let video = self.video.as_mut().map(|segmenter| &mut segmenter.writer);
        let audio = self.audio.as_mut().map(|segmenter| &mut segmenter.writer);
        for writer in video.into_iter().chain(audio) {
            writer.window.rename(change);
        }
        if let Some(rungs) = &mut self.rungs {
            rungs
                .writers_mut()
                .for_each(|writer| writer.window.rename(change));
        }
        self.dirty = [true; 2];
        if !self.waits_for_part {
            self.render(false);
        }
    }
}
