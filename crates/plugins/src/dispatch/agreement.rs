//! Checks that the code's registration matches the manifest.

use crate::engine::Registration;
use crate::permission::{Permission, Permissions};

/// Something the code wants that the manifest does not ask for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} needs the permission {:?}: add it to the manifest", .missing.as_str())]
pub struct Disagreement {
    /// Described in the author's terms.
    pub what: String,
    pub missing: Permission,
}

/// Checks an instance whose module body has just run. Everything else is checked on use.
pub fn agree(registration: &Registration, permissions: Permissions) -> Result<(), Disagreement> {
    let wanted = &registration.subscriptions;
    let refused = |missing, what: String| match permissions.has(missing) {
        true => Ok(()),
        false => Err(Disagreement { what, missing }),
    };
    if !wanted.filter.is_empty() {
        refused(Permission::ChatFilter, "filter_chat_message".into())?;
    }
    for event in wanted.notify.iter().map(|one| &one.event) {
        if event.starts_with("fediverse.") {
            refused(Permission::FediverseInbound, format!("the event {event:?}"))?;
        }
    }
    Ok(())
}
