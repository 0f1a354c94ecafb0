//! A plugin as the rest of the server sees it.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::mailbox::{CallOutput, Mail, Mailbox, PostOutcome};
use super::usage::{Counters, Usage};
use crate::engine::{CallError, CallKind, Registration};

/// A plugin that is enabled. Cheap to clone.
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

/// How a plugin is.
#[derive(Clone, Debug)]
pub enum PluginStatus {
    /// It waits for the engine, or its module body runs.
    Starting,
    /// It takes calls. This is what it registered.
    Running(Arc<Registration>),
    /// Its instance ended; a fresh one comes soon.
    Restarting(Arc<str>),
    /// It did not start. It stays like this until it is loaded again.
    Failed(Arc<str>),
    /// Its instances ended too often. It stays like this until it is loaded again.
    Crashed(Arc<str>),
    /// Its filter failed too often in a row, or ended it too often. It comes back by itself.
    AutoDisabled {
        /// How it failed last.
        error: Arc<str>,
        /// When it comes back.
        until: Timestamp,
    },
    /// It was stopped.
    Closed,
}

impl PluginStatus {
    /// Whether it can still change.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Crashed(_) | Self::Closed)
    }

    /// One word for lists.
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

    /// What went wrong, if something did.
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

/// A plugin gave no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum AskError {
    /// It is not running: starting, restarting, crashed or gone.
    #[error("the plugin is not running")]
    NotRunning,
    /// Too much waits for it already.
    #[error("the plugin is too busy")]
    Busy,
    /// The answer did not come in time.
    #[error("the plugin did not answer in time")]
    Late,
    /// The answer of its filter is not a verdict.
    #[error("the filter's answer cannot be read: {0}")]
    Unreadable(String),
    #[error(transparent)]
    Failed(#[from] CallError),
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

    /// Who it is.
    pub fn slug(&self) -> &Arc<str> {
        &self.0.slug
    }

    /// How it is.
    pub fn status(&self) -> PluginStatus {
        self.0.status.borrow().clone()
    }

    /// Tells of every change of its status.
    pub fn watch(&self) -> watch::Receiver<PluginStatus> {
        self.0.status.subscribe()
    }

    /// What it registered, while it runs.
    pub fn registration(&self) -> Option<Arc<Registration>> {
        match &*self.0.status.borrow() {
            PluginStatus::Running(registration) => Some(Arc::clone(registration)),
            _ => None,
        }
    }

    /// Waits until it runs. The error says why it does not.
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

    /// What it has used and done.
    pub fn usage(&self) -> Usage {
        self.0.counters.usage()
    }

    /// Tells it of an event, as `{"eventType","payload"}`, to which so many emitted ones in a row led. False when it could
    /// not be taken.
    pub fn tell(&self, event: impl Into<Arc<str>>, depth: u8) -> bool {
        self.send(event.into(), depth, false)
    }

    /// Tells it that time passes. Ticks make room when its mailbox is full.
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

    /// Asks it something and waits for the answer; how long depends on what is asked.
    pub async fn ask(&self, kind: CallKind, input: String) -> Result<CallOutput, AskError> {
        self.ask_within(kind, input, kind.patience()).await
    }

    /// As [`Self::ask`], with the caller's own patience.
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

    /// A line of chat went on without its filter.
    pub fn count_unfiltered(&self) {
        self.0.counters.unfiltered();
    }

    pub(super) fn stop(&self) {
        self.0.stop.cancel();
    }

    pub(super) async fn ended(&self) {
        // The sender is in `self`, so this ends only with a final status.
        let _ = self.watch().wait_for(PluginStatus::is_final).await;
    }

    pub(super) fn say(&self, status: PluginStatus) {
        self.0.status.send_replace(status);
    }
}
