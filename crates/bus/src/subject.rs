//! Who is spoken to, and how much may be said there.

use std::fmt::Write;

/// Bytes of what every machine hears; larger things stay in the database and are named.
const MAX_LOG_BYTES: usize = 512 * 1024;
/// Bytes of everything else.
const MAX_BYTES: usize = 64 * 1024;

/// A subject below `rc.<cluster>.`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// What was committed to the event log.
    Log,
    /// Who came and went.
    Presence,
    /// Who is slowed down.
    Penalty,
    /// Each second, by every machine: that it is there.
    Beat,
    /// Something came from another server, for whoever handles it.
    Arrival,
    /// Every two seconds, by every machine: who watches there.
    Viewers,
    /// What the filters of plugins say about a line; whoever runs the plugins answers.
    PluginFilter,
    /// Requests to plugins, and about them.
    PluginHttp,
    /// What the plugin that guards the server says about a viewer.
    PluginGate,
    /// One machine, by its number.
    Node(i64, NodeSubject),
}

/// What a single machine is asked or told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeSubject {
    /// Answers with what its beat says.
    Stats,
    /// Something for one connection to the chat there, or from it.
    Chat,
}

impl Subject {
    /// Its name on the wire.
    pub(crate) fn name(self, cluster: &str) -> String {
        let mut name = format!("rc.{cluster}.");
        match self {
            Self::Log => name.push_str("log"),
            Self::Presence => name.push_str("presence"),
            Self::Penalty => name.push_str("penalty"),
            Self::Beat => name.push_str("beat"),
            Self::Arrival => name.push_str("arrival"),
            Self::Viewers => name.push_str("viewers"),
            Self::PluginFilter => name.push_str("plugin.filter"),
            Self::PluginHttp => name.push_str("plugin.http"),
            Self::PluginGate => name.push_str("plugin.gate"),
            Self::Node(number, what) => {
                let what = match what {
                    NodeSubject::Stats => "stats",
                    NodeSubject::Chat => "chat",
                };
                // Writing to a String cannot fail.
                let _ = write!(name, "node.{number}.{what}");
            }
        }
        name
    }

    /// Whether only machines of the cluster can speak there. What is not sealed here is sealed by those who say it, or
    /// decides nothing.
    pub(crate) fn is_sealed(self) -> bool {
        match self {
            Self::Presence
            | Self::Penalty
            | Self::PluginFilter
            | Self::PluginHttp
            | Self::PluginGate
            | Self::Node(_, NodeSubject::Chat) => true,
            Self::Log
            | Self::Beat
            | Self::Arrival
            | Self::Viewers
            | Self::Node(_, NodeSubject::Stats) => false,
        }
    }

    /// The largest message, with its format.
    pub(crate) fn most_bytes(self) -> usize {
        match self {
            Self::Log | Self::PluginHttp => MAX_LOG_BYTES,
            Self::Presence
            | Self::Penalty
            | Self::Beat
            | Self::Arrival
            | Self::Viewers
            | Self::PluginFilter
            | Self::PluginGate
            | Self::Node(..) => MAX_BYTES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subject_is_below_that_of_its_cluster() {
        assert_eq!(Subject::Beat.name("main"), "rc.main.beat");
        let stats = Subject::Node(7, NodeSubject::Stats);
        assert_eq!(stats.name("main"), "rc.main.node.7.stats");
        let chat = Subject::Node(7, NodeSubject::Chat);
        assert_eq!(chat.name("main"), "rc.main.node.7.chat");
        assert!(Subject::Log.most_bytes() > stats.most_bytes());
        assert_eq!(Subject::PluginHttp.name("main"), "rc.main.plugin.http");
        let whole = crate::MAX_HEAD_BYTES + crate::MAX_PIECE_BYTES;
        assert!(whole + 64 < Subject::PluginHttp.most_bytes());
        assert!(crate::MAX_QUESTION_BYTES < Subject::PluginGate.most_bytes());
    }
}
