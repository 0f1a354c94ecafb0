//! Layered sources: defaults < database < file < environment < flags.

use std::any::Any;
use std::collections::BTreeMap;

use serde_json::Value;

use super::TABLE;
use super::setting::{AnySetting, Setting, SettingError, SettingValue};

/// Where a value comes from; later ones win.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingSource {
    /// Nobody set it.
    Default,
    /// The admin pages or API.
    Database,
    /// A configuration file; its path.
    File(String),
    /// An environment variable; its name.
    Environment(String),
    /// The command line; the flag.
    Flag(String),
}

impl SettingSource {
    /// The name on the wire.
    pub fn as_str(&self) -> &'static str {
        match self {
            SettingSource::Default => "default",
            SettingSource::Database => "database",
            SettingSource::File(_) => "file",
            SettingSource::Environment(_) => "environment",
            SettingSource::Flag(_) => "flag",
        }
    }

    /// Which file, variable or flag; empty for the first two.
    pub fn name(&self) -> &str {
        match self {
            SettingSource::Default | SettingSource::Database => "",
            SettingSource::File(name)
            | SettingSource::Environment(name)
            | SettingSource::Flag(name) => name,
        }
    }

    /// Values from outside the database cannot be changed in the admin pages.
    pub fn is_outside(&self) -> bool {
        !matches!(self, SettingSource::Default | SettingSource::Database)
    }
}

/// A setting's effective value and its source.
#[derive(Clone, Debug)]
pub struct EffectiveValue {
    pub value: SettingValue,
    pub source: SettingSource,
}

