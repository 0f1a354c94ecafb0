//! Plugins that run, as those who serve pages see them.
//!
//! A trait besides the runtime itself: what viewers are shown of plugins can be tried without an engine.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::engine::CallKind;
use crate::host::Hub;
use crate::house::AskError;
use crate::manifest::{Action, Manifest};
use crate::package::Package;
use crate::permission::Permissions;
use crate::runtime::{self, HttpAnswer, Runtime};
use crate::shelf::Loader;

/// All plugins that run.
pub trait Guests: Debug + Send + Sync {
    /// One that takes calls; `None` for one that is not loaded, has crashed or was switched off.
    fn guest(&self, slug: &str) -> Option<Arc<dyn Guest>>;

    /// All that take calls, sorted by slug.
    fn guests(&self) -> Vec<Arc<dyn Guest>>;

    /// Pages that listen to plugins.
    fn streams(&self) -> &Arc<Hub>;
}

/// One plugin that runs.
pub trait Guest: Debug + Send + Sync {
    /// What was loaded.
    fn package(&self) -> &Arc<Package>;

    /// What the operator agreed to.
    fn permissions(&self) -> Permissions;

    /// Asks for content or a verdict.
    fn ask(&self, kind: CallKind, input: String) -> BoxFuture<'_, Result<String, AskError>>;

    /// Hands it a request, see [`crate::http`].
    fn http(&self, request: String) -> BoxFuture<'_, Result<HttpAnswer, AskError>>;

    /// Tells it of something that happened to it alone; the payload is JSON. Never waits.
    fn tell(&self, event: &str, payload: &str);

    /// The buttons it added while it ran.
    fn added_actions(&self) -> BoxFuture<'_, Vec<Action>>;

    /// What it says about itself.
    fn manifest(&self) -> &Manifest {
        self.package().manifest()
    }

    /// Who it is.
    fn slug(&self) -> &str {
        self.manifest().slug.as_str()
    }
}

/// Somebody who loads plugins and knows those that run.
pub trait Runner: Loader + Guests {}

impl<T: Loader + Guests> Runner for T {}

impl Guests for Runtime {
    fn guest(&self, slug: &str) -> Option<Arc<dyn Guest>> {
        let guest = Runtime::guest(self, slug)?;
        Some(Arc::new(guest))
    }

    fn guests(&self) -> Vec<Arc<dyn Guest>> {
        let all = Runtime::guests(self).into_iter();
        all.map(|guest| Arc::new(guest) as Arc<dyn Guest>).collect()
    }

    fn streams(&self) -> &Arc<Hub> {
        Runtime::streams(self)
    }
}

impl Guest for runtime::Guest {
    fn package(&self) -> &Arc<Package> {
        runtime::Guest::package(self)
    }

    fn permissions(&self) -> Permissions {
        runtime::Guest::permissions(self)
    }

    fn ask(&self, kind: CallKind, input: String) -> BoxFuture<'_, Result<String, AskError>> {
        Box::pin(runtime::Guest::ask(self, kind, input))
    }

    fn http(&self, request: String) -> BoxFuture<'_, Result<HttpAnswer, AskError>> {
        Box::pin(runtime::Guest::http(self, request))
    }

    fn tell(&self, event: &str, payload: &str) {
        runtime::Guest::tell(self, event, payload);
    }

    fn added_actions(&self) -> BoxFuture<'_, Vec<Action>> {
        Box::pin(self.runtime_actions())
    }
}
