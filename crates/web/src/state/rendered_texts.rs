//! The operator's texts as the page shows them.

use std::sync::{Arc, Mutex, PoisonError};

use model::settings::table::{OFFLINE_MESSAGE, PAGE_CONTENT, page};
use model::settings::{ExternalAction, Layers};

use crate::html::{cleaned, from_markdown, within};

/// Limit (operators): size of the rendered About text in the page for readers without scripts; the rest of a longer
/// one is left out there.
const MAX_ABOUT_BYTES: usize = 128 * 1024;

/// The operator's Markdown, rendered once per change: a long text takes tens of milliseconds.
#[derive(Debug, Default)]
pub(crate) struct RenderedTexts(Mutex<Option<(Arc<Layers>, Arc<Texts>)>>);

/// What a page shows of the settings with markup.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) page: String,
    /// The same for readers without scripts.
    pub(crate) about: String,
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
        let page = from_markdown(settings.text(&PAGE_CONTENT));
        let texts = Arc::new(Texts {
            about: within(&page, MAX_ABOUT_BYTES),
            page,
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
