//! The operator's texts as the page shows them.

use std::sync::{Arc, Mutex, PoisonError};

use model::settings::table::{OFFLINE_MESSAGE, PAGE_CONTENT, page};
use model::settings::{ExternalAction, Layers};

use crate::html::{cleaned, from_markdown};

/// The operator's Markdown, rendered once per change: a long text takes tens of milliseconds.
#[derive(Debug, Default)]
pub(crate) struct RenderedTexts(Mutex<Option<(Arc<Layers>, Arc<Texts>)>>);

/// What a page shows of the settings with markup.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) page: String,
    pub(crate) offline: String,
    pub(crate) actions: Vec<ExternalAction>,
}

impl RenderedTexts {
    pub(crate) fn of(&self, settings: &Arc<Layers>) -> Arc<Texts> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((layers, texts)) = &*known
            && Arc::ptr_eq(layers, settings)
        {
            return Arc::clone(texts);
        }
        let texts = Arc::new(Texts {
            page: from_markdown(settings.text(&PAGE_CONTENT)),
            offline: from_markdown(settings.text(&OFFLINE_MESSAGE)),
            actions: harmless(settings.get(&page::EXTERNAL_ACTIONS).clone()),
        });
        *known = Some((Arc::clone(settings), Arc::clone(&texts)));
        texts
    }
}

/// The buttons with HTML that a page may contain.
fn harmless(mut actions: Vec<ExternalAction>) -> Vec<ExternalAction> {
    for action in &mut actions {
        action.html = cleaned(&action.html);
    }
    actions
}
