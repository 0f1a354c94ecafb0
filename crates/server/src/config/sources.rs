//! Where each value was given, and errors that say so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::settings::{AnySetting, ExternalSettings, SettingSource, TABLE, by_key};
use model::typo::nearest;
use thiserror::Error;

use super::options::{OPTIONS, env_name, flag_name};
use crate::cli::Options;

/// Longest value an error repeats.
const MAX_SHOWN_CHARS: usize = 80;

/// Variables that other tools for plugins know by another name, and ours for them, which wins.
const SHARED_NAMES: [(&str, &str); 2] = [
    ("SERVICE_PLUGIN_REGISTRY", "RILLCAST_PLUGIN_REGISTRY"),
    (
        "SERVICE_PLUGIN_ALLOW_PRIVATE_NETWORK",
        "RILLCAST_PLUGIN_ALLOW_PRIVATE_NETWORK",
    ),
];

/// A value that cannot be used, in one line: key, value, source, reason.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A value breaks its rule.
    #[error("{key} = {value} ({origin}): {why}")]
    Value {
        key: String,
        /// As given; dots for secrets.
        value: String,
        /// Where it was found.
        origin: String,
        /// What is wrong and what would be right.
        why: String,
    },
    /// A key that does not exist.
    #[error("unknown key {key} ({origin}){hint}")]
    UnknownKey {
        key: String,
        /// Where it was found.
        origin: String,
        /// What may have been meant.
        hint: String,
    },
    /// The configuration file itself.
    #[error("cannot read the configuration file {path}: {why}")]
    File { path: PathBuf, why: String },
}

/// The flags, the environment and the file: the raw layers above the database.
#[derive(Debug, Default)]
pub struct ConfigSources {
    /// Key → value, from dedicated flags.
    flags: BTreeMap<&'static str, String>,
    /// Setting key → value, from `--set`.
    sets: BTreeMap<String, String>,
    /// Variables that start with `RILLCAST_`.
    env: BTreeMap<String, String>,
    file: Option<(PathBuf, toml::Table)>,
}