/// Values given outside the database, already layered.
#[derive(Clone, Debug, Default)]
pub struct ExternalSettings(BTreeMap<&'static str, EffectiveValue>);

impl ExternalSettings {
    /// Adds a value; the highest source wins.
    pub fn add(
        &mut self,
        setting: &'static dyn AnySetting,
        value: SettingValue,
        source: SettingSource,
    ) {
        let known = self.0.get(setting.meta().key);
        if known.is_none_or(|known| known.source <= source) {
            self.0
                .insert(setting.meta().key, EffectiveValue { value, source });
        }
    }
}

/// Every setting with its effective value; an immutable snapshot.
#[derive(Clone, Debug)]
pub struct Layers {
    current: BTreeMap<&'static str, EffectiveValue>,
}

impl Layers {
    /// Layers the stored and external values over the defaults.
    ///
    /// A stored value that no longer passes its rule (written by another version) falls back to the default and is
    /// reported, so that the server still starts.
    pub fn compose(
        stored: &BTreeMap<String, Value>,
        outside: &ExternalSettings,
    ) -> (Self, Vec<(String, SettingError)>) {
        let mut refused = Vec::new();
        let mut current = BTreeMap::new();
        for &setting in TABLE {
            let key = setting.meta().key;
            let mut entry = EffectiveValue {
                value: setting.default_value(),
                source: SettingSource::Default,
            };
            if let Some(json) = stored.get(key) {
                match setting.accept(json.clone()) {
                    Ok(value) => {
                        entry = EffectiveValue {
                            value,
                            source: SettingSource::Database,
                        }
                    }
                    Err(error) => refused.push((key.to_owned(), error)),
                }
            }
            if let Some(given) = outside.0.get(key) {
                entry = given.clone();
            }
            current.insert(key, entry);
        }
        (Self { current }, refused)
    }

    /// The effective value with its type.
    pub fn get<T: Any>(&self, setting: &'static Setting<T>) -> &T {
        self.current
            .get(setting.meta.key)
            .and_then(|current| current.value.typed.downcast_ref::<T>())
            .expect("compose fills every setting of the table with a value of its own type")
    }

    /// As [`Layers::get`], for text.
    pub fn text(&self, setting: &'static Setting<String>) -> &str {
        self.get::<String>(setting)
    }

    /// The effective value with its source, for code that iterates over the table.
    pub fn current(&self, setting: &dyn AnySetting) -> &EffectiveValue {
        self.current
            .get(setting.meta().key)
            .expect("compose fills every setting of the table")
    }

    /// The same snapshot with one value replaced, as after a committed write.
    pub fn with_stored(&self, setting: &'static dyn AnySetting, value: SettingValue) -> Self {
        let mut next = self.clone();
        next.current.insert(
            setting.meta().key,
            EffectiveValue {
                value,
                source: SettingSource::Database,
            },
        );
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{NAME, NSFW, TAGS};
    use super::super::{Meta, TABLE, by_key, by_path};
    use super::*;

    fn outside(entries: &[(&str, &str, SettingSource)]) -> ExternalSettings {
        let mut outside = ExternalSettings::default();
        for (key, text, source) in entries {
            let setting = by_key(key).unwrap();
            outside.add(setting, setting.accept_text(text).unwrap(), source.clone());
        }
        outside
    }

    #[test]
    fn later_sources_win_over_earlier_ones() {
        let stored = BTreeMap::from([("name".to_owned(), Value::from("stored"))]);
        let (layers, _) = Layers::compose(&stored, &ExternalSettings::default());
        assert_eq!(layers.get(&NAME), "stored");
        assert!(!*layers.get(&NSFW));

        let given = outside(&[
            ("name", "flag", SettingSource::Flag("--set".into())),
            ("name", "file", SettingSource::File("x.toml".into())),
            (
                "tags",
                "a, #b",
                SettingSource::Environment("RILLCAST_TAGS".into()),
            ),
        ]);
        let (layers, _) = Layers::compose(&stored, &given);
        assert_eq!(layers.get(&NAME), "flag");
        assert!(layers.current(&NAME).source.is_outside());
        assert_eq!(layers.get(&TAGS), &["a", "b"]);
    }

    #[test]
    fn a_stored_value_that_no_longer_fits_falls_back_to_the_default() {
        let stored = BTreeMap::from([("nsfw".to_owned(), Value::from("perhaps"))]);
        let (layers, refused) = Layers::compose(&stored, &ExternalSettings::default());
        assert!(!*layers.get(&NSFW));
        assert_eq!(refused[0].0, "nsfw");
    }

    #[test]
    fn every_default_but_the_stream_keys_passes_its_own_rule() {
        for setting in TABLE
            .iter()
            .filter(|setting| setting.meta().key != "stream_keys")
        {
            let default = setting.default_value().json;
            let accepted = setting.accept(default.clone()).unwrap();
            assert_eq!(accepted.json, default, "{}", setting.meta().key);
        }
    }

    #[test]
    fn keys_paths_and_pointers_are_unique() {
        let columns: [fn(&Meta) -> &'static str; 3] =
            [|meta| meta.key, |meta| meta.path, |meta| meta.pointer];
        for column in columns {
            let mut names: Vec<_> = TABLE.iter().map(|setting| column(setting.meta())).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), TABLE.len());
        }
        assert!(by_path("serversummary").is_some());
    }

    #[test]
    fn text_is_read_by_kind() {
        let read = |key: &str, text: &str| {
            by_key(key)
                .unwrap()
                .accept_text(text)
                .map(|value| value.json)
        };
        assert_eq!(read("nsfw", "yes"), Ok(Value::Bool(true)));
        assert!(read("nsfw", "maybe").is_err());
        assert_eq!(
            read("tags", r#"["a","b"]"#),
            Ok(serde_json::json!(["a", "b"]))
        );
        assert!(read("stream_keys", "abc123").is_err());
        assert!(read("stream_keys", r#"[{"key":"abc123"}]"#).is_ok());
    }
    proptest::proptest! {
        #[test]
        fn an_accepted_value_is_accepted_again_unchanged(index in 0..TABLE.len(), text in "\\PC{0,80}") {
            let setting = TABLE[index];
            if let Ok(first) = setting.accept_text(&text) {
                let second = setting.accept(first.json.clone()).unwrap();
                proptest::prop_assert_eq!(second.json, first.json);
            }
        }
    }
}
