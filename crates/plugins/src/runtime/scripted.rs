//! Plugins without an engine, for tests of what calls plugins: everything but the instance is real.

use std::sync::Arc;

use super::load::host;
use super::{LoadedPlugin, Runtime};
use crate::engine::Registration;
use crate::host::Host;
use crate::instances::Mail;
use crate::package::Package;
use crate::permission::Permissions;

impl Runtime {
    /// Loads a package, replacing the one that runs under its slug; `answer` takes its mail. Returns its host, on which
    /// a test can make host calls for it.
    pub async fn load_scripted(
        &self,
        package: &Arc<Package>,
        granted: Permissions,
        registration: Registration,
        answer: impl FnMut(Mail) + Send + 'static,
    ) -> Result<Arc<Host>, String> {
        let manifest = Arc::new(package.manifest().clone());
        let host = host(package, &manifest, granted, self.0.parts.clone());
        let slug = manifest.slug.to_arc();
        self.end(&slug).await;
        let handle = self.0.instances.open_scripted(slug, registration, answer);
        let plugin = LoadedPlugin {
            manifest,
            package: Arc::clone(package),
            permissions: granted,
            host: Arc::clone(&host),
            handle,
            plugin_data: Arc::clone(&self.0.parts.plugin_data),
        };
        self.add(plugin).await?;
        Ok(host)
    }
}