impl ConfigSources {
    /// The command line, this process's environment and the file they name.
    pub fn from_process(options: Options) -> Result<Self, ConfigError> {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that reads it"
        )]
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| {
                name.starts_with("RILLCAST_")
                    || SHARED_NAMES
                        .iter()
                        .any(|(shared, _)| *shared == name.as_str())
            })?;
            Some((name, value.to_string_lossy().into_owned()))
        });
        Self::new(options, variables.collect())
    }

    /// The same with an environment chosen by the caller.
    pub fn new(options: Options, mut env: BTreeMap<String, String>) -> Result<Self, ConfigError> {
        for (shared, own) in SHARED_NAMES {
            if let Some(value) = env.remove(shared) {
                env.entry(own.to_owned()).or_insert(value);
            }
        }
        let path = options
            .config
            .clone()
            .or_else(|| env.get("RILLCAST_CONFIG").map(PathBuf::from));
        let file = match path {
            Some(path) => Some((path.clone(), read_file(&path)?)),
            None => None,
        };
        let mut sources = Self {
            flags: BTreeMap::new(),
            sets: BTreeMap::new(),
            env,
            file,
        };
        sources.take_flags(options)?;
        sources.refuse_unknown_file_keys()?;
        Ok(sources)
    }

    fn take_flags(&mut self, options: Options) -> Result<(), ConfigError> {
        let yes = |is_given: bool| is_given.then(|| "true".to_owned());
        let joined = |list: Vec<String>| (!list.is_empty()).then(|| list.join(","));
        let flags = [
            ("data_dir", options.data_dir),
            ("listen", options.listen),
            ("rtmp_listen", options.rtmp_listen),
            ("database_url", options.database_url),
            ("secret_key_file", options.secret_key_file),
            ("cluster", options.cluster),
            ("nats", options.nats),
            ("nats_credentials", options.nats_credentials),
            ("node_name", options.node_name),
            ("roles", options.roles),
            ("node_header", yes(options.node_header)),
            ("s3_endpoint", options.s3_endpoint),
            ("s3_bucket", options.s3_bucket),
            ("s3_region", options.s3_region),
            ("s3_prefix", options.s3_prefix),
            ("s3_access_key", options.s3_access_key),
            ("s3_secret_key", options.s3_secret_key),
            ("s3_secret_key_file", options.s3_secret_key_file),
            ("server_url", options.server_url),
            ("admin_password", options.admin_password),
            ("stream_key", options.stream_key),
            ("initial_admin_password", options.initial_admin_password),
            (
                "initial_admin_password_file",
                options.initial_admin_password_file,
            ),
            ("initial_stream_key", options.initial_stream_key),
            ("initial_stream_key_file", options.initial_stream_key_file),
            ("tls_cert", options.tls_cert),
            ("tls_key", options.tls_key),
            ("trusted_proxies", options.trusted_proxies),
            ("ready_file", options.ready_file),
            ("log", options.log),
            ("log_format", options.log_format),
            ("plugin_engine", options.plugin_engine),
            ("plugin_engine_cache", options.plugin_engine_cache),
            ("plugin_registry", options.plugin_registry),
            (
                "plugin_allow_private_network",
                yes(options.plugin_allow_private_network),
            ),
            ("extra_ca", options.extra_ca),
            (
                "danger_allow_internal_addresses",
                yes(options.danger_allow_internal_addresses),
            ),
            (
                "danger_skip_tls_verify",
                yes(options.danger_skip_tls_verify),
            ),
            ("danger_resolve", joined(options.danger_resolve)),
        ];
        self.flags = flags
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect();
        for pair in options.set {
            let origin = "the flag --set".to_owned();
            let Some((key, value)) = pair.split_once('=') else {
                let why = "write --set key=value".to_owned();
                return Err(ConfigError::Value {
                    key: "set".into(),
                    value: shown(&pair),
                    origin,
                    why,
                });
            };
            if by_key(key.trim()).is_none() {
                return Err(unknown(key.trim(), origin));
            }
            self.sets.insert(key.trim().to_owned(), value.to_owned());
        }
        Ok(())
    }

    fn refuse_unknown_file_keys(&self) -> Result<(), ConfigError> {
        let Some((path, table)) = &self.file else {
            return Ok(());
        };
        match table.keys().find(|key| !is_known(key)) {
            Some(key) => Err(unknown(key, format!("the file {}", path.display()))),
            None => Ok(()),
        }
    }

    /// Variables with our prefix that mean nothing: worth a warning about a typo, but no reason to refuse to start.
    pub(super) fn unknown_variables(&self) -> Vec<String> {
        let known =
            |name: &str| name == "RILLCAST_CONFIG" || known_keys().any(|key| env_name(key) == name);
        let unknown = self.env.keys().filter(|name| !known(name));
        unknown
            .map(|name| format!("the unknown environment variable {name} was ignored"))
            .collect()
    }

    /// An option's value from the highest layer that has one.
    pub(super) fn option<T>(
        &self,
        key: &'static str,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        Ok(self.option_with_source(key, parse)?.map(|(value, _)| value))
    }

    pub(super) fn option_with_source<T>(
        &self,
        key: &'static str,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<Option<(T, SettingSource)>, ConfigError> {
        let Some((text, source)) = self.text(key)? else {
            return Ok(None);
        };
        match parse(&text) {
            Ok(value) => Ok(Some((value, source))),
            Err(why) => Err(self.error(key, &source, &why)),
        }
    }

    /// The text of an option and its source.
    fn text(&self, key: &'static str) -> Result<Option<(String, SettingSource)>, ConfigError> {
        if let Some(text) = self.flags.get(key) {
            return Ok(Some((text.clone(), SettingSource::Flag(flag_name(key)))));
        }
        if let Some(text) = self.env.get(&env_name(key)) {
            return Ok(Some((
                text.clone(),
                SettingSource::Environment(env_name(key)),
            )));
        }
        let Some((path, table)) = &self.file else {
            return Ok(None);
        };
        let Some(value) = table.get(key) else {
            return Ok(None);
        };
        let source = SettingSource::File(path.display().to_string());
        match plain_text(value) {
            Some(text) => Ok(Some((text, source))),
            None => Err(self.error(
                key,
                &source,
                "expected text, a number, true, false or a list of texts",
            )),
        }
    }

    /// Adds every layer's value of a setting to `outside`.
    pub(super) fn setting(
        &self,
        setting: &'static dyn AnySetting,
        outside: &mut ExternalSettings,
    ) -> Result<(), ConfigError> {
        let meta = setting.meta();
        if let Some((path, table)) = &self.file
            && let Some(value) = table.get(meta.key)
        {
            let source = SettingSource::File(path.display().to_string());
            let json = serde_json::to_value(value)
                .map_err(|error| self.error(meta.key, &source, &error.to_string()))?;
            let accepted = setting
                .accept(json)
                .map_err(|error| self.error(meta.key, &source, &error.to_string()))?;
            outside.add(setting, accepted, source);
        }
        let texts = [
            (
                self.env.get(&meta.env_name()),
                SettingSource::Environment(meta.env_name()),
            ),
            (self.sets.get(meta.key), SettingSource::Flag("--set".into())),
            (
                self.flags.get(meta.key),
                SettingSource::Flag(flag_name(meta.key)),
            ),
        ];
        for (text, source) in texts {
            let Some(text) = text else { continue };
            let accepted = setting
                .accept_text(text)
                .map_err(|error| self.error(meta.key, &source, &error.to_string()))?;
            outside.add(setting, accepted, source);
        }
        Ok(())
    }

    /// The error for an option that makes no sense alone.
    pub(super) fn incomplete(&self, key: &'static str, why: &str) -> ConfigError {
        match self.text(key) {
            Ok(Some((_, source))) => self.error(key, &source, why),
            Ok(None) | Err(_) => self.error(key, &SettingSource::Default, why),
        }
    }

    /// The error for a value of `key` found at `source`.
    pub(super) fn error(&self, key: &str, source: &SettingSource, why: &str) -> ConfigError {
        let is_secret = OPTIONS
            .iter()
            .any(|option| option.key == key && option.is_secret)
            || by_key(key).is_some_and(|setting| setting.meta().is_secret);
        let value = match source {
            SettingSource::Flag(name) if name == "--set" => self.sets.get(key).cloned(),
            SettingSource::Flag(_) => self.flags.get(key).cloned(),
            SettingSource::Environment(name) => self.env.get(name).cloned(),
            SettingSource::File(_) => self
                .file
                .as_ref()
                .and_then(|(_, table)| table.get(key))
                .map(|value| plain_text(value).unwrap_or_else(|| format!("{value:?}"))),
            SettingSource::Default | SettingSource::Database => None,
        };
        let value = if is_secret {
            "…".into()
        } else {
            shown(&value.unwrap_or_default())
        };
        let origin = match source {
            SettingSource::File(name) => format!("in the file {name}"),
            SettingSource::Environment(name) => format!("environment variable {name}"),
            SettingSource::Flag(name) => format!("flag {name}"),
            SettingSource::Default | SettingSource::Database => source.as_str().to_owned(),
        };
        ConfigError::Value {
            key: key.to_owned(),
            value,
            origin,
            why: why.to_owned(),
        }
    }
}

