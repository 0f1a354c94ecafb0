//! The entry point for host calls.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use tokio::sync::Semaphore;

use crate::dispatch::agree;
use crate::engine::Registration;
use crate::host::auth::SessionChange;
use crate::host::files::Files;
use crate::host::log::{self, CallLogBudget, Level};
use crate::host::log_limit::{
    LOG_BYTES_PER_SECOND, LOG_LINES_PER_SECOND, LogDecision, LogLimit, MAX_LOG_BYTES_AT_ONCE,
    MAX_LOG_LINES_AT_ONCE,
};
use crate::host::notices::{BrowserPushWarning, PostLimit};
use crate::host::parts::{HostParts, Plugin, SqlStorage};
use crate::host::rate_limit::{ChatRateLimit, RateLimitMode};
use crate::host::services::Bot;
use crate::host::sql::Database;
use crate::host::table;
use crate::host::timers::Timers;

/// Changes of the viewer's session in one answer. More are refused; the last one counts anyway.
const MAX_SESSION_CHANGES: usize = 16;

tokio::task_local! {
    /// Set while a filter calls: it is unrelated to the request or event that is handled at the same time.
    static IN_FILTER: ();
}
/// What a line about something that was refused is counted as.
const REFUSAL_BYTES: usize = 200;

/// The host functions available to a plugin's instance.
pub trait HostCalls: Send + Sync + fmt::Debug {
    /// Calls the function `name` with the JSON object `args` and returns JSON text. An error is a message for the
    /// plugin's author; Python decides how to raise it.
    fn call<'a>(&'a self, name: &'a str, args: &'a str) -> BoxFuture<'a, Result<String, String>>;

    /// Like [`HostCalls::call`], for a filter that runs beside the plugin's current call or nested in it.
    fn call_from_filter<'a>(
        &'a self,
        name: &'a str,
        args: &'a str,
    ) -> BoxFuture<'a, Result<String, String>> {
        self.call(name, args)
    }

    /// Called when a filter that used [`HostCalls::call_from_filter`] has given its verdict.
    fn filter_ended(&self) {}

    /// Whether this function returns immediately: it is called even when the waiting budget is used up.
    fn is_instant(&self, _name: &str) -> bool {
        false
    }

    /// Whether an instance with this registration may run; called at every start. The error says why not.
    fn agree(&self, _registration: &Registration) -> Result<(), String> {
        Ok(())
    }

    /// Sets the occasion of the next call into the plugin.
    fn enter(&self, _occasion: Occasion) {}

    /// Ends the call; returns its changes to the viewer's session, of which the last counts.
    fn leave(&self) -> Vec<SessionChange> {
        Vec::new()
    }

    /// Reports that a call failed, often with a traceback.
    fn failed(&self, _error: &str) {}

    /// Reports that the plugin's instance is gone, and its callbacks with it.
    fn instance_ended(&self) {}
}

/// Why the plugin is currently called. Calls into one plugin are sequential, so there is only one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occasion {
    /// It is being loaded, or produces content.
    #[default]
    Other,
    /// It handles an event, caused by this many emitted events in a row.
    Event {
        /// 0 for a built-in event.
        depth: u8,
    },
    /// It answers an HTTP request.
    Http,
}

/// The host functions of one loaded plugin.
pub struct Host {
    pub(super) plugin: Plugin,
    pub(super) parts: HostParts,
    pub(super) bot: Bot,
    pub(super) files: Files,
    pub(super) database: Database,
    pub(super) timers: Timers,
    pub(super) post_limit: PostLimit,
    pub(super) push_warning: BrowserPushWarning,
    pub(super) chat_rate_limit: ChatRateLimit,
    log_limit: LogLimit,
    /// Package files are unpacked one at a time, however many reads were started and abandoned.
    pub(super) unpacking: Arc<Semaphore>,
    call_state: Mutex<CallState>,
}

