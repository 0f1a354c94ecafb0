//! Chat command declarations, in the manifest or by the code.

use serde::{Deserialize, Serialize};

use super::ManifestError;
use super::node::Node;

/// A declared chat command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatCommand {
    /// The word after the prefix.
    pub name: String,
    /// The text that starts a command.
    #[serde(default = "usual_prefix")]
    pub prefix: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub usage: String,
    /// Alternative names.
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub mod_only: bool,
    #[serde(default)]
    pub case_sensitive: bool,
    /// How long one person must wait between uses, in milliseconds.
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
