//! The definition of a setting.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::sentence::Sentence;

/// How a form edits the value and how text from the environment is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// One line.
    Text,
    /// Several lines of Markdown.
    Markdown,
    Css,
    JavaScript,
    /// `true` or `false`.
    Bool,
    /// A whole number within bounds.
    Number {
        min: u32,
        max: u32,
    },
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// An absolute http or https URL, or empty.
    Url,
    /// A list of short texts.
    Texts,
    /// CSS variables by name.
    Map,
    /// A list of `{platform, url}`.
    Social,
    /// A list of `{key, comment}`; secret.
    StreamKeys,
    /// A list of buttons below the player.
    Actions,
    /// A structured document that no form edits yet.
    Json,
}

impl SettingKind {
    /// Turns a number without a fraction into a whole one: some languages write `5.0` for 5.
    fn whole(self, value: Value) -> Value {
        match (self, value.as_f64()) {
            (SettingKind::Number { .. }, Some(number))
                if value.is_f64() && number.fract() == 0.0 =>
            {
                // A number out of range stays one that no rule accepts.
                Value::from(number as i64)
            }
            _ => value,
        }
    }

    /// The name the admin page knows it by.
    pub fn as_str(self) -> &'static str {
        match self {
            SettingKind::Text => "text",
            SettingKind::Markdown => "markdown",
            SettingKind::Css => "css",
            SettingKind::JavaScript => "javascript",
            SettingKind::Bool => "bool",
            SettingKind::Number { .. } => "number",
            SettingKind::Choice(_) => "choice",
            SettingKind::Url => "url",
            SettingKind::Texts => "texts",
            SettingKind::Map => "map",
            SettingKind::Social => "social",
            SettingKind::StreamKeys => "streamkeys",
            SettingKind::Actions => "actions",
            SettingKind::Json => "json",
        }
    }

    /// Reads a value written as plain text in the environment or after `--set`.
    fn value_from_text(self, text: &str) -> Result<Value, String> {
        match self {
            SettingKind::Text
            | SettingKind::Markdown
            | SettingKind::Css
            | SettingKind::JavaScript
            | SettingKind::Url
            | SettingKind::Choice(_) => Ok(Value::from(text)),
            SettingKind::Bool => boolean_from_text(text).map(Value::Bool),
            SettingKind::Number { .. } => match text.trim().parse::<u32>() {
                Ok(number) => Ok(Value::from(number)),
                Err(_) => Err("expected a whole number".into()),
            },
            SettingKind::Texts if !text.trim_start().starts_with('[') => {
                let parts = text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty());
                Ok(parts.map(Value::from).collect())
            }
            SettingKind::Texts
            | SettingKind::Map
            | SettingKind::Social
            | SettingKind::StreamKeys
            | SettingKind::Actions
            | SettingKind::Json => serde_json::from_str(text).map_err(|error| {
                format!(
                    "expected JSON (line {}, column {})",
                    error.line(),
                    error.column()
                )
            }),
        }
    }
}

/// `true` or `false` in the spellings people use in environments.
pub fn boolean_from_text(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err("expected true or false".into()),
    }
}

/// When a new value takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// With the next request.
    Now,
    /// With the next broadcast.
    NextStream,
    /// Never: it is kept for programs that set it.
    NotYet,
}

/// Constraints beyond the kind, as far as an API description can express them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingFormat {
    /// None.
    Usual,
    /// Text that is not blank.
    NotBlank,
    /// Text that fits this expression (ECMA-262).
    Like(&'static str),
    /// One of these numbers.
    Numbers(&'static [u32]),
    /// Single lines: the most characters of each, and the most lines.
    Lines(usize, usize),
}

/// Everything about a setting except its type.
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// The key in configuration files; the environment name is made from it.
    pub key: &'static str,
    /// The path below `/api/admin/config/`, as existing admin scripts use it.
    pub path: &'static str,
    /// Where `GET /api/admin/serverconfig` shows it, as a JSON pointer.
    pub pointer: &'static str,
    /// How it is edited.
    pub kind: SettingKind,
    /// When it takes effect.
    pub applies: Applies,
    /// Secret values are sealed at rest and never logged.
    pub is_secret: bool,
    /// Whether the admin pages and the documentation show it. Settings without an effect yet are kept for programs
    /// that set them, and not shown.
    pub is_shown: bool,
    /// Longest text the rule accepts, for the form's counter.
    pub max_chars: Option<usize>,
    /// Further constraints.
    pub form: SettingFormat,
    /// One English sentence for the operator.
    pub doc: &'static str,
}

