//! What this server knows of the other machines of its cluster, beside what the database says.

use std::fmt;

use chat::ConnectionInfo;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use model::UserId;
use serde::{Deserialize, Serialize};

use super::App;

/// How busy a machine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeLoad {
    #[serde(default)]
    pub viewers: u32,
    /// Connections to its chat.
    #[serde(default)]
    pub chat_clients: u32,
}

impl NodeLoad {
    /// What a machine has written; nothing at all where that cannot be read.
    pub fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }
}

/// What the machines tell each other each second. The rows in the database are up to ten seconds old, and are all there
/// is while that way is closed.
pub trait ClusterView: fmt::Debug + Send + Sync {
    /// When a machine was last heard of, and how busy it was.
    fn heard_of(&self, id: &str) -> Option<(Timestamp, NodeLoad)>;

    /// Connections to the chat of the other machines.
    fn chat_clients_elsewhere(&self) -> u32;

    /// The number of this machine.
    fn own_number(&self) -> i64;

    /// The connections to the chat at the other machines; those of a machine that does not answer are missing.
    fn connections(&self) -> BoxFuture<'_, Vec<ConnectionInfo>>;

    /// Brings what somebody said to the machine that they listen to. Whether they listen there; `None` if it does not
    /// answer.
    fn forward(&self, number: i64, said: ForwardedSaying) -> BoxFuture<'_, Option<bool>>;
}

impl App {
    /// Connections to the chat of the other machines; none on a server that is alone.
    pub fn chat_clients_elsewhere(&self) -> u32 {
        let cluster = self.cluster.as_ref();
        cluster.map_or(0, |cluster| cluster.chat_clients_elsewhere())
    }
}

/// What somebody said by POST at one machine while they listen to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForwardedSaying {
    pub session: String,
    /// Who said it, as the machine knows that was asked.
    pub user: UserId,
    /// `None` if it was too long, or no text.
    pub text: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_version_writes_about_its_load_is_read_as_far_as_possible() {
        let load = NodeLoad::parse(r#"{"viewers":7,"later":[1]}"#);
        assert_eq!((load.viewers, load.chat_clients), (7, 0));
        assert_eq!(NodeLoad::parse("?"), NodeLoad::default());
    }
}
