//! What a plugin said it wants, when its module body had run.

use serde::Deserialize;

use crate::manifest::ChatCommand;

/// Warnings about its code that are shown; further ones are left out.
const MAX_WARNINGS: usize = 20;

/// Bytes of one of them; the rest is cut.
const MAX_WARNING_BYTES: usize = 500;

/// The answer of `load`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Registration {
    /// Who it says it is.
    #[serde(default)]
    pub slug: Option<String>,
    /// What it calls itself.
    #[serde(default)]
    pub name: String,
    /// Events it has handlers for.
    #[serde(default)]
    pub subscriptions: Subscriptions,
    /// Chat commands it declared.
    #[serde(default)]
    pub commands: Vec<ChatCommand>,
    /// What is odd about its code, said by the SDK it was loaded with.
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
    /// The whole answer: the manifest with the two above.
    #[serde(skip)]
    pub json: String,
}

/// Events a plugin has handlers for.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Subscriptions {
    /// Told after the fact.
    #[serde(default)]
    pub notify: Vec<Subscription>,
    /// Asked before it.
    #[serde(default)]
    pub filter: Vec<FilterSubscription>,
}

/// One event to be told of.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct Subscription {
    /// Its name on the wire.
    pub event: String,
}

/// One event to be asked about.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
pub struct FilterSubscription {
    /// Its name on the wire.
    pub event: String,
    /// Lower is asked earlier.
    #[serde(default = "usual_priority")]
    pub priority: i64,
}

fn usual_priority() -> i64 {
    100
}

impl Registration {
    /// What is odd about its code, for people.
    pub fn warnings(&self) -> Vec<String> {
        let short = |text: &String| text[..text.floor_char_boundary(MAX_WARNING_BYTES)].to_owned();
        self.warnings.iter().take(MAX_WARNINGS).map(short).collect()
    }

    /// Reads what the engine answered.
    pub(super) fn read(json: String) -> Result<Self, serde_json::Error> {
        let mut read: Self = serde_json::from_str(&json)?;
        read.json = json;
        Ok(read)
    }
}
