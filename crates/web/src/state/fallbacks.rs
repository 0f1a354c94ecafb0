//! Listeners that send their messages by POST.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chat::ClientSender;

/// Listeners on this fallback, by the secret they send messages with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fallbacks(Arc<Mutex<HashMap<String, Arc<ClientSender>>>>);

impl Fallbacks {
    pub(crate) fn add(&self, sender: ClientSender) -> String {
        let session = access::random_token().expose().to_owned();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(session.clone(), Arc::new(sender));
        session
    }

    pub(crate) fn find(&self, session: &str) -> Option<Arc<ClientSender>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(session).cloned()
    }

    pub(crate) fn remove(&self, session: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(session);
    }
}
