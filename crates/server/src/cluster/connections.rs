//! Who is connected to the chat at another machine: asked for page by page, because a message has a bound.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bus::{Bus, NodeSubject, Subject};
use chat::{ConnectionInfo, Transport};
use jiff::Timestamp;
use model::chat::ChatUser;
use serde::{Deserialize, Serialize};
use web::ForwardedSaying;

/// For one page.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes of connections on one page: well below the bound of a message.
const PAGE_BYTES: usize = 32 * 1024;
/// What is told of a browser's name.
const AGENT_CHARS: usize = 300;
/// Pages of one machine; it cannot have more connections.
const MOST_PAGES: usize = 1024;

/// What one machine asks or tells another about connections to the chat there.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WireChat {
    /// The answer is whether somebody listens with this session.
    Say(ForwardedSaying),
    Tell {
        client_id: u64,
        text: String,
    },
    /// The answer is a [`WirePage`] of the connections above this number.
    List {
        after: u64,
    },
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct WirePage {
    connections: Vec<WireConnection>,
    is_last: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireConnection {
    client_id: u64,
    user: ChatUser,
    since: Timestamp,
    address: IpAddr,
    user_agent: String,
    is_socket: bool,
    lines: u32,
}

impl From<&ConnectionInfo> for WireConnection {
    fn from(info: &ConnectionInfo) -> Self {
        Self {
            client_id: info.client_id,
            user: ChatUser::clone(&info.user),
            since: info.since,
            address: info.address,
            user_agent: info.user_agent.chars().take(AGENT_CHARS).collect(),
            is_socket: info.transport == Transport::WebSocket,
            lines: info.lines,
        }
    }
}

impl From<WireConnection> for ConnectionInfo {
    fn from(wire: WireConnection) -> Self {
        Self {
            client_id: wire.client_id,
            user: Arc::new(wire.user),
            since: wire.since,
            address: wire.address,
            user_agent: wire.user_agent.into(),
            transport: match wire.is_socket {
                true => Transport::WebSocket,
                false => Transport::Events,
            },
            lines: wire.lines,
        }
    }
}

/// A page of the connections here, as it travels: those above a number, in the order of their numbers.
pub(super) fn page(mut all: Vec<ConnectionInfo>, after: u64) -> Vec<u8> {
    all.retain(|info| info.client_id > after);
    all.sort_by_key(|info| info.client_id);
    let mut page = WirePage {
        connections: vec![],
        is_last: true,
    };
    let mut bytes = 0;
    for info in &all {
        let wire = WireConnection::from(info);
        bytes += serde_json::to_vec(&wire).map_or(0, |json| json.len());
        if bytes > PAGE_BYTES && !page.connections.is_empty() {
            page.is_last = false;
            break;
        }
        page.connections.push(wire);
    }
    serde_json::to_vec(&page).unwrap_or_default()
}

/// The connections at another machine, as far as it answers.
pub(super) async fn ask(bus: &Bus, number: i64) -> Vec<ConnectionInfo> {
    let mut found: Vec<ConnectionInfo> = Vec::new();
    for _ in 0..MOST_PAGES {
        let after = found.last().map_or(0, |info| info.client_id);
        let question = serde_json::to_vec(&WireChat::List { after }).unwrap_or_default();
        let subject = Subject::Node(number, NodeSubject::Chat);
        let answer = match bus.request(subject, &question, PATIENCE).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::debug!(%error, "a machine does not say who is connected there");
                return found;
            }
        };
        let Ok(page) = serde_json::from_slice::<WirePage>(&answer.body) else {
            return found;
        };
        let is_over = page.is_last || page.connections.is_empty();
        found.extend(page.connections.into_iter().map(ConnectionInfo::from));
        if is_over {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use model::UserId;

    use super::*;

    fn connection(client_id: u64) -> ConnectionInfo {
        let user = ChatUser {
            id: UserId::parse("ada").unwrap(),
            display_name: "Ada".into(),
            display_color: 3,
            created_at: Timestamp::UNIX_EPOCH,
            previous_names: vec!["ada".into()],
            name_changed_at: None,
            is_bot: false,
            is_authenticated: false,
            is_moderator: false,
        };
        ConnectionInfo {
            client_id,
            user: Arc::new(user),
            since: Timestamp::UNIX_EPOCH,
            address: IpAddr::from([192, 0, 2, 1]),
            user_agent: "a".repeat(1_000).into(),
            transport: Transport::Events,
            lines: 7,
        }
    }

    #[test]
    fn all_connections_come_once_in_pages_that_are_within_their_bound() {
        let all: Vec<ConnectionInfo> = (1..=300).rev().map(connection).collect();
        let (mut found, mut after, mut pages) = (Vec::new(), 0, 0);
        loop {
            let bytes = page(all.clone(), after);
            assert!(bytes.len() < 60 * 1024);
            let page: WirePage = serde_json::from_slice(&bytes).unwrap();
            pages += 1;
            after = page.connections.last().unwrap().client_id;
            found.extend(page.connections.iter().map(|wire| wire.client_id));
            if page.is_last {
                break;
            }
        }
        assert!(pages > 1);
        assert_eq!(found, (1..=300).collect::<Vec<u64>>());
    }

    #[test]
    fn a_connection_comes_as_it_was_but_for_an_endless_name_of_a_browser() {
        let wire = WireConnection::from(&connection(7));
        let json = serde_json::to_vec(&wire).unwrap();
        let read: WireConnection = serde_json::from_slice(&json).unwrap();
        let info = ConnectionInfo::from(read);
        assert_eq!((info.client_id, info.lines), (7, 7));
        assert_eq!(info.user, connection(7).user);
        assert_eq!(info.transport, Transport::Events);
        assert_eq!(info.user_agent.len(), AGENT_CHARS);
    }
}
