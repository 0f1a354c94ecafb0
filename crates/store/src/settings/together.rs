//! Several settings as one change, by the operator or by moderators. Moderators may tighten them, and take back what
//! they tightened: the operator's own values are kept beneath theirs.

use std::sync::Arc;

use jiff::Timestamp;
use model::settings::{AnySetting, SettingValue};
use serde_json::{Map, Value};
use sqlx::Row;

use super::{SetError, Settings, describe, facts, put_plain};
use crate::Actor;
use crate::chat::note_restriction;
use crate::error::StoreError;
use crate::writer::Tx;

/// The row beside the settings that has, by their keys, what the operator chose where moderators are stricter now.
const OF_OPERATOR: &str = "operator_values";

/// A setting with the value it is to have.
type Change = (&'static dyn AnySetting, SettingValue);

impl Settings {
    /// Checks, stores, logs and publishes plain values, all of them or none. Moderators cannot make a setting looser
    /// than the operator did.
    pub async fn set_together(
        &self,
        changes: Vec<(&'static dyn AnySetting, Value)>,
        actor: Actor,
        at: Timestamp,
    ) -> Result<(), SetError> {
        let mut accepted: Vec<Change> = Vec::with_capacity(changes.len());
        for (setting, value) in changes {
            let key = setting.meta().key;
            let refused = |error| SetError::Refused { key, error };
            let value = setting.accept(value).map_err(refused)?;
            let layers = self.now();
            let current = layers.current(setting);
            if !current.source.is_outside() {
                accepted.push((setting, value));
            } else if current.value.json != value.json {
                let source_name = describe(&current.source);
                return Err(SetError::Locked { key, source_name });
            }
        }
        let layers = self.layers.clone();
        let written = self
            .store
            .write_events_and(
                at,
                move |tx| {
                    Box::pin(async move {
                        let mut events = Vec::new();
                        let changed = match apply(tx, accepted, &actor, at).await? {
                            Ok(changed) => changed,
                            Err(key) => return Ok((Err(key), events)),
                        };
                        for (setting, value) in &changed {
                            events.extend(facts(setting.meta().key, &value.json));
                        }
                        Ok((Ok(changed), events))
                    })
                },
                move |outcome: &Result<Vec<Change>, &'static str>| {
                    let Ok(changed) = outcome else { return };
                    for (setting, value) in changed {
                        let value = value.clone();
                        layers.send_modify(|layers| {
                            *layers = Arc::new(layers.with_stored(*setting, value));
                        });
                    }
                },
            )
            .await;
        match written {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(key)) => Err(SetError::OnlyOperator { key }),
            Err(error) => {
                // Whether it was written is unknown.
                if let Err(error) = self.refresh().await {
                    tracing::debug!(%error, "cannot reload the settings");
                }
                Err(error.into())
            }
        }
    }
}

/// Writes what differs from what is stored; the key of the first change that only the operator may make instead, before
/// anything is written.
async fn apply(
    tx: &mut Tx,
    wanted: Vec<Change>,
    actor: &Actor,
    at: Timestamp,
) -> Result<Result<Vec<Change>, &'static str>, StoreError> {
    let is_operator = *actor == Actor::operator();
    let mut beneath = of_operator(tx).await?;
    let before = beneath.clone();
    let mut changed = Vec::with_capacity(wanted.len());
    for (setting, value) in wanted {
        let key = setting.meta().key;
        let now = stored(tx, setting).await?;
        if is_operator {
            beneath.remove(key);
        } else if now != value.json {
            let own = beneath.get(key).unwrap_or(&now).clone();
            if is_looser(&value.json, &own) {
                return Ok(Err(key));
            }
            if own == value.json {
                beneath.remove(key);
            } else {
                beneath.insert(key.to_owned(), own);
            }
        }
        // What is so already is not logged.
        if now != value.json {
            changed.push((setting, value));
        }
    }
    for (setting, value) in &changed {
        let (key, json) = (setting.meta().key, value.json.to_string());
        note_restriction(tx, format!("{key}={json}"), actor, at).await?;
        put_plain(tx, key, json, at).await?;
    }
    if beneath != before {
        let json = Value::Object(beneath).to_string();
        put_plain(tx, OF_OPERATOR, json, at).await?;
    }
    Ok(Ok(changed))
}

/// The operator has chosen a value: there is nothing beneath it any more.
pub(super) async fn forget_beneath(
    tx: &mut Tx,
    key: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let mut beneath = of_operator(tx).await?;
    if beneath.remove(key).is_some() {
        let json = Value::Object(beneath).to_string();
        put_plain(tx, OF_OPERATOR, json, at).await?;
    }
    Ok(())
}

/// Less than the other brake: off instead of on, or a smaller number.
fn is_looser(value: &Value, than: &Value) -> bool {
    match (value, than) {
        (Value::Bool(value), Value::Bool(than)) => !value && *than,
        _ => value.as_u64() < than.as_u64(),
    }
}

async fn of_operator(tx: &mut Tx) -> Result<Map<String, Value>, StoreError> {
    match row(tx, OF_OPERATOR).await? {
        Some(Value::Object(values)) => Ok(values),
        _ => Ok(Map::new()),
    }
}

/// The value that the database has, which another server may have changed a moment ago.
async fn stored(tx: &mut Tx, setting: &'static dyn AnySetting) -> Result<Value, StoreError> {
    let json = row(tx, setting.meta().key).await?;
    let accepted = json.and_then(|json| setting.accept(json).ok());
    Ok(accepted.unwrap_or_else(|| setting.default_value()).json)
}

async fn row(tx: &mut Tx, key: &str) -> Result<Option<Value>, StoreError> {
    let row = sqlx::query("SELECT value FROM settings WHERE key = $1")
        .bind(key.to_owned())
        .fetch_optional(&mut *tx)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let text: String = row.try_get("value")?;
    let parsed = serde_json::from_str(&text);
    parsed
        .map(Some)
        .map_err(|error| StoreError::unreadable("setting", error))
}
