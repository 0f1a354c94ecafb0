//! What is kept for a plugin in its author's workshop: in memory, within the limits of a server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use store::plugins::{KvRefusal, MAX_KEYS, MAX_VALUES_BYTES};

use super::bench::Bench;
use crate::host::{Answer, Keeping};
use crate::manifest::Action;

/// Keys and buttons; gone when the workshop closes.
#[derive(Debug)]
pub(super) struct Drawer {
    bench: Arc<Bench>,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    values: BTreeMap<String, String>,
    /// Of all keys and values.
    bytes: usize,
    actions: Vec<Action>,
}

impl Drawer {
    pub(super) fn new(bench: Arc<Bench>) -> Self {
        Self {
            bench,
            inside: Mutex::default(),
        }
    }

    /// Does something with the keys and values, in the order of the keys.
    pub(super) fn values<T>(&self, look: impl FnOnce(&BTreeMap<String, String>) -> T) -> T {
        look(&self.inside().values)
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
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

impl Keeping for Drawer {
    fn kv_get<'a>(&'a self, _slug: &'a str, key: &'a str) -> Answer<'a, Option<String>> {
        let value = self.inside().values.get(key).cloned();
        Box::pin(std::future::ready(Ok(value)))
    }

    fn kv_set<'a>(&'a self, _slug: &'a str, key: &'a str, value: &'a str) -> Answer<'a, ()> {
        let outcome = self.inside().set(key, value);
        self.bench.kept();
        Box::pin(std::future::ready(
            outcome.map_err(|refused| refused.to_string()),
        ))
    }

    fn config<'a>(&'a self, _slug: &'a str) -> Answer<'a, BTreeMap<String, Value>> {
        Box::pin(std::future::ready(Ok(BTreeMap::new())))
    }

    fn actions<'a>(&'a self, _slug: &'a str) -> Answer<'a, Vec<Action>> {
        let actions = self.inside().actions.clone();
        Box::pin(std::future::ready(Ok(actions)))
    }

    fn set_actions<'a>(&'a self, _slug: &'a str, actions: &'a [Action]) -> Answer<'a, ()> {
        self.inside().actions = actions.to_vec();
        Box::pin(std::future::ready(Ok(())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_refused_as_on_a_server() {
        let mut inside = Inside::default();
        inside.set("a", "12345").unwrap();
        inside.set("a", "1").unwrap();
        assert_eq!((inside.bytes, inside.values.len()), (2, 1));
        inside.set("a", "").unwrap();
        assert_eq!((inside.bytes, inside.values.len()), (0, 0));
        inside.set("nothing", "").unwrap();

        let large = "x".repeat(1024 * 1024 - 1);
        for key in "abcdefghijklmnop".chars() {
            inside.set(&key.to_string(), &large).unwrap();
        }
        assert_eq!(inside.set("q", "x"), Err(KvRefusal::Total));
        inside.set("a", "").unwrap();
        inside.set("q", "x").unwrap();

        let mut inside = Inside::default();
        for key in 0..MAX_KEYS {
            inside.set(&key.to_string(), "x").unwrap();
        }
        assert_eq!(inside.set("one more", "x"), Err(KvRefusal::Keys));
        inside.set("0", "other").unwrap();
    }
}
