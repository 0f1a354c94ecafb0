//! What plugins on another machine last added to the page.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ::plugins::installed::PluginList;

/// Viewers whose additions are remembered. When they are more, all are forgotten and come anew.
const MAX_REMEMBERED: usize = 256;
/// Bytes of one answer that is remembered. A larger one is shown, but not when the plugins are late.
const MAX_REMEMBERED_BYTES: usize = 64 * 1024;

/// The last answers, by viewer: what was said to one is never shown to another.
#[derive(Debug, Default)]
pub(crate) struct LastAdditions(Mutex<RememberedAdditions>);

#[derive(Debug, Default)]
struct RememberedAdditions {
    answers: HashMap<String, String>,
    /// The list of plugins they are of.
    list: Weak<PluginList>,
}

impl LastAdditions {
    pub(crate) fn remember(&self, list: &Arc<PluginList>, viewer: String, text: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.forget_older(list);
        if text.len() > MAX_REMEMBERED_BYTES {
            known.answers.remove(&viewer);
            return;
        }
        if known.answers.len() >= MAX_REMEMBERED {
            known.answers.clear();
        }
        known.answers.insert(viewer, text.to_owned());
    }

    pub(crate) fn recall(&self, list: &Arc<PluginList>, viewer: &str) -> Option<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.forget_older(list);
        known.answers.get(viewer).cloned()
    }
}

impl RememberedAdditions {
    /// Plugins may be gone that had a part in older answers.
    fn forget_older(&mut self, list: &Arc<PluginList>) {
        let now = Arc::downgrade(list);
        if !self.list.ptr_eq(&now) {
            self.answers.clear();
            self.list = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_remembered_for_its_viewer_until_the_plugins_change() {
        let (last, list) = (LastAdditions::default(), Arc::<PluginList>::default());
        last.remember(&list, "ann".into(), "{}");
        assert_eq!(last.recall(&list, "ann").as_deref(), Some("{}"));
        assert_eq!(last.recall(&list, ""), None);
        let changed = Arc::<PluginList>::default();
        assert_eq!(last.recall(&changed, "ann"), None);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (last, list) = (LastAdditions::default(), Arc::<PluginList>::default());
        let large = "x".repeat(MAX_REMEMBERED_BYTES + 1);
        last.remember(&list, "ann".into(), &large);
        assert_eq!(last.recall(&list, "ann"), None);
        for number in 0..MAX_REMEMBERED + 1 {
            last.remember(&list, number.to_string(), "{}");
        }
        assert_eq!(last.0.lock().unwrap().answers.len(), 1);
    }
}
