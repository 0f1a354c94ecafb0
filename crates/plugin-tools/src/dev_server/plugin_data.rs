//! A plugin's stored data on the development server: in memory, with a server's limits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plugins::host::{PluginData, ServiceFuture};
use plugins::manifest::Action;
use serde_json::Value;
use store::plugins::{KvRefusal, MAX_KEYS, MAX_VALUES_BYTES};

use super::sample_server::SampleServer;

/// Keys and buttons; lost when the server stops.
#[derive(Debug)]
pub(super) struct InMemoryPluginData {
    sample_server: Arc<SampleServer>,
    inner: Mutex<KeyValues>,
}

#[derive(Debug, Default)]
struct KeyValues {
    values: BTreeMap<String, String>,
    /// The total of all keys and values.
    bytes: usize,
    actions: Vec<Action>,
}

impl InMemoryPluginData {
    pub(super) fn new(sample_server: Arc<SampleServer>) -> Self {
        Self {
            sample_server,
            inner: Mutex::default(),
        }
    }

    /// Calls `look` with the keys and values, in key order.
    pub(super) fn values<T>(&self, look: impl FnOnce(&BTreeMap<String, String>) -> T) -> T {
        look(&self.inner().values)
    }

    fn inner(&self) -> MutexGuard<'_, KeyValues> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyValues {
    fn set(&mut self, key: &str, value: &str) -> Result<(), KvRefusal> {
        let former = self.values.get(key).map(|value| key.len() + value.len());
        let left = self.bytes - former.unwrap_or(0);
        if value.is_empty() {
            self.values.remove(key);
            self.bytes = left;
            return Ok(());
        }
        let bytes = left + key.len() + value.len();
        if former.is_none() && self.values.len() as u64 >= MAX_KEYS.unsigned_abs() {
            return Err(KvRefusal::Keys);
        }
        if bytes as u64 > MAX_VALUES_BYTES.unsigned_abs() {
            return Err(KvRefusal::Total);
        }
        self.values.insert(key.to_owned(), value.to_owned());
        self.bytes = bytes;
        Ok(())
    }
}

impl PluginData for InMemoryPluginData {
    fn kv_get<'a>(&'a self, _slug: &'a str, key: &'a str) -> ServiceFuture<'a, Option<String>> {
        let value = self.inner().values.get(key).cloned();
        Box::pin(std::future::ready(Ok(value)))
    }

    fn kv_set<'a>(&'a self, _slug: &'a str, key: &'a str, value: &'a str) -> ServiceFuture<'a, ()> {
        let outcome = self.inner().set(key, value);
        self.sample_server.values_changed();
        Box::pin(std::future::ready(
            outcome.map_err(|refused| refused.to_string()),
        ))
    }

    fn config<'a>(&'a self, _slug: &'a str) -> ServiceFuture<'a, BTreeMap<String, Value>> {
        Box::pin(std::future::ready(Ok(BTreeMap::new())))
    }

    fn actions<'a>(&'a self, _slug: &'a str) -> ServiceFuture<'a, Vec<Action>> {
        let actions = self.inner().actions.clone();
        Box::pin(std::future::ready(Ok(actions)))
    }

    fn set_actions<'a>(&'a self, _slug: &'a str, actions: &'a [Action]) -> ServiceFuture<'a, ()> {
        self.inner().actions = actions.to_vec();
        Box::pin(std::future::ready(Ok(())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_refused_as_on_a_server() {
        let mut inner = KeyValues::default();
        inner.set("a", "12345").unwrap();
        inner.set("a", "1").unwrap();
        assert_eq!((inner.bytes, inner.values.len()), (2, 1));
        inner.set("a", "").unwrap();
        assert_eq!((inner.bytes, inner.values.len()), (0, 0));
        inner.set("nothing", "").unwrap();

        let large = "x".repeat(1024 * 1024 - 1);
        for key in "abcdefghijklmnop".chars() {
            inner.set(&key.to_string(), &large).unwrap();
        }
        assert_eq!(inner.set("q", "x"), Err(KvRefusal::Total));
        inner.set("a", "").unwrap();
        inner.set("q", "x").unwrap();

        let mut inner = KeyValues::default();
        for key in 0..MAX_KEYS {
            inner.set(&key.to_string(), "x").unwrap();
        }
        assert_eq!(inner.set("one more", "x"), Err(KvRefusal::Keys));
        inner.set("0", "other").unwrap();
    }
}