#[derive(Debug, Default)]
struct CallState {
    occasion: Occasion,
    session: Vec<SessionChange>,
    log: CallLogBudget,
    /// For a filter that runs beside the call or nested in it.
    filter_log: CallLogBudget,
    is_closed: bool,
}

impl CallState {
    fn log_budget(&mut self) -> &mut CallLogBudget {
        match is_filter() {
            true => &mut self.filter_log,
            false => &mut self.log,
        }
    }
}

/// Whether the caller is a filter rather than the plugin's current call.
fn is_filter() -> bool {
    IN_FILTER.try_with(|()| ()).is_ok()
}

impl Host {
    /// A host for one loaded plugin.
    #[must_use]
    pub fn new(plugin: Plugin, parts: HostParts) -> Arc<Self> {
        let folder = parts.storage.join(plugin.manifest.slug.as_str());
        let database = match parts.sql {
            SqlStorage::Disk => Database::on_disk(folder.join("db")),
            SqlStorage::Memory => Database::in_memory(),
        };
        Arc::new(Self {
            bot: Bot {
                slug: plugin.manifest.slug.to_string(),
                display_name: plugin.manifest.bot_display_name.clone(),
            },
            files: Files::new(folder.join("files")),
            database,
            timers: Timers::new(
                plugin.manifest.slug.to_arc(),
                Arc::clone(&parts.clock),
                Arc::clone(&parts.deliveries),
            ),
            post_limit: PostLimit::default(),
            push_warning: BrowserPushWarning::default(),
            chat_rate_limit: ChatRateLimit::default(),
            log_limit: LogLimit::default(),
            unpacking: Arc::new(Semaphore::new(1)),
            call_state: Mutex::default(),
            plugin,
            parts,
        })
    }

    /// Takes the timer that is due first, if it is due by `until`: its time and its id. For manually driven clocks.
    pub fn take_due_timer(&self, until: Timestamp) -> Option<(Timestamp, i64)> {
        self.timers.take_due(until)
    }

    /// Fires a timer manually at this time.
    pub fn timer_fired(&self, id: i64, at: Timestamp) {
        self.timers.fired(id, at);
    }

    /// Ends all of the plugin's activity; later calls are rejected.
    pub fn close(&self) {
        self.call_state().is_closed = true;
        self.end_log();
        self.timers.clear_all();
        self.parts.streams.close(self.slug());
        self.database.close();
    }

    pub(super) fn slug(&self) -> &str {
        self.plugin.manifest.slug.as_str()
    }

    pub(super) fn occasion(&self) -> Occasion {
        match is_filter() {
            true => Occasion::Other,
            false => self.call_state().occasion,
        }
    }

    pub(super) fn change_session(&self, change: SessionChange) -> Result<(), String> {
        let mut call_state = self.call_state();
        if call_state.session.len() >= MAX_SESSION_CHANGES {
            return Err("this answer changes the session too often".into());
        }
        call_state.session.push(change);
        Ok(())
    }

    /// Counts a log message and returns whether it may be written.
    pub(super) fn may_log(&self, bytes: usize) -> bool {
        let has_room = self.call_state().log_budget().take(bytes);
        has_room && self.take_log_line(bytes)
    }

    /// Counts a refusal and returns whether it may be logged.
    pub(super) fn may_log_refusal(&self) -> bool {
        let has_room = self.call_state().log_budget().take_refusal();
        has_room && self.take_log_line(REFUSAL_BYTES)
    }

    /// Writes a log line of or about the plugin that is not counted per call.
    pub(super) fn write_log(&self, level: Level, text: &str) {
        let text = log::tidy(text);
        if self.take_log_line(text.len()) {
            self.parts.services.log(self.slug(), level, &text);
        }
    }

    /// Logs a line that the plugin printed; its per-call limit was applied already.
    pub(crate) fn printed(&self, level: Level, text: &str) {
        self.write_log(level, text);
    }

