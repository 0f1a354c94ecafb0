//! Running plugins, for the code that serves their pages.
//!
//! This is a trait besides the runtime, so that serving can be tested without an engine.

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

/// All running plugins.
pub trait RunningPlugins: Debug + Send + Sync {
    /// A plugin that accepts calls; `None` if it is not loaded, has crashed or was disabled.
    fn running_plugin(&self, slug: &str) -> Option<Arc<dyn RunningPlugin>>;

    /// All plugins that accept calls, sorted by slug.
    fn running_plugins(&self) -> Vec<Arc<dyn RunningPlugin>>;

    /// The listening pages.
    fn streams(&self) -> &Arc<SseHub>;
}

/// A running plugin.
pub trait RunningPlugin: Debug + Send + Sync {
    /// The loaded package.
    fn package(&self) -> &Arc<Package>;

    /// What the operator approved.
    fn permissions(&self) -> Permissions;

    /// Asks for content or a verdict.
    fn ask(&self, kind: CallKind, input: String) -> BoxFuture<'_, Result<String, AskError>>;

    /// Passes it a request, see [`crate::http`].
    fn http(&self, request: String) -> BoxFuture<'_, Result<HttpAnswer, AskError>>;

    /// Sends an event to this plugin only; the payload is JSON. Never waits.
    fn tell(&self, event: &str, payload: &str);

    /// The buttons it added at run time.
    fn added_actions(&self) -> BoxFuture<'_, Vec<Action>>;

    fn manifest(&self) -> &Manifest {
        self.package().manifest()
    }

    fn slug(&self) -> &str {
        self.manifest().slug.as_str()
    }
}

/// Loads plugins and gives access to the running ones.
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
