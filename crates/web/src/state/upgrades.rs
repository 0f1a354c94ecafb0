//! Requests for a socket that a proxy broke.

use std::sync::{Mutex, PoisonError};

use http::{HeaderMap, header};
use http_server::client::text;
use jiff::Timestamp;

/// Upgrades that something between us and a browser broke.
#[derive(Debug, Default)]
pub(crate) struct Upgrades(Mutex<BrokenUpgrades>);

/// How many, and the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BrokenUpgrades {
    pub(crate) count: u64,
    /// When the last one was, and the header that was missing; nothing once one came through.
    pub(crate) last: Option<(Timestamp, &'static str)>,
}

impl Upgrades {
    /// A request for a socket came without what makes it one.
    pub(crate) fn note(&self, headers: &HeaderMap, at: Timestamp) {
        // Only a browser that opens a socket sends these; anybody else just visited the address.
        if !headers.contains_key(header::SEC_WEBSOCKET_KEY)
            && !headers.contains_key(header::SEC_WEBSOCKET_VERSION)
        {
            return;
        }
        let is_upgrade = text(headers, header::UPGRADE).eq_ignore_ascii_case("websocket");
        let missing = if is_upgrade { "Connection" } else { "Upgrade" };
        let mut broken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if broken.count == 0 {
            tracing::warn!(
                "a proxy in front of this server removes the header {missing}: chat falls back to slower connections"
            );
        }
        broken.count += 1;
        broken.last = Some((at, missing));
    }

    /// A socket came through: whatever was wrong is mended.
    pub(crate) fn mended(&self) {
        let mut broken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        broken.last = None;
    }

    pub(crate) fn broken(&self) -> BrokenUpgrades {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
