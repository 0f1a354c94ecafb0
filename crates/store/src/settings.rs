//! The settings in force: stored values, overridden by external ones, as one live snapshot.

mod together;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use model::Event;
use model::settings::table::STREAM_TITLE;
use model::settings::{AnySetting, ExternalSettings, Layers, SettingError, SettingSource, TABLE};
use serde_json::Value;
use sqlx::Row;
use thiserror::Error;
use tokio::sync::watch;

use crate::database::Store;
use crate::error::StoreError;
use crate::log_follower::LogFollower;
use crate::secrets::put_sealed;
use crate::users::time;

/// Between two attempts to read what another server has changed.
const RETRY: Duration = Duration::from_millis(500);

/// A cloneable handle; [`Settings::now`] is cheap enough for every request.
#[derive(Clone, Debug)]
pub struct Settings {
    store: Store,
    outside: Arc<ExternalSettings>,
    layers: watch::Sender<Arc<Layers>>,
}

/// Why a setting was not changed.
#[derive(Debug, Error)]
pub enum SetError {
    /// The value breaks the setting's rule.
    #[error("{key} {error}")]
    Refused {
        key: &'static str,
        error: SettingError,
    },
    /// The value is set by a file, the environment or a flag.
    #[error(
        "{key} is set by {source_name} and cannot be changed here; change it there and restart"
    )]
    Locked {
        key: &'static str,
        /// The file, variable or flag.
        source_name: String,
    },
    /// A moderator wants it looser than the operator has it.
    #[error("only the operator can make {key} looser than it was set")]
    OnlyOperator { key: &'static str },
    /// The database failed to store it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Settings {
    /// Loads the stored values and applies the external ones.
    pub async fn load(store: Store, outside: &ExternalSettings) -> Result<Self, StoreError> {
        // Before the values are read: a change in between comes by the log.
        let log = store.follow_log().await?;
        let layers = read_layers(&store, outside).await?;
        let outside = Arc::new(outside.clone());
        let settings = Self {
            store,
            outside,
            layers: watch::Sender::new(Arc::new(layers)),
        };
        if let Some(log) = log {
            tokio::spawn(settings.clone().follow(log));
        }
        Ok(settings)
    }

    /// Reloads the stored values: after a write whose outcome is unknown, or after another process has written.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        loop {
            let before = self.now();
            let layers = read_layers(&self.store, &self.outside).await?;
            let mut is_untouched = false;
            self.layers.send_if_modified(|current| {
                // A write committed meanwhile has published something newer than what was read, but knows nothing of
                // what another process has written: then both are read.
                is_untouched = Arc::ptr_eq(current, &before);
                if is_untouched {
                    *current = Arc::new(layers);
                }
                is_untouched
            });
            if is_untouched {
                return Ok(());
            }
        }
    }

    /// Reloads the stored values whenever the log says that one has changed; ends with the store.
    async fn follow(self, mut log: LogFollower) {
        while let Some(events) = log.next().await {
            let is_meant = |event: &Event| matches!(event, Event::SettingChanged { .. });
            if !events.iter().any(|logged| is_meant(&logged.event)) {
                continue;
            }
            while let Err(error) = self.refresh().await {
                if log.is_closed() {
                    return;
                }
                tracing::warn!(%error, "cannot reload the settings that another server has changed; trying again");
                tokio::time::sleep(RETRY).await;
            }
        }
    }

    /// The settings in force.
    pub fn now(&self) -> Arc<Layers> {
        Arc::clone(&self.layers.borrow())
    }

    /// Wakes when a value changes.
    pub fn changes(&self) -> watch::Receiver<Arc<Layers>> {
        self.layers.subscribe()
    }

    /// Checks, stores and publishes a value; returns once it is durable and in force.
    pub async fn set(
        &self,
        setting: &'static dyn AnySetting,
        value: Value,
        at: Timestamp,
    ) -> Result<(), SetError> {
        let meta = setting.meta();
        let source = self.now().current(setting).source.clone();
        if source.is_outside() {
            return Err(SetError::Locked {
                key: meta.key,
                source_name: describe(&source),
            });
        }
        let accepted = setting.accept(value).map_err(|error| SetError::Refused {
            key: meta.key,
            error,
        })?;
        let json = accepted.json.to_string();
        let sealed = match meta.is_secret {
            true => Some(self.store.vault.seal(meta.key, json.as_bytes())?),
            false => None,
        };
        let events = facts(meta.key, &accepted.json);
        let layers = self.layers.clone();
        let written = self
            .store
            .write_events_and(
                at,
                move |tx| {
                    Box::pin(async move {
                        match sealed {
                            Some(sealed) => put_sealed(tx, meta.key, sealed, at).await?,
                            None => put_plain(tx, meta.key, json, at).await?,
                        }
                        together::forget_beneath(tx, meta.key, at).await?;
                        Ok(((), events))
                    })
                },
                // In commit order, so that two writers of one key leave memory and database equal.
                move |()| {
                    layers.send_modify(|layers| {
                        *layers = Arc::new(layers.with_stored(setting, accepted))
                    });
                },
            )
            .await;
        if written.is_err()
            && let Err(error) = self.refresh().await
        {
            // The database is unreachable; what is in memory is the best there is.
            tracing::debug!(%error, "cannot reload the settings");
        }
        Ok(written?)
    }
}