impl Meta {
    /// `server_url` → `RILLCAST_SERVER_URL`.
    pub fn env_name(&self) -> String {
        format!("RILLCAST_{}", self.key.to_ascii_uppercase())
    }
}

/// A value that passed its rule: as JSON for the wire and the database, and typed for code.
#[derive(Clone)]
pub struct SettingValue {
    pub json: Value,
    /// The same value as the setting's own type.
    pub(super) typed: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Some values are secret; the key beside it in the log line is enough.
        f.write_str("SettingValue(…)")
    }
}

/// Why a value was rejected; the caller adds key and source.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{text}")]
pub struct SettingError {
    text: String,
    sentence: Option<Sentence>,
}

impl SettingError {
    /// The same about one field of the value.
    pub(super) fn of(self, field: &str) -> Self {
        Self {
            text: format!("{field} {}", self.text),
            sentence: self.sentence.map(|sentence| sentence.and("field", field)),
        }
    }

    /// The same, said of what goes before it, such as an entry of a list.
    pub(super) fn after(self, before: &str) -> Self {
        Self {
            text: format!("{before}{}", self.text),
            ..self
        }
    }

    /// For pages in other languages; what only programs get wrong has none.
    pub fn into_sentence(self) -> Option<Sentence> {
        self.sentence
    }
}

impl From<Sentence> for SettingError {
    fn from(sentence: Sentence) -> Self {
        Self {
            text: sentence.english(),
            sentence: Some(sentence),
        }
    }
}

impl From<String> for SettingError {
    fn from(text: String) -> Self {
        Self {
            text,
            sentence: None,
        }
    }
}

impl From<&str> for SettingError {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A setting of type `T`.
pub struct Setting<T: 'static> {
    /// Key, paths and help.
    pub meta: Meta,
    /// The value until one is set.
    pub default: fn() -> T,
    /// Normalises a value, or says what is wrong with it.
    pub rule: fn(T) -> Result<T, SettingError>,
}

impl<T> fmt::Debug for Setting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Setting").field(&self.meta.key).finish()
    }
}

/// A [`Setting`] of any type, for code that iterates over the table.
pub trait AnySetting: fmt::Debug + Sync {
    /// Key, paths and help.
    fn meta(&self) -> &Meta;
    /// The default, accepted by definition.
    fn default_value(&self) -> SettingValue;
    /// Checks and normalises a JSON value.
    fn accept(&self, value: Value) -> Result<SettingValue, SettingError>;
    /// Checks and normalises text from the environment or the command line.
    fn accept_text(&self, text: &str) -> Result<SettingValue, SettingError>;
}

impl<T> AnySetting for Setting<T>
where
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn default_value(&self) -> SettingValue {
        accepted((self.default)())
    }

    fn accept(&self, value: Value) -> Result<SettingValue, SettingError> {
        let kind = self.meta.kind.as_str();
        let value = self.meta.kind.whole(value);
        let typed: T =
            serde_json::from_value(value).map_err(|error| match self.meta.is_secret {
                // The parser's message quotes the input.
                true => SettingError::from(format!("expected {kind}")),
                false => SettingError::from(format!("expected {kind}: {error}")),
            })?;
        (self.rule)(typed).map(accepted)
    }

    fn accept_text(&self, text: &str) -> Result<SettingValue, SettingError> {
        self.accept(self.meta.kind.value_from_text(text)?)
    }
}

fn accepted<T: Serialize + Send + Sync + 'static>(typed: T) -> SettingValue {
    let json = serde_json::to_value(&typed)
        .expect("setting types hold only strings, bools, numbers, lists and maps");
    SettingValue {
        json,
        typed: Arc::new(typed),
    }
}