fn read_file(path: &Path) -> Result<toml::Table, ConfigError> {
    let failed = |why: String| ConfigError::File {
        path: path.into(),
        why,
    };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    text.parse().map_err(|error: toml::de::Error| {
        let line = error
            .span()
            .map(|span| text[..span.start].lines().count().max(1));
        let place = line
            .map(|line| format!("line {line}: "))
            .unwrap_or_default();
        failed(format!("{place}{}", error.message()))
    })
}

pub(super) fn known_keys() -> impl Iterator<Item = &'static str> {
    OPTIONS
        .iter()
        .map(|option| option.key)
        .chain(TABLE.iter().map(|setting| setting.meta().key))
}

fn is_known(key: &str) -> bool {
    known_keys().any(|known| known == key)
}

fn unknown(key: &str, origin: String) -> ConfigError {
    let hint = nearest(key, known_keys())
        .map(|known| format!(": did you mean {known}?"))
        .unwrap_or_default();
    ConfigError::UnknownKey {
        key: shown(key),
        origin,
        hint,
    }
}

fn shown(value: &str) -> String {
    let value = value.trim_matches('"');
    let cut: String = value.chars().take(MAX_SHOWN_CHARS).collect();
    if cut.len() < value.len() {
        format!("{cut:?}…")
    } else {
        format!("{cut:?}")
    }
}

fn plain_text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(flag) => Some(flag.to_string()),
        toml::Value::Array(list) => {
            let texts: Option<Vec<&str>> = list.iter().map(toml::Value::as_str).collect();
            texts.map(|texts| texts.join(","))
        }
        _ => None,
    }
}