    /// Whether the server's log takes one more line about this plugin. The first omitted line is replaced by a notice.
    fn take_log_line(&self, bytes: usize) -> bool {
        let turn = self.log_limit.take(self.parts.clock.uptime(), bytes);
        if turn == LogDecision::Granted {
            return true;
        }
        let plugin = self.slug();
        metrics::counter!("rillcast_plugin_log_lines_refused_total", "plugin" => plugin.to_owned())
            .increment(1);
        if turn == LogDecision::RefusedFirst {
            let text = format!(
                "lines of the log are left out: a plugin may write {MAX_LOG_LINES_AT_ONCE} lines and {} KiB at once, \
                 {LOG_LINES_PER_SECOND} lines and {} KiB a second after that",
                MAX_LOG_BYTES_AT_ONCE / 1024,
                LOG_BYTES_PER_SECOND / 1024,
            );
            self.parts.services.log(plugin, Level::Warning, &text);
        }
        false
    }

    /// Ends a call's log budget: the next call may log again.
    fn end_log(&self) {
        let left_out = self.call_state().log.end();
        if let Some(text) = left_out {
            self.write_log(Level::Warning, &text);
        }
    }

    fn call_state(&self) -> MutexGuard<'_, CallState> {
        self.call_state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn serve(&self, name: &str, args: &str) -> Result<String, String> {
        let Some(function) = table::find(name) else {
            return Err(format!("there is no host function {name:?}"));
        };
        if self.call_state().is_closed {
            return Err("the plugin is no longer loaded".into());
        }
        if let Some(permission) = function.needs
            && !self.plugin.permissions.has(permission)
        {
            if self.may_log_refusal() {
                self.parts.services.denied(self.slug(), name, permission);
            }
            return Err(format!(
                "{name} needs the permission {:?}; add it to the manifest",
                permission.as_str()
            ));
        }
        (function.run)(self, args)
            .await
            .map_err(|why| format!("{name}: {why}"))
    }
}

impl HostCalls for Host {
    fn call<'a>(&'a self, name: &'a str, args: &'a str) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(self.serve(name, args))
    }

    fn call_from_filter<'a>(
        &'a self,
        name: &'a str,
        args: &'a str,
    ) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(IN_FILTER.scope((), self.serve(name, args)))
    }

    fn filter_ended(&self) {
        let left_out = self.call_state().filter_log.end();
        if let Some(text) = left_out {
            self.write_log(Level::Warning, &text);
        }
    }

    /// The functions left to a handler whose requests took too long: log the problem and try again later.
    fn is_instant(&self, name: &str) -> bool {
        name.starts_with("log_") || name.starts_with("timer_")
    }

    /// The code's registration has to match what the operator approved.
    fn agree(&self, registration: &Registration) -> Result<(), String> {
        let own = self.slug();
        let said = registration.slug.as_deref();
        if let Some(other) = said.filter(|slug| *slug != own) {
            return Err(format!(
                "the code says that it is {other:?}, the manifest says {own:?}"
            ));
        }
        agree(registration, self.plugin.permissions).map_err(|error| error.to_string())
    }

    fn enter(&self, occasion: Occasion) {
        if self.parts.rate_limit_mode == RateLimitMode::Call {
            self.chat_rate_limit.forget();
            self.log_limit.forget();
        }
        // Nothing reports the end of the module body.
        self.end_log();
        let mut call_state = self.call_state();
        call_state.occasion = occasion;
        call_state.session.clear();
    }

    fn leave(&self) -> Vec<SessionChange> {
        self.end_log();
        let mut call_state = self.call_state();
        call_state.occasion = Occasion::Other;
        std::mem::take(&mut call_state.session)
    }

    fn failed(&self, error: &str) {
        let error = log::bounded_traceback(error);
        if self.take_log_line(error.len()) {
            self.parts.services.failed(self.slug(), &error);
        }
    }

    /// Timers are dropped: their callbacks died with the instance.
    fn instance_ended(&self) {
        self.timers.clear_all();
        self.leave();
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("slug", &self.slug())
            .finish_non_exhaustive()
    }
}
