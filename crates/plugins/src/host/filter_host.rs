//! The host of a filter that has its own instance.
//!
//! The module body has already run in the plugin's first instance, with all its effects. In the second instance it runs
//! again only to define the filter: calls with effects on others are ignored and return nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;

use super::args;
use super::auth::SessionChange;
use super::plugin_host::{Host, HostCalls};
use crate::engine::Registration;

/// What the module body does not do a second time: others would notice it.
const NOT_AGAIN: [&str; 16] = [
    "send_chat",
    "delete_message",
    "kick_client",
    "storage_upload",
    "emit_event",
    "video_config_write",
    "notify_",
    "user_set_enabled",
    "ban_ip",
    "users_register",
    "auth_",
    "fediverse_post",
    "sse_send",
    "add_actions",
    "clear_actions",
    "timer_",
];

/// The plugin's host, restricted for the filter.
#[derive(Debug)]
pub(crate) struct FilterHost {
    host: Arc<Host>,
    /// Whether the module body is running or about to run.
    is_loading: AtomicBool,
}

impl FilterHost {
    pub(crate) fn new(host: &Arc<Host>) -> Arc<Self> {
        Arc::new(Self {
            host: Arc::clone(host),
            is_loading: AtomicBool::new(true),
        })
    }

    async fn serve(&self, name: &str, arguments: &str) -> Result<String, String> {
        if self.is_loading.load(Ordering::Relaxed) {
            if NOT_AGAIN.iter().any(|prefix| name.starts_with(prefix)) {
                return Ok(args::nothing());
            }
        } else if name.starts_with("timer_") {
            // The callback would be here, but timers fire in the other instance.
            return Err(format!(
                "{name}: a filter with an instance of its own has no timers; set them in a handler"
            ));
        }
        self.host.call_from_filter(name, arguments).await
    }
}

impl HostCalls for FilterHost {
    fn call<'a>(&'a self, name: &'a str, args: &'a str) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(self.serve(name, args))
    }

    fn is_instant(&self, name: &str) -> bool {
        self.host.is_instant(name)
    }

    fn agree(&self, registration: &Registration) -> Result<(), String> {
        self.is_loading.store(false, Ordering::Relaxed);
        self.host.agree(registration)
    }

    fn leave(&self) -> Vec<SessionChange> {
        self.host.filter_ended();
        Vec::new()
    }

    fn failed(&self, error: &str) {
        self.host.failed(error);
    }

    fn instance_ended(&self) {
        self.is_loading.store(true, Ordering::Relaxed);
    }
}
