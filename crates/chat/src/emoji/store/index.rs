//! A snapshot of the store's content; replaced as a whole.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::emoji::builtin::DRAWINGS;
use crate::emoji::scan::{ScanResult, SkippedFile};
use crate::emoji::{Emoji, name};

#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) emoji: Arc<[Emoji]>,
    /// URLs by lower-case name.
    urls: HashMap<String, String>,
    pub(super) sources: HashMap<String, EmojiSource>,
    pub(super) files: usize,
    pub(super) skipped: Vec<SkippedFile>,
}

#[derive(Debug)]
pub(super) enum EmojiSource {
    File(PathBuf),
    BuiltIn(&'static [u8]),
}

impl Index {
    pub(super) fn new(folder: &Path, found: ScanResult) -> Self {
        let mut index = Self {
            files: found.emoji.len(),
            skipped: found.skipped,
            ..Self::default()
        };
        if found.further_skipped > 0 {
            index.skipped.push(SkippedFile {
                path: "…".into(),
                why: format!("and {} more", found.further_skipped),
            });
        }
        let mut emoji = found.emoji;
        for one in &emoji {
            let file = folder.join(&one.path);
            index
                .sources
                .insert(one.path.clone(), EmojiSource::File(file));
            index.name(one);
        }
        for drawing in DRAWINGS {
            let one = drawing.emoji();
            let source = EmojiSource::BuiltIn(drawing.bytes);
            // Chat lines may still show a drawing that is hidden now.
            index.sources.insert(one.path.clone(), source);
            if index.name(&one) {
                emoji.push(one);
            }
        }
        index.emoji = emoji.into();
        index
    }

    /// Registers the name unless it is taken; returns whether it was free.
    fn name(&mut self, emoji: &Emoji) -> bool {
        let lower = emoji.name.to_ascii_lowercase();
        let is_first = !self.urls.contains_key(&lower);
        if is_first {
            self.urls.insert(lower, emoji.url());
        }
        is_first
    }

    /// The URL of the picture with this name.
    pub(super) fn url(&self, name: &str) -> Option<String> {
        if !name::is_plain(name) {
            return None;
        }
        self.urls.get(&name.to_ascii_lowercase()).cloned()
    }

    /// The operator's emoji with this name.
    pub(super) fn own(&self, name: &str) -> Option<&Emoji> {
        let mut own = self.emoji.iter().filter(|emoji| !emoji.builtin);
        own.find(|emoji| emoji.name.eq_ignore_ascii_case(name))
    }

    pub(super) fn complain(&self) {
        for SkippedFile { path, why } in &self.skipped {
            tracing::warn!(%path, %why, "skipped in the emoji folder");
        }
    }
}
