//! What is for one connection to the chat and comes to another machine than the one it is at.
//!
//! People whose network breaks sockets listen over HTTP and say something by POST, which a balancer may bring anywhere.
//! And bots answer a connection by its number, wherever they are.

use std::sync::Arc;
use std::time::Duration;

use bus::{Bus, BusError, BusMessage, NodeSubject, Subject};
use chat::{ConnectionInfo, Room, ToldElsewhere};
use futures_util::future::{BoxFuture, join_all};
use jiff::Timestamp;
use store::Store;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use web::{App, ClusterView, ForwardedSaying, NodeLoad};

use super::connections::{self, WireChat};
use super::heard_nodes::HeardNodes;
use super::{LISTEN_PAUSE, stops_within};

/// A line is filtered and stored before the answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// What is done at once of what others bring; more waits.
const MOST_AT_ONCE: usize = 64;

/// The other machines, as the pages and the API need them.
#[derive(Debug)]
pub(super) struct OtherMachines {
    pub(super) heard: Arc<HeardNodes>,
    pub(super) bus: Bus,
    pub(super) number: watch::Receiver<i64>,
    pub(super) store: Store,
}

impl ClusterView for OtherMachines {
    fn heard_of(&self, id: &str) -> Option<(Timestamp, NodeLoad)> {
        self.heard.heard_of(id)
    }

    fn chat_clients_elsewhere(&self) -> u32 {
        self.heard.chat_clients_elsewhere()
    }

    fn own_number(&self) -> i64 {
        *self.number.borrow()
    }

    fn connections(&self) -> BoxFuture<'_, Vec<ConnectionInfo>> {
        Box::pin(async move {
            let nodes = self.store.nodes().await.unwrap_or_else(|error| {
                tracing::debug!(%error, "cannot read which machines there are");
                vec![]
            });
            let own = self.own_number();
            let others = nodes.iter().filter(|node| node.number != own);
            let asked = others.map(|node| connections::ask(&self.bus, node.number));
            join_all(asked).await.into_iter().flatten().collect()
        })
    }

    fn forward(&self, number: i64, said: ForwardedSaying) -> BoxFuture<'_, Option<bool>> {
        Box::pin(async move {
            let body = serde_json::to_vec(&WireChat::Say(said)).ok()?;
            let subject = Subject::Node(number, NodeSubject::Chat);
            match self.bus.request(subject, &body, PATIENCE).await {
                Ok(answer) => serde_json::from_slice(&answer.body).ok(),
                // That machine is gone, and its listeners with it.
                Err(BusError::Nobody(_)) => Some(false),
                Err(error) => {
                    tracing::debug!(%error, "cannot bring a message to the machine of its author");
                    None
                }
            }
        })
    }
}

/// Says something to a connection at another machine; nobody waits for it.
pub(super) async fn tell(bus: &Bus, told: ToldElsewhere) {
    let ToldElsewhere {
        server,
        client_id,
        text,
    } = told;
    let body = serde_json::to_vec(&WireChat::Tell { client_id, text }).unwrap_or_default();
    let subject = Subject::Node(server, NodeSubject::Chat);
    if let Err(error) = bus.publish(subject, &body).await {
        tracing::debug!(%error, "cannot say something to a connection at another machine");
    }
}

/// Takes what other machines bring, until `stop`.
pub(super) async fn hear(
    bus: &Bus,
    app: &App,
    chat: &Room,
    mut number: watch::Receiver<i64>,
    stop: &CancellationToken,
) {
    let mut under_way = JoinSet::new();
    loop {
        let own = *number.borrow_and_update();
        let brought = Subject::Node(own, NodeSubject::Chat);
        let mut messages = match bus.subscribe(brought).await {
            Ok(messages) => messages,
            Err(error) => {
                tracing::warn!(%error, "other machines cannot bring what is said to people here");
                if stops_within(stop, LISTEN_PAUSE).await {
                    return;
                }
                continue;
            }
        };
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return,
                _ = number.changed() => break,
                message = messages.next() => message,
            };
            let Some(message) = message else {
                break;
            };
            while under_way.try_join_next().is_some() {}
            if under_way.len() >= MOST_AT_ONCE {
                tokio::select! {
                    () = stop.cancelled() => return,
                    _ = under_way.join_next() => {}
                }
            }
            under_way.spawn(take(bus.clone(), app.clone(), chat.clone(), message));
        }
    }
}

async fn take(bus: Bus, app: App, chat: Room, message: BusMessage) {
    match serde_json::from_slice::<WireChat>(&message.body) {
        Ok(WireChat::Say(said)) => {
            let is_heard = web::say_here(&app, &said).await;
            let answer: &[u8] = if is_heard { b"true" } else { b"false" };
            if let Err(error) = bus.answer(&message, answer).await {
                tracing::debug!(%error, "cannot answer another machine");
            }
        }
        Ok(WireChat::Tell { client_id, text }) => chat.say_to_here(client_id, text).await,
        Ok(WireChat::List { after }) => {
            let page = connections::page(chat.connections().await, after);
            if let Err(error) = bus.answer(&message, &page).await {
                tracing::debug!(%error, "cannot tell another machine who is connected here");
            }
        }
        Err(error) => tracing::debug!(%error, "another machine brought what cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use model::UserId;

    use super::*;

    #[test]
    fn what_is_brought_to_another_machine_comes_there_as_it_was() {
        let said = ForwardedSaying {
            session: "2-abc".into(),
            user: UserId::parse("ada").unwrap(),
            text: Some("{\"type\":\"CHAT\"}".into()),
        };
        let bytes = serde_json::to_vec(&WireChat::Say(said.clone())).unwrap();
        let read = serde_json::from_slice(&bytes).unwrap();
        assert!(matches!(read, WireChat::Say(read) if read == said));
        let tell = WireChat::Tell {
            client_id: 7,
            text: "hello".into(),
        };
        let bytes = serde_json::to_vec(&tell).unwrap();
        let read = serde_json::from_slice(&bytes).unwrap();
        assert!(matches!(read, WireChat::Tell { client_id: 7, .. }));
    }
}
