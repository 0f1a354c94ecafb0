//! The last answers of plugins, for pages that cannot wait.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use ::plugins::installed::PluginList;
use ::plugins::package::Package;

/// Answers that are remembered. When they are more, all are forgotten and come anew.
const MAX_REMEMBERED: usize = 1024;

/// Bytes of an answer that is remembered. A larger one is shown, but not when the plugin is late.
const MAX_REMEMBERED_BYTES: usize = 256 * 1024;

/// Bytes of all answers that are remembered. When they are more, all are forgotten and come anew.
const MAX_ALL_REMEMBERED_BYTES: usize = 32 * 1024 * 1024;

/// Plugin, question and viewer: an answer about one viewer is never shown to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AnswerKey {
    pub(crate) slug: String,
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) viewer: String,
}

#[derive(Debug)]
struct CachedAnswer {
    text: String,
    /// The package that gave it: a reloaded plugin starts without answers.
    by: Weak<Package>,
}

/// The last good answers of loaded plugins.
#[derive(Debug, Default)]
pub(crate) struct AnswerCache {
    answers: HashMap<AnswerKey, CachedAnswer>,
    bytes: usize,
    /// The list of plugins at the last cleanup.
    list: Weak<PluginList>,
}

impl AnswerCache {
    /// Stores the package's answer, unless it was unloaded meanwhile.
    pub(crate) fn remember(
        &mut self,
        list: &Arc<PluginList>,
        by: &Arc<Package>,
        key: AnswerKey,
        text: &str,
    ) {
        self.forget_unloaded(list);
        let by = Arc::downgrade(by);
        if is_loaded(list, &key.slug, &by) {
            self.insert(key, by, text);
        }
    }

    /// The package's last answer.
    pub(crate) fn recall(&self, key: &AnswerKey, by: &Arc<Package>) -> Option<String> {
        let answer = self.answers.get(key)?;
        let is_theirs = answer.by.ptr_eq(&Arc::downgrade(by));
        is_theirs.then(|| answer.text.clone())
    }

    /// Removes the answers of unloaded plugins. Free while the list is unchanged.
    pub(crate) fn forget_unloaded(&mut self, list: &Arc<PluginList>) {
        let seen = Arc::downgrade(list);
        if self.list.ptr_eq(&seen) {
            return;
        }
        self.list = seen;
        let mut bytes = 0;
        self.answers.retain(|key, answer| {
            let stays = is_loaded(list, &key.slug, &answer.by);
            if stays {
                bytes += answer.text.len();
            }
            stays
        });
        self.bytes = bytes;
    }

    fn insert(&mut self, key: AnswerKey, by: Weak<Package>, text: &str) {
        if let Some(former) = self.answers.remove(&key) {
            self.bytes -= former.text.len();
        }
        let bytes = text.len();
        if bytes > MAX_REMEMBERED_BYTES {
            return;
        }
        if self.answers.len() >= MAX_REMEMBERED || self.bytes + bytes > MAX_ALL_REMEMBERED_BYTES {
            self.answers.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        let text = text.to_owned();
        self.answers.insert(key, CachedAnswer { text, by });
    }
}

/// Whether exactly this package is loaded under the slug.
fn is_loaded(list: &PluginList, slug: &str, package: &Weak<Package>) -> bool {
    let entry = list.get(slug);
    let loaded = entry.and_then(|entry| entry.loaded.as_ref());
    loaded.is_some_and(|loaded| Arc::downgrade(loaded).ptr_eq(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(viewer: usize) -> AnswerKey {
        AnswerKey {
            slug: "bell".into(),
            kind: "tab",
            name: "scores".into(),
            viewer: viewer.to_string(),
        }
    }

    fn insert(cache: &mut AnswerCache, viewer: usize, bytes: usize) {
        cache.insert(key(viewer), Weak::new(), &"x".repeat(bytes));
    }

    /// The bytes actually stored, which must equal the counted ones.
    fn bytes(cache: &AnswerCache) -> usize {
        let bytes: usize = cache.answers.values().map(|one| one.text.len()).sum();
        assert_eq!(cache.bytes, bytes);
        bytes
    }

    #[test]
    fn all_answers_together_stay_within_their_limit() {
        let mut cache = AnswerCache::default();
        let fitting = MAX_ALL_REMEMBERED_BYTES / MAX_REMEMBERED_BYTES;
        for viewer in 0..fitting {
            insert(&mut cache, viewer, MAX_REMEMBERED_BYTES);
        }
        assert_eq!(bytes(&cache), MAX_ALL_REMEMBERED_BYTES);
        insert(&mut cache, fitting, 1);
        assert_eq!(bytes(&cache), 1, "all others are forgotten");
    }

    #[test]
    fn an_answer_takes_the_place_of_the_one_before() {
        let mut cache = AnswerCache::default();
        for size in [100, 7, MAX_REMEMBERED_BYTES] {
            insert(&mut cache, 0, size);
            assert_eq!(bytes(&cache), size);
        }
        insert(&mut cache, 0, MAX_REMEMBERED_BYTES + 1);
        assert_eq!(bytes(&cache), 0, "it is too large, and the other is old");
        for viewer in 0..2 * MAX_REMEMBERED {
            insert(&mut cache, viewer, 1);
            assert!(bytes(&cache) <= MAX_REMEMBERED);
        }
    }

    #[test]
    fn what_an_unloaded_plugin_said_is_forgotten_with_the_next_look_at_the_board() {
        let mut cache = AnswerCache::default();
        let list = Arc::new(PluginList::default());
        cache.forget_unloaded(&list);
        insert(&mut cache, 0, 100);
        cache.forget_unloaded(&list);
        assert_eq!(bytes(&cache), 100, "the list is the same");
        cache.forget_unloaded(&Arc::default());
        assert_eq!(bytes(&cache), 0);
    }
}
