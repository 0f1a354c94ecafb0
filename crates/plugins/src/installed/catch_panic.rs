//! A loader whose panics only end the call: the plugin manager handles all plugins and must outlive each of them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::{Loader, RunFacts};
use crate::manifest::Slug;
use crate::package::Package;
use crate::permission::Permissions;

/// What the operator reads of it; the log has the rest.
const FAILED: &str =
    "the server failed while loading the plugin, which is a bug in the server: see its log";

/// Forwards every call.
#[derive(Debug)]
pub(super) struct CatchPanic(pub(super) Arc<dyn Loader>);

impl Loader for CatchPanic {
    fn try_load<'a>(&'a self, package: &'a Arc<Package>) -> BoxFuture<'a, Result<(), String>> {
        let slug = &package.manifest().slug;
        Box::pin(async move {
            let tried = AssertUnwindSafe(async { self.0.try_load(package).await });
            let tried = tried.catch_unwind().await;
            tried.unwrap_or_else(|panic| Err(failed(slug, &*panic)))
        })
    }

    fn load<'a>(
        &'a self,
        package: &'a Arc<Package>,
        granted: Permissions,
    ) -> BoxFuture<'a, Result<(), String>> {
        let slug = &package.manifest().slug;
        Box::pin(async move {
            let loaded = AssertUnwindSafe(async { self.0.load(package, granted).await });
            let loaded = loaded.catch_unwind().await;
            loaded.unwrap_or_else(|panic| Err(failed(slug, &*panic)))
        })
    }

    fn unload<'a>(&'a self, slug: &'a Slug) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let unloaded = AssertUnwindSafe(async { self.0.unload(slug).await });
            if let Err(panic) = unloaded.catch_unwind().await {
                failed(slug, &*panic);
            }
        })
    }

    fn retain<'a>(&'a self, present: &'a [Slug]) -> BoxFuture<'a, ()> {
        self.0.retain(present)
    }

    fn facts(&self, slug: &Slug) -> Option<RunFacts> {
        let facts = catch_unwind(AssertUnwindSafe(|| self.0.facts(slug)));
        facts.unwrap_or_else(|panic| {
            failed(slug, &*panic);
            None
        })
    }
}

/// Logs a panic; returns a text for the operator.
fn failed(slug: &Slug, panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let panic = text.unwrap_or("no text");
    metrics::counter!("rillcast_panics_total", "where" => "plugins").increment(1);
    tracing::error!(plugin = %slug, panic, "the server failed while it handled a plugin");
    FAILED.to_owned()
}
