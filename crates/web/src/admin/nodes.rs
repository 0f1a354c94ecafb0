//! The machines of a cluster.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use store::{LeaseName, NodeRecord};
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::public::NO_CACHE;
use crate::state::{App, NodeLoad};

/// A machine of the cluster.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Node)]
pub(crate) struct WireNode {
    /// Another one after each start.
    id: String,
    name: String,
    version: String,
    /// What it is there for: some of `ingest`, `web` and `worker`.
    roles: Vec<String>,
    /// When it started.
    since: Timestamp,
    /// When it last said that it is there.
    last_seen: Timestamp,
    viewers: u32,
    chat_clients: u32,
    /// The work that it does for all machines now.
    holds: Vec<String>,
}

/// `GET /api/admin/nodes`
pub(crate) async fn nodes(State(app): State<App>) -> Result<Response, Problem> {
    let Some(cluster) = &app.cluster else {
        let nobody: [WireNode; 0] = [];
        return Ok((NO_CACHE, Json(nobody)).into_response());
    };
    let (nodes, leases) = (app.store.nodes().await?, app.store.leases().await?);
    let nodes: Vec<WireNode> = nodes
        .into_iter()
        .map(|node| {
            let holds = leases.iter().filter(|(_, lease)| lease.holder == node.id);
            let holds: Vec<LeaseName> = holds.map(|(name, _)| *name).collect();
            let heard = cluster.heard_of(&node.id);
            document(node, heard, &holds)
        })
        .collect();
    Ok((NO_CACHE, Json(nodes)).into_response())
}

fn document(
    node: NodeRecord,
    heard: Option<(Timestamp, NodeLoad)>,
    holds: &[LeaseName],
) -> WireNode {
    let (last_seen, load) = match heard {
        Some((at, load)) if at > node.last_seen => (at, load),
        _ => (node.last_seen, NodeLoad::parse(&node.load)),
    };
    WireNode {
        id: node.id,
        name: node.name,
        version: node.version,
        roles: node.roles.split(',').map(str::to_owned).collect(),
        since: node.since,
        last_seen,
        viewers: load.viewers,
        chat_clients: load.chat_clients,
        holds: holds.iter().map(|name| name.as_str().to_owned()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn node() -> NodeRecord {
        NodeRecord {
            id: "a1".into(),
            number: 1,
            name: "left".into(),
            version: "0.3.0".into(),
            schema: 18,
            roles: "ingest,web".into(),
            addresses: "{}".into(),
            load: r#"{"viewers":3,"chatClients":2}"#.into(),
            since: time(0),
            last_seen: time(10),
        }
    }

    #[test]
    fn a_machine_is_told_of_with_the_newest_that_is_known() {
        let written = document(node(), None, &[LeaseName::Ingest, LeaseName::Plugins]);
        assert_eq!(written.last_seen, time(10));
        assert_eq!((written.viewers, written.chat_clients), (3, 2));
        assert_eq!(written.roles, ["ingest", "web"]);
        assert_eq!(written.holds, ["ingest", "plugins"]);
        let load = NodeLoad {
            viewers: 9,
            chat_clients: 8,
        };
        let heard = document(node(), Some((time(12), load)), &[]);
        assert_eq!((heard.last_seen, heard.viewers), (time(12), 9));
        let late = document(node(), Some((time(5), load)), &[]);
        assert_eq!((late.last_seen, late.viewers), (time(10), 3));
    }
}
