//! Listeners that send their messages by POST.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chat::ClientSender;

/// Listeners on this fallback, by the secret they send messages with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fallbacks(Arc<Mutex<HashMap<String, Arc<ClientSender>>>>);

impl Fallbacks {
    /// On one of several machines a session begins with its number, so that the others know where to bring what is said
    /// with it.
    pub(crate) fn add(&self, sender: ClientSender, machine: Option<i64>) -> String {
        let secret = access::random_token();
        let session = match machine {
            Some(number) => format!("{number}-{}", secret.expose()),
            None => secret.expose().to_owned(),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(session.clone(), Arc::new(sender));
        session
    }

    /// The machine that a session is at.
    pub(crate) fn machine_of(session: &str) -> Option<i64> {
        session.split_once('-')?.0.parse().ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_says_which_machine_it_is_at_if_there_are_several() {
        assert_eq!(Fallbacks::machine_of("12-00ff"), Some(12));
        for alone in ["00ff", "", "-00ff", "x-00ff"] {
            assert_eq!(Fallbacks::machine_of(alone), None, "{alone}");
        }
    }
}
