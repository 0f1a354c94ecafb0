//! The server's handle to a plugin.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::error::AskError;
use super::mailbox::{CallOutput, Mail, Mailbox, PostOutcome};
use super::usage::{Counters, Usage};
use crate::engine::{CallKind, Registration};

/// An enabled plugin. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PluginHandle(pub(super) Arc<PluginShared>);

#[derive(Debug)]
pub(super) struct PluginShared {
    slug: Arc<str>,
    pub(super) mailbox: Mailbox,
    pub(super) counters: Counters,
    status: watch::Sender<PluginStatus>,
    pub(super) stop: CancellationToken,
}

/// A plugin's status.
#[derive(Clone, Debug)]
pub enum PluginStatus {
    /// Waiting for the engine, or running the module body.
    Starting,
    /// Accepting calls, with this registration.
    Running(Arc<Registration>),
    /// The instance ended; a fresh one starts soon.
    Restarting(Arc<str>),
    /// It did not start. Final until it is loaded again.
    Failed(Arc<str>),
    /// Its instances ended too often. Final until it is loaded again.
    Crashed(Arc<str>),
    /// Its filter failed too often in a row, or ended the instance too often. It restarts by itself.
    AutoDisabled {
        /// Its last failure.
        error: Arc<str>,
        /// When it restarts.
        until: Timestamp,
    },
    /// It was stopped.
    Closed,
}

impl PluginStatus {
    /// Whether the status is final.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Crashed(_) | Self::Closed)
    }

    /// A single word for lists.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running(_) => "running",
            Self::Restarting(_) => "restarting",
            Self::Failed(_) => "failed",
            Self::Crashed(_) => "crashed",
            Self::AutoDisabled { .. } => "auto-disabled",
            Self::Closed => "closed",
        }
    }

    /// The error, if there is one.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Restarting(error)
            | Self::Failed(error)
            | Self::Crashed(error)
            | Self::AutoDisabled { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl PluginHandle {
    pub(super) fn new(slug: Arc<str>) -> Self {
        Self(Arc::new(PluginShared {
            counters: Counters::new(&slug),
            slug,
            mailbox: Mailbox::default(),
            status: watch::Sender::new(PluginStatus::Starting),
            stop: CancellationToken::new(),
        }))
    }

    pub fn slug(&self) -> &Arc<str> {
        &self.0.slug
    }

    pub fn status(&self) -> PluginStatus {
        self.0.status.borrow().clone()
    }

    /// Signals every change of its status.
    pub fn watch(&self) -> watch::Receiver<PluginStatus> {
        self.0.status.subscribe()
    }

    /// The running plugin's registration.
    pub fn registration(&self) -> Option<Arc<Registration>> {
        match &*self.0.status.borrow() {
            PluginStatus::Running(registration) => Some(Arc::clone(registration)),
            _ => None,
        }
    }

    /// Waits until it is running. The error says why it is not.
    pub async fn started(&self) -> Result<Arc<Registration>, String> {
        let mut status = self.watch();
        let settled = status
            .wait_for(|status| status.is_final() || matches!(status, PluginStatus::Running(_)))
            .await;
        match settled.as_deref() {
            Ok(PluginStatus::Running(registration)) => Ok(Arc::clone(registration)),
            Ok(other) => Err(other.error().unwrap_or("the plugin was closed").to_owned()),
            Err(_) => Err("the plugin was closed".to_owned()),
        }
    }

    /// Its resource usage and counters.
    pub fn usage(&self) -> Usage {
        self.0.counters.usage()
    }

    /// Sends it an event, as `{"eventType","payload"}`, caused by this many emitted events in a row. False if the
    /// mailbox rejected it.
    pub fn tell(&self, event: impl Into<Arc<str>>, depth: u8) -> bool {
        self.send(event.into(), depth, false)
    }

    /// Sends it a tick. Ticks are dropped first when its mailbox is full.
    pub fn tick(&self, event: impl Into<Arc<str>>) -> bool {
        self.send(event.into(), 0, true)
    }

    fn send(&self, input: Arc<str>, depth: u8, is_tick: bool) -> bool {
        let posted = self.post(Mail {
            kind: CallKind::Event,
            input,
            depth,
            is_tick,
            reply: None,
        });
        posted.is_ok()
    }

    /// Makes a call and waits for the answer; the timeout depends on the kind.
    pub async fn ask(&self, kind: CallKind, input: String) -> Result<CallOutput, AskError> {
        self.ask_within(kind, input, kind.patience()).await
    }

    /// Like [`Self::ask`], with the caller's timeout.
    pub async fn ask_within(
        &self,
        kind: CallKind,
        input: String,
        patience: Duration,
    ) -> Result<CallOutput, AskError> {
        let (reply, answer) = oneshot::channel();
        self.post(Mail {
            kind,
            input: input.into(),
            depth: 0,
            is_tick: false,
            reply: Some(reply),
        })?;
        match timeout(patience, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_gone)) => Err(AskError::NotRunning),
            Err(_elapsed) => Err(AskError::Late),
        }
    }

    fn post(&self, mail: Mail) -> Result<(), AskError> {
        let (lost, outcome) = match self.0.mailbox.post(mail) {
            PostOutcome::Taken { lost } => (lost, Ok(())),
            PostOutcome::Full => (1, Err(AskError::Busy)),
            PostOutcome::Closed => (1, Err(AskError::NotRunning)),
        };
        self.0.counters.dropped(lost);
        outcome
    }

    /// Counts a chat line that skipped its filter.
    pub fn count_unfiltered(&self) {
        self.0.counters.unfiltered();
    }

    pub(super) fn stop(&self) {
        self.0.stop.cancel();
    }

    pub(super) async fn ended(&self) {
        // The sender is in `self`, so this only ends with a final status.
        let _ = self.watch().wait_for(PluginStatus::is_final).await;
    }

    pub(super) fn say(&self, status: PluginStatus) {
        self.0.status.send_replace(status);
    }
}
