//! Keys, settings and buttons in the server's database.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use model::Clock;
use serde_json::Value;
use store::plugins::{PluginRecord, ValueKey};
use store::{Lease, Store};

use crate::host::parts::PluginData;
use crate::host::services::ServiceFuture;
use crate::manifest::Action;

/// What a plugin hears when the database fails; the operator reads the rest in the log.
const FAILED: &str = "the server's database failed, try again later";

/// The server's database as the plugins' storage.
#[derive(Clone, Debug)]
pub struct DatabasePluginData {
    /// Replaced with each lease; what was begun under an older one fails.
    store: Arc<RwLock<Store>>,
    clock: Arc<dyn Clock>,
}

impl DatabasePluginData {
    /// Stores everything in `store`.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self {
            store: Arc::new(RwLock::new(store)),
            clock,
        }
    }

    /// From now on everything is written under this lease: nothing more once another server runs the plugins.
    pub fn write_under(&self, lease: &Lease) {
        let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
        *store = store.under(lease);
    }

    fn store(&self) -> Store {
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
        store.clone()
    }

    async fn record(&self, slug: &str) -> Result<Option<PluginRecord>, String> {
        self.store().plugin_record(slug).await.map_err(failed(slug))
    }
}

impl PluginData for DatabasePluginData {
    fn kv_get<'a>(&'a self, slug: &'a str, key: &'a str) -> ServiceFuture<'a, Option<String>> {
        Box::pin(async move {
            let key = key_of(slug, key);
            self.store().plugin_value(&key).await.map_err(failed(slug))
        })
    }

    fn kv_set<'a>(&'a self, slug: &'a str, key: &'a str, value: &'a str) -> ServiceFuture<'a, ()> {
        Box::pin(async move {
            self.store()
                .set_plugin_value(key_of(slug, key), value.to_owned(), self.clock.now())
                .await
                .map_err(failed(slug))?
                .map_err(|refused| refused.to_string())
        })
    }

    fn config<'a>(&'a self, slug: &'a str) -> ServiceFuture<'a, BTreeMap<String, Value>> {
        Box::pin(async move {
            let record = self.record(slug).await?;
            let json = record.map_or_else(|| "{}".into(), |record| record.config);
            serde_json::from_str(&json).map_err(failed(slug))
        })
    }

    fn actions<'a>(&'a self, slug: &'a str) -> ServiceFuture<'a, Vec<Action>> {
        Box::pin(async move {
            let record = self.record(slug).await?;
            let json = record.map_or_else(|| "[]".into(), |record| record.actions);
            serde_json::from_str(&json).map_err(failed(slug))
        })
    }

    fn set_actions<'a>(&'a self, slug: &'a str, actions: &'a [Action]) -> ServiceFuture<'a, ()> {
        Box::pin(async move {
            let json = serde_json::to_string(actions).map_err(failed(slug))?;
            self.store()
                .set_plugin_actions(slug, json, self.clock.now())
                .await
                .map_err(failed(slug))
        })
    }
}

fn key_of(slug: &str, key: &str) -> ValueKey {
    ValueKey {
        slug: slug.to_owned(),
        key: key.to_owned(),
    }
}

fn failed<E: std::fmt::Display>(plugin: &str) -> impl FnOnce(E) -> String {
    move |error| {
        model::stranger_line!(
            error, "plugin_keeping", about plugin, plugin, %error,
            "what is kept for a plugin could not be read or written"
        );
        FAILED.into()
    }
}
