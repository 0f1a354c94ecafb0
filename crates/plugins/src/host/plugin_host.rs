//! The one way in.

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
    /// Set where a filter asks: it has nothing to do with the request or the event that is handled at the same time.
    static IN_FILTER: ();
}
/// What a line about something that was refused is counted as.
const REFUSAL_BYTES: usize = 200;

/// What a plugin's instance can call in the server.
pub trait HostCalls: Send + Sync + fmt::Debug {
    /// Does what `name` says with the JSON object `args`, and answers with JSON text. An error is a sentence for the
    /// plugin's author; what Python makes of it is decided there.
    fn call<'a>(&'a self, name: &'a str, args: &'a str) -> BoxFuture<'a, Result<String, String>>;

    /// As [`HostCalls::call`], by a filter that runs beside the call the plugin is in, or in the middle of it.
    fn call_from_filter<'a>(
        &'a self,
        name: &'a str,
        args: &'a str,
    ) -> BoxFuture<'a, Result<String, String>> {
        self.call(name, args)
    }

    /// A filter that asked by [`HostCalls::call_from_filter`] has given its verdict.
    fn filter_ended(&self) {}

    /// Whether a call of this name waits for nothing: it is made even when the plugin may wait no more.
    fn is_instant(&self, _name: &str) -> bool {
        false
    }

    /// Whether an instance that registered this may run; it is asked at every start. The error is why not.
    fn agree(&self, _registration: &Registration) -> Result<(), String> {
        Ok(())
    }

    /// Says in what the plugin is called next.
    fn enter(&self, _occasion: Occasion) {}

    /// Says that the call is over; returns what it wants changed about the viewer's session, of which the last counts.
    fn leave(&self) -> Vec<SessionChange> {
        Vec::new()
    }

    /// Says that a call failed, and how: a traceback among others.
    fn failed(&self, _error: &str) {}

    /// Says that the plugin's instance is gone, and with it what it would be called back for.
    fn instance_ended(&self) {}
}

/// In what a plugin is called at the moment. Calls into one plugin follow one another, so there is one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occasion {
    /// It is being loaded, or makes content.
    #[default]
    Other,
    /// It handles an event that was caused by this many emitted events in a row.
    Event {
        /// 0 for an event of the server itself.
        depth: u8,
    },
    /// It answers an HTTP request.
    Http,
}

/// Everything one loaded plugin may ask for.
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
    /// Files of the package are unpacked one at a time, however many were asked for and given up.
    pub(super) unpacking: Arc<Semaphore>,
    call_state: Mutex<CallState>,
}

#[derive(Debug, Default)]
struct CallState {
    occasion: Occasion,
    session: Vec<SessionChange>,
    log: CallLogBudget,
    /// Of a filter that runs beside the call, or in the middle of it.
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

/// Whether a filter asks, and not the call the plugin is in.
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

    /// The timer that is due first, if it is until then: its time and its id. For clocks that are moved by hand.
    pub(crate) fn take_due_timer(&self, until: Timestamp) -> Option<(Timestamp, i64)> {
        self.timers.take_due(until)
    }

    /// A timer is made to fire by hand, at that moment.
    pub(crate) fn timer_fired(&self, id: i64, at: Timestamp) {
        self.timers.fired(id, at);
    }

    /// Ends everything the plugin has under way; later calls are refused.
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

    /// Counts a message for the log, and says whether it may be written.
    pub(super) fn may_log(&self, bytes: usize) -> bool {
        let has_room = self.call_state().log_budget().take(bytes);
        has_room && self.take_log_line(bytes)
    }

    /// Counts a refusal for the log, and says whether it may be written.
    pub(super) fn may_log_refusal(&self) -> bool {
        let has_room = self.call_state().log_budget().take_refusal();
        has_room && self.take_log_line(REFUSAL_BYTES)
    }

    /// Writes a line of the plugin's own, or about it, that no call counts.
    pub(super) fn write_log(&self, level: Level, text: &str) {
        let text = log::tidy(text);
        if self.take_log_line(text.len()) {
            self.parts.services.log(self.slug(), level, &text);
        }
    }

    /// Keeps a line that the plugin printed; how much it may print in one call was counted already.
    pub(crate) fn printed(&self, level: Level, text: &str) {
        self.write_log(level, text);
    }

    /// Whether there is room for one more line about this plugin in the server's log. The first one that is left out is
    /// replaced by a line which says so.
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

    /// A call is over: the next one may log again.
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

    /// What is left to a handler whose requests took too long: to say so, and to try again later.
    fn is_instant(&self, name: &str) -> bool {
        name.starts_with("log_") || name.starts_with("timer_")
    }

    /// What the code registered has to be what the operator agreed to.
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
        // Nobody says when the module body has run.
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

    /// Timers are forgotten: their callbacks died with the instance.
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
