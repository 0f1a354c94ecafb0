//! Plugins that run, as those who serve pages see them.
//!
//! A trait besides the runtime itself: what viewers are shown of plugins can be tried without an engine.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::engine::CallKind;
use crate::host::SseHub;
use crate::installed::Loader;
use crate::instances::AskError;
use crate::manifest::{Action, Manifest};
use crate::package::Package;
use crate::permission::Permissions;
use crate::runtime::{self, HttpAnswer, Runtime};

/// All plugins that run.
pub trait RunningPlugins: Debug + Send + Sync {
    /// One that takes calls; `None` for one that is not loaded, has crashed or was switched off.
    fn running_plugin(&self, slug: &str) -> Option<Arc<dyn RunningPlugin>>;

    /// All that take calls, sorted by slug.
    fn running_plugins(&self) -> Vec<Arc<dyn RunningPlugin>>;

    /// Pages that listen to plugins.
    fn streams(&self) -> &Arc<SseHub>;
}

/// One plugin that runs.
pub trait RunningPlugin: Debug + Send + Sync {
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
pub trait PluginRuntime: Loader + RunningPlugins {}

impl<T: Loader + RunningPlugins> PluginRuntime for T {}

impl RunningPlugins for Runtime {
    fn running_plugin(&self, slug: &str) -> Option<Arc<dyn RunningPlugin>> {
        let plugin = Runtime::running_plugin(self, slug)?;
        Some(Arc::new(plugin))
    }

    fn running_plugins(&self) -> Vec<Arc<dyn RunningPlugin>> {
        let all = Runtime::running_plugins(self).into_iter();
        all.map(|plugin| Arc::new(plugin) as Arc<dyn RunningPlugin>)
            .collect()
    }

    fn streams(&self) -> &Arc<SseHub> {
        Runtime::streams(self)
    }
}

impl RunningPlugin for runtime::LoadedPlugin {
    fn package(&self) -> &Arc<Package> {
        runtime::LoadedPlugin::package(self)
    }

    fn permissions(&self) -> Permissions {
        runtime::LoadedPlugin::permissions(self)
    }

    fn ask(&self, kind: CallKind, input: String) -> BoxFuture<'_, Result<String, AskError>> {
        Box::pin(runtime::LoadedPlugin::ask(self, kind, input))
    }

    fn http(&self, request: String) -> BoxFuture<'_, Result<HttpAnswer, AskError>> {
        Box::pin(runtime::LoadedPlugin::http(self, request))
    }

    fn tell(&self, event: &str, payload: &str) {
        runtime::LoadedPlugin::tell(self, event, payload);
    }

    fn added_actions(&self) -> BoxFuture<'_, Vec<Action>> {
        Box::pin(self.runtime_actions())
    }
}
