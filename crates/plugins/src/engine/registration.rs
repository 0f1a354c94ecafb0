//! What a plugin registered when its module body ran.

use serde::Deserialize;

use crate::manifest::ChatCommand;

/// Warnings about its code that are shown; further ones are left out.
const MAX_WARNINGS: usize = 20;

/// Bytes of one of them; the rest is cut.
const MAX_WARNING_BYTES: usize = 500;

/// The answer of `load`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Registration {
    /// Its slug according to the code.
    #[serde(default)]
    pub slug: Option<String>,
    /// Its name according to the code.
    #[serde(default)]
    pub name: String,
    /// Events it has handlers for.
    #[serde(default)]
    pub subscriptions: Subscriptions,
    /// Chat commands it declared.
    #[serde(default)]
    pub commands: Vec<ChatCommand>,
    /// Remarks on its code from the SDK it was loaded with.
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
    /// The whole answer: the manifest with the two above.
    #[serde(skip)]
    pub json: String,
}

/// Events a plugin has handlers for.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Subscriptions {
    /// Delivered after the fact.
    #[serde(default)]
    pub notify: Vec<Subscription>,
    /// Asked before it.
    #[serde(default)]
    pub filter: Vec<FilterSubscription>,
}

/// A subscription to one event.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct Subscription {
    /// Its wire name.
    pub event: String,
}

/// A filter for one event.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct FilterSubscription {
    /// Its wire name.
    pub event: String,
    /// Lower runs earlier.
    #[serde(default = "usual_priority")]
    pub priority: i64,
}

fn usual_priority() -> i64 {
    100
}

impl Registration {
    /// Remarks on its code, for people.
    pub fn warnings(&self) -> Vec<String> {
        let short = |text: &String| text[..text.floor_char_boundary(MAX_WARNING_BYTES)].to_owned();
        self.warnings.iter().take(MAX_WARNINGS).map(short).collect()
    }

    /// Parses the engine's answer.
    pub(super) fn read(json: String) -> Result<Self, serde_json::Error> {
        let mut read: Self = serde_json::from_str(&json)?;
        read.json = json;
        Ok(read)
    }
}
