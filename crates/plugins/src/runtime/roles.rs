//! The runtime's roles for other parts: the plugins that dispatch reaches, and the way back from hosts.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Runtime, RuntimeInner};
use crate::dispatch::{EventDelivery, EventListener, FilterError, RunningPlugins, relay};
use crate::engine::CallKind;
use crate::host::{Deliveries, EmittedEvent, summary};
use crate::instances::{AskError, PluginStatus};

impl RunningPlugins for Runtime {
    fn loaded(&self) -> Arc<[EventListener]> {
        Arc::clone(&self.0.listening())
    }

    fn deliver(&self, slug: &str, delivery: EventDelivery) {
        let plugin = self.0.plugins().get(slug).cloned();
        if let Some(plugin) = plugin {
            plugin.deliver(&delivery);
        }
    }

    fn filter<'a>(
        &'a self,
        slug: &'a str,
        envelope: &'a str,
        budget: Duration,
    ) -> BoxFuture<'a, Result<String, FilterError>> {
        Box::pin(async move {
            let plugin = self.0.plugins().get(slug).cloned();
            let plugin = plugin.ok_or(FilterError::Gone)?;
            match plugin.handle.status() {
                PluginStatus::Running(_) => {}
                // Its filter would otherwise have judged the line.
                PluginStatus::Starting | PluginStatus::Restarting(_) => {
                    return Err(FilterError::Busy);
                }
                _ => return Err(FilterError::Gone),
            }
            let asked = plugin
                .handle
                .ask_within(CallKind::Filter, envelope.to_owned(), budget);
            match asked.await {
                Ok(answer) => Ok(answer.text),
                Err(error) => Err(without_verdict(&error)),
            }
        })
    }

    fn left_out(&self, slug: &str) {
        let plugin = self.0.plugins().get(slug).cloned();
        if let Some(plugin) = plugin {
            plugin.handle.count_unfiltered();
        }
    }
}

/// What it means for a line that its filter was not answered.
fn without_verdict(error: &AskError) -> FilterError {
    match error {
        AskError::NotRunning => FilterError::Gone,
        AskError::Busy => FilterError::Busy,
        AskError::Late => FilterError::Late,
        // The log already has the traceback.
        AskError::Unreadable(_) | AskError::Failed(_) => {
            FilterError::Failed(summary(&error.to_string()).to_owned())
        }
    }
}

/// The way back from a plugin's host to everything else. Weak, because the runtime owns the plugins' hosts.
#[derive(Debug)]
pub(super) struct WeakRuntime(pub(super) Weak<RuntimeInner>);

impl Deliveries for WeakRuntime {
    fn emitted(&self, event: EmittedEvent) {
        if let Some(inner) = self.0.upgrade() {
            relay(&Runtime(inner), &event);
        }
    }

    fn timer_due<'a>(&'a self, slug: &'a str, id: i64) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let inner = self.0.upgrade();
            let plugin = inner.and_then(|inner| inner.plugins().get(slug).cloned());
            let due = EventDelivery::new("timer.fire", &format!(r#"{{"id":{id}}}"#));
            if let (Some(plugin), Some(due)) = (plugin, due) {
                let asked = plugin.handle.ask(CallKind::Event, due.envelope.to_string());
                // The failure is in the plugin's counters and in the log.
                drop(asked.await);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_is_busy_is_told_from_one_that_is_late() {
        assert_eq!(without_verdict(&AskError::Busy), FilterError::Busy);
        assert_eq!(without_verdict(&AskError::Late), FilterError::Late);
        assert_eq!(without_verdict(&AskError::NotRunning), FilterError::Gone);
        let failed = without_verdict(&AskError::Unreadable("no JSON".into()));
        assert_eq!(
            failed,
            FilterError::Failed("the filter's answer cannot be read: no JSON".into())
        );
    }
}
