//! What the viewer page says without its script, rendered once per state of the server.

use std::sync::{Arc, Mutex, PoisonError};

use model::settings::Layers;

use crate::language::Language;

/// Pages that are remembered: one per language and state, and a few for servers with more than one name.
const MAX_PAGES: usize = 16;

/// Everything that these texts depend on.
#[derive(Clone, Debug)]
pub(crate) struct PageKey {
    pub(crate) settings: Arc<Layers>,
    /// The server's address, without a slash at the end.
    pub(crate) base: String,
    pub(crate) is_online: bool,
    pub(crate) language: Language,
}

impl PageKey {
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.settings, &other.settings)
            && self.base == other.base
            && self.is_online == other.is_online
            && self.language == other.language
    }
}

/// Parts of a page, as HTML.
#[derive(Debug)]
pub(crate) struct PageTexts {
    /// Title, description and preview tags.
    pub(crate) head: String,
    /// The content for readers without scripts.
    pub(crate) body: String,
}

#[derive(Debug, Default)]
pub(crate) struct PageTextCache(Mutex<Vec<(PageKey, Arc<PageTexts>)>>);

impl PageTextCache {
    /// The texts for this state, rendered if they are not remembered.
    pub(crate) fn get_or_render(
        &self,
        key: PageKey,
        render: impl FnOnce(&PageKey) -> PageTexts,
    ) -> Arc<PageTexts> {
        if let Some(texts) = self.find(&key) {
            return texts;
        }
        let texts = Arc::new(render(&key));
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody asks for pages of former settings again.
        pages.retain(|(other, _)| Arc::ptr_eq(&other.settings, &key.settings));
        pages.truncate(MAX_PAGES - 1);
        pages.insert(0, (key, Arc::clone(&texts)));
        texts
    }

    fn find(&self, key: &PageKey) -> Option<Arc<PageTexts>> {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, texts) = pages.iter().find(|(other, _)| other.is_same(key))?;
        Some(Arc::clone(texts))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::settings::ExternalSettings;

    use super::*;

    fn settings() -> Arc<Layers> {
        let (layers, _) = Layers::compose(&BTreeMap::new(), &ExternalSettings::default());
        Arc::new(layers)
    }

    fn key(settings: &Arc<Layers>, base: &str, is_online: bool) -> PageKey {
        PageKey {
            settings: Arc::clone(settings),
            base: base.into(),
            is_online,
            language: Language::English,
        }
    }

    fn texts(body: &str) -> PageTexts {
        PageTexts {
            head: String::new(),
            body: body.into(),
        }
    }

    #[test]
    fn a_page_is_rendered_once_until_what_it_shows_changes() {
        let cache = PageTextCache::default();
        let (settings, changed) = (settings(), settings());
        let first = cache.get_or_render(key(&settings, "a", false), |_| texts("first"));
        let again = cache.get_or_render(key(&settings, "a", false), |_| texts("again"));
        assert!(Arc::ptr_eq(&first, &again));
        for other in [
            key(&settings, "a", true),
            key(&settings, "b", false),
            key(&changed, "a", false),
        ] {
            let texts = cache.get_or_render(other, |_| texts("other"));
            assert_eq!(texts.body, "other");
        }
    }

    #[test]
    fn a_stranger_who_invents_names_for_the_server_fills_nothing() {
        let cache = PageTextCache::default();
        let settings = settings();
        for name in 0..3 * MAX_PAGES {
            cache.get_or_render(key(&settings, &name.to_string(), false), |_| texts(""));
        }
        assert_eq!(cache.0.lock().unwrap().len(), MAX_PAGES);
    }
}