/// The events that log a change.
fn facts(key: &str, value: &Value) -> Vec<Event> {
    let mut facts = vec![Event::SettingChanged {
        key: key.to_owned(),
    }];
    if key == STREAM_TITLE.meta.key {
        facts.push(Event::StreamTitleChanged {
            title: value.as_str().unwrap_or_default().to_owned(),
        });
    }
    facts
}

/// Names the source of a value for a message.
fn describe(source: &SettingSource) -> String {
    match source {
        SettingSource::File(name) => format!("the file {name}"),
        SettingSource::Environment(name) => format!("the environment variable {name}"),
        SettingSource::Flag(name) => format!("the flag {name}"),
        SettingSource::Default | SettingSource::Database => source.as_str().to_owned(),
    }
}

impl Store {
    /// Since when a stored setting has its value; `None` if it was never set here.
    pub async fn setting_changed_at(
        &self,
        key: &'static str,
    ) -> Result<Option<Timestamp>, StoreError> {
        let row = sqlx::query("SELECT updated_at FROM settings WHERE key = $1")
            .bind(key)
            .fetch_optional(&self.readers)
            .await?;
        row.map(|row| time(row.try_get("updated_at")?)).transpose()
    }
}

/// The time of a value stays when the same value is set again.
async fn put_plain(
    tx: &mut crate::Tx,
    key: &str,
    json: String,
    at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO settings (key, value, updated_at) VALUES ($1, $2, $3) \
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = \
         CASE WHEN settings.value = excluded.value THEN settings.updated_at ELSE excluded.updated_at END",
    )
    .bind(key)
    .bind(json)
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

async fn read_layers(store: &Store, outside: &ExternalSettings) -> Result<Layers, StoreError> {
    let (layers, refused) = Layers::compose(&read_stored(store).await?, outside);
    for (key, error) in refused {
        tracing::warn!(key, %error, "a stored setting is no longer valid, using the default");
    }
    Ok(layers)
}

async fn read_stored(store: &Store) -> Result<BTreeMap<String, Value>, StoreError> {
    let parse = |text: &[u8]| {
        serde_json::from_slice(text).map_err(|error| StoreError::unreadable("setting", error))
    };
    let mut stored = BTreeMap::new();
    let rows = sqlx::query("SELECT key, value FROM settings")
        .fetch_all(&store.readers)
        .await?;
    for row in rows {
        let value: String = row.try_get("value")?;
        stored.insert(row.try_get("key")?, parse(value.as_bytes())?);
    }
    for setting in TABLE.iter().filter(|setting| setting.meta().is_secret) {
        let key = setting.meta().key;
        if let Some(clear) = store.secret(key).await? {
            stored.insert(key.to_owned(), parse(&clear)?);
        }
    }
    Ok(stored)
}
