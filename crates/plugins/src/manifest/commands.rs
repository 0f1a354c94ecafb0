//! Chat commands as they are declared, in the manifest or by the code.

use serde::{Deserialize, Serialize};

use super::ManifestError;
use super::node::Node;

/// A declared chat command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatCommand {
    /// The word after the prefix.
    pub name: String,
    /// What a message begins with to be a command.
    #[serde(default = "usual_prefix")]
    pub prefix: String,
    #[serde(default)]
    pub description: String,
    /// How it is written.
    #[serde(default)]
    pub usage: String,
    /// Other words for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Only for moderators.
    #[serde(default)]
    pub mod_only: bool,
    /// Whether small and capital letters differ.
    #[serde(default)]
    pub case_sensitive: bool,
    /// How long one person waits before the next use, in milliseconds.
    #[serde(default)]
    pub cooldown_ms: u64,
}

fn usual_prefix() -> String {
    "!".into()
}

pub(super) fn read(list: &Node<'_>) -> Result<(Vec<ChatCommand>, Vec<String>), ManifestError> {
    let (mut commands, mut remarks) = (Vec::new(), Vec::new());
    for item in list.items()? {
        item.required_words("name")?;
        if let Some(prefix) = item.get("prefix")? {
            prefix.words()?;
        }
        remarks.extend(item.strangers(&[
            "name",
            "prefix",
            "description",
            "usage",
            "aliases",
            "modOnly",
            "caseSensitive",
            "cooldownMs",
        ])?);
        let command = ChatCommand::deserialize(item.value());
        commands.push(command.map_err(|error| item.refuse(error))?);
    }
    Ok((commands, remarks))
}
