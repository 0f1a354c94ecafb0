//! Many posts at once from servers that are well known, each with a good signature.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::CommandResult;
use crate::peers::Peers;
use crate::requests::{self, Receiver};
use crate::sender::{self, Sender, Statuses};

const HOSTS: u64 = 8;
/// Actors with a key each; what one of them sends is processed in order.
const ACTORS: u64 = 64;
const SENDERS: u8 = 16;

/// Sends `count` posts, the first with the number `first`; they are signed before the clock runs.
pub async fn burst(peers: &Arc<Peers>, to: &Receiver, first: u64, count: u64) -> CommandResult {
    let mut signing = Vec::new();
    for half in [0, 1] {
        let (peers, to) = (Arc::clone(peers), to.clone());
        let numbers = (first..first + count).filter(move |number| number % 2 == half);
        signing.push(tokio::task::spawn_blocking(move || {
            numbers
                .map(|number| signed_post(&peers, &to, number))
                .collect::<Vec<_>>()
        }));
    }
    let mut requests = Vec::new();
    for half in signing {
        requests.extend(half.await.map_err(|error| error.to_string())?);
    }
    let begin = Instant::now();
    let mut sending = Vec::new();
    let share = requests.len().div_ceil(usize::from(SENDERS)).max(1);
    for (number, requests) in requests.chunks(share).enumerate() {
        let own = Ipv4Addr::new(127, 30, 0, u8::try_from(number + 1).unwrap_or(u8::MAX));
        let (mut connection, requests) = (Sender::new(own, to.address), requests.to_vec());
        sending.push(tokio::spawn(async move {
            let mut statuses = Statuses::new();
            for request in requests {
                connection.send_and_count(&request, &mut statuses).await;
            }
            statuses
        }));
    }
    let mut statuses = Statuses::new();
    for one in sending {
        sender::add(&mut statuses, one.await.map_err(|error| error.to_string())?);
    }
    Ok(json!({ "seconds": begin.elapsed().as_secs_f64(), "statuses": statuses }))
}

fn signed_post(peers: &Peers, to: &Receiver, number: u64) -> Vec<u8> {
    let (host, user) = (number % HOSTS, number % ACTORS);
    let actor = format!("https://press{host}.peers.example/users/w{user}");
    let activity = requests::mention(to, &actor, number);
    requests::signed(&peers.key, to, &format!("{actor}#main-key"), &activity)
}
