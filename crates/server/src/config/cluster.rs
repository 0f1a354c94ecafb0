//! What makes a server one of several: the options of a cluster.

use std::collections::BTreeSet;
use std::path::PathBuf;

use blobs::BucketOptions;
use model::Secret;
use store::{DatabaseUrl, LeaseName};

use super::sources::{ConfigError, ConfigSources};
use super::{boolean_from_text, bucket, parse};

/// Characters of the name of a cluster or a machine: both are parts of NATS subjects, and are shown in tables.
const MAX_NAME_CHARS: usize = 40;
/// What a machine is called that does not even know its own name.
const NAMELESS: &str = "node";
/// These make no sense alone.
const PARTS: [&str; 5] = [
    "nats",
    "nats_credentials",
    "node_name",
    "roles",
    "node_header",
];

/// How this server takes part in a cluster.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// Machines of one name belong together.
    pub name: String,
    /// NATS servers, separated by commas; they may hold a password.
    pub nats: Secret,
    /// A NATS credentials file.
    pub nats_credentials: Option<PathBuf>,
    /// What the operator calls this machine.
    pub node_name: String,
    pub roles: NodeRoles,
    /// Whether answers say which machine they come from.
    pub is_named_in_answers: bool,
    /// What the machines share files through. Without, each has its own.
    pub bucket: Option<BucketOptions>,
}

impl ClusterConfig {
    /// `None` for a server that is alone.
    pub(super) fn read(
        sources: &ConfigSources,
        database: &DatabaseUrl,
    ) -> Result<Option<Self>, ConfigError> {
        let Some(name) = sources.option("cluster", cluster_name)? else {
            for part in PARTS.into_iter().chain(bucket::PARTS) {
                if sources.option(part, |_| Ok(()))?.is_some() {
                    return Err(sources.incomplete(
                        part,
                        "needs cluster beside it, the name that all machines of the cluster are given",
                    ));
                }
            }
            return Ok(None);
        };
        let Some(nats) = sources.option("nats", nats)? else {
            return Err(sources.incomplete(
                "cluster",
                "needs nats beside it, such as nats://10.0.0.5:4222",
            ));
        };
        if database.sqlite_path().is_some() {
            return Err(sources.incomplete(
                "cluster",
                "needs database_url beside it, the postgres://… that all machines of the cluster share",
            ));
        }
        Ok(Some(Self {
            name,
            nats,
            nats_credentials: sources.option("nats_credentials", parse::path)?,
            node_name: sources
                .option("node_name", node_name)?
                .unwrap_or_else(own_name),
            roles: sources
                .option("roles", NodeRoles::parse)?
                .unwrap_or_default(),
            is_named_in_answers: sources
                .option("node_header", boolean_from_text)?
                .unwrap_or(false),
            bucket: bucket::read(sources)?,
        }))
    }
}

/// What a machine can be there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeRole {
    /// Takes in broadcasts.
    Ingest,
    /// Serves viewers and the chat.
    Web,
    /// Does what one machine does for all.
    Worker,
}

impl NodeRole {
    const ALL: [Self; 3] = [Self::Ingest, Self::Web, Self::Worker];

    fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Web => "web",
            Self::Worker => "worker",
        }
    }

    /// Whether a machine with this role may do this work.
    fn does(self, work: LeaseName) -> bool {
        match work {
            LeaseName::Ingest => self == Self::Ingest,
            LeaseName::Deliveries
            | LeaseName::Inbox
            | LeaseName::Publishing
            | LeaseName::Webhooks
            | LeaseName::Schedule
            | LeaseName::Engagement
            | LeaseName::Housekeeping
            | LeaseName::Plugins
            | LeaseName::Uploads => self == Self::Worker,
        }
    }
}

/// What this machine is there for: everything, unless it is told otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRoles(BTreeSet<NodeRole>);

impl Default for NodeRoles {
    fn default() -> Self {
        Self(NodeRole::ALL.into())
    }
}

impl NodeRoles {
    /// `ingest,web,worker`, or some of them.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut roles = BTreeSet::new();
        for word in text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let known = NodeRole::ALL.into_iter().find(|role| role.as_str() == word);
            roles.insert(
                known.ok_or_else(|| {
                    format!("{word:?} is no role: there are ingest, web and worker")
                })?,
            );
        }
        match roles.is_empty() {
            true => Err("expected some of ingest,web,worker".into()),
            false => Ok(Self(roles)),
        }
    }

    pub fn has(&self, role: NodeRole) -> bool {
        self.0.contains(&role)
    }

    /// The work that a machine with these roles may do for all.
    pub fn work(&self) -> Vec<LeaseName> {
        let is_ours = |work: &LeaseName| self.0.iter().any(|role| role.does(*work));
        LeaseName::ALL.into_iter().filter(is_ours).collect()
    }
}

impl std::fmt::Display for NodeRoles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|role| role.as_str()).collect();
        f.write_str(&names.join(","))
    }
}

/// It becomes a part of subjects, and in capitals of the name of a stream.
fn cluster_name(text: &str) -> Result<String, String> {
    let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match (1..=MAX_NAME_CHARS).contains(&text.len()) && text.chars().all(is_fine) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "expected 1 to {MAX_NAME_CHARS} lower-case letters, digits and hyphens"
        )),
    }
}

fn node_name(text: &str) -> Result<String, String> {
    match (1..=MAX_NAME_CHARS).contains(&text.len()) && text.chars().all(is_for_node_names) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "expected 1 to {MAX_NAME_CHARS} letters (a to z), digits, dots, hyphens and underscores"
        )),
    }
}

fn is_for_node_names(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// The name of this machine, as far as it can be a name of a node.
fn own_name() -> String {
    let system = rustix::system::uname();
    let known = system.nodename().to_string_lossy();
    let usable = known.chars().filter(|c| is_for_node_names(*c));
    let name: String = usable.take(MAX_NAME_CHARS).collect();
    match name.is_empty() {
        true => NAMELESS.to_owned(),
        false => name,
    }
}

/// One address or several, with and without TLS.
fn nats(text: &str) -> Result<Secret, String> {
    let expected = "expected an address such as nats://10.0.0.5:4222 or tls://nats.example.com, or several with commas";
    for address in text.split(',') {
        let known = ["nats://", "tls://"];
        let rest = known
            .iter()
            .find_map(|scheme| address.trim().strip_prefix(scheme));
        if rest.is_none_or(|rest| rest.is_empty()) || url::Url::parse(address.trim()).is_err() {
            return Err(expected.to_owned());
        }
    }
    Ok(Secret::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_takes_only_work_of_its_roles() {
        let work = |roles| NodeRoles::parse(roles).unwrap().work();
        assert_eq!(work("ingest"), [LeaseName::Ingest]);
        assert!(work("web").is_empty());
        assert_eq!(work("worker").len(), LeaseName::ALL.len() - 1);
        assert!(!work("worker, web").contains(&LeaseName::Ingest));
        assert_eq!(NodeRoles::default().work(), LeaseName::ALL);
        assert_eq!(NodeRoles::default().to_string(), "ingest,web,worker");
    }

    #[test]
    fn the_name_of_the_machine_can_always_be_used() {
        node_name(&own_name()).unwrap();
    }
}
