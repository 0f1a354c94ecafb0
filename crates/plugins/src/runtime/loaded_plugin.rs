//! A loaded plugin.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::dispatch::{EventDelivery, EventListener};
use crate::engine::{CallKind, Registration};
use crate::host::{Host, PluginData, SessionChange, Tables};
use crate::instances::{AskError, PluginHandle, PluginStatus};
use crate::manifest::{Action, ChatCommand, Manifest};
use crate::package::Package;
use crate::permission::Permissions;

/// A loaded plugin. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LoadedPlugin {
    pub(super) manifest: Arc<Manifest>,
    pub(super) package: Arc<Package>,
    pub(super) permissions: Permissions,
    pub(super) host: Arc<Host>,
    pub(super) handle: PluginHandle,
    pub(super) plugin_data: Arc<dyn PluginData>,
}

/// A plugin's answer to an HTTP request.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The answer as JSON text.
    pub text: String,
    /// Changes to the viewer's session; the last one counts.
    pub session: Vec<SessionChange>,
}

impl LoadedPlugin {
    #[must_use]
    pub fn slug(&self) -> &str {
        self.manifest.slug.as_str()
    }

    #[must_use]
    pub fn manifest(&self) -> &Arc<Manifest> {
        &self.manifest
    }

    #[must_use]
    pub fn package(&self) -> &Arc<Package> {
        &self.package
    }

    /// What the operator approved.
    #[must_use]
    pub fn permissions(&self) -> Permissions {
        self.permissions
    }

    /// Asks for content, or whether a viewer may watch.
    pub async fn ask(&self, kind: CallKind, input: String) -> Result<String, AskError> {
        Ok(self.handle.ask(kind, input).await?.text)
    }

    /// Passes it an HTTP request as JSON text.
    pub async fn http(&self, request: String) -> Result<HttpAnswer, AskError> {
        let answer = self.handle.ask(CallKind::Http, request).await?;
        Ok(HttpAnswer {
            text: answer.text,
            session: answer.session,
        })
    }

    /// Sends an event to this plugin only, if it subscribed to it; the payload is JSON text.
    pub fn tell(&self, event: &str, payload: &str) {
        let wants = self.handle.registration().is_some_and(|registration| {
            let wanted = &registration.subscriptions.notify;
            wanted.iter().any(|one| one.event == event)
        });
        if let Some(delivery) = EventDelivery::new(event, payload).filter(|_| wants) {
            self.deliver(&delivery);
        }
    }

    /// The buttons it added at run time; empty if they cannot be read, which is logged.
    pub async fn runtime_actions(&self) -> Vec<Action> {
        self.plugin_data
            .actions(self.slug())
            .await
            .unwrap_or_default()
    }

    /// The tables of its own database, for its author.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn tables(&self) -> Result<Tables, String> {
        self.host.tables().await
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.handle.status(), PluginStatus::Running(_))
    }

    pub(super) fn deliver(&self, delivery: &EventDelivery) {
        let envelope = Arc::clone(&delivery.envelope);
        match &*delivery.event {
            "tick" => self.handle.tick(envelope),
            _ => self.handle.tell(envelope, delivery.depth),
        };
    }

    /// Its listener for dispatch, while it is running.
    pub(super) fn listener(&self) -> Option<EventListener> {
        let registration = self.handle.registration()?;
        let commands = self.commands(&registration.commands);
        let registration = match commands.len() == registration.commands.len() {
            true => registration,
            false => Arc::new(Registration {
                commands,
                ..Registration::clone(&registration)
            }),
        };
        Some(EventListener {
            slug: Arc::clone(self.handle.slug()),
            registration,
        })
    }

    /// The code's commands, and those of the manifest that the code does not declare.
    pub(super) fn commands(&self, declared: &[ChatCommand]) -> Vec<ChatCommand> {
        let names: BTreeSet<&str> = declared.iter().map(|one| one.name.as_str()).collect();
        let others = self.manifest.commands.iter();
        let others = others.filter(|one| !names.contains(one.name.as_str()));
        declared.iter().chain(others).cloned().collect()
    }
}
