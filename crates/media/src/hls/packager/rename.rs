//! Other names for all files of a session.

use super::Packager;

impl Packager {
    /// Gives every file another name, also those that are listed already: `names` decides which, and the same gives the
    /// same. Whoever knows an old name, or has a copy by it, has nothing any more; players find the new ones in the next
    /// list.
    pub fn rename(&mut self, names: u64) {
        let change = self.names ^ names;
        if change == 0 {
            return;
        }
        self.names = names;
        let video = self.video.as_mut().map(|segmenter| &mut segmenter.writer);
        let audio = self.audio.as_mut().map(|segmenter| &mut segmenter.writer);
        for writer in video.into_iter().chain(audio) {
            writer.token ^= change;
        }
        if let Some(rungs) = &mut self.rungs {
            rungs
                .writers_mut()
                .for_each(|writer| writer.token ^= change);
        }
        self.dirty = [true; 2];
        if !self.waits_for_part {
            self.render(false);
        }
    }
}
