//! Many posts at once from servers that are well known, each with a good signature.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use crate::Answer;
use crate::letters::{self, Receiver};
use crate::post::{self, Sender, Statuses};
use crate::town::Town;

const HOSTS: u64 = 8;
/// People with a key each; what one of them sends is handled in order.
const WRITERS: u64 = 64;
const SENDERS: u8 = 16;

/// Sends `requests` posts, the first with the number `first`; they are signed before the clock runs.
pub async fn press(town: &Arc<Town>, to: &Receiver, first: u64, requests: u64) -> Answer {
    let mut signing = Vec::new();
    for half in [0, 1] {
        let (town, to) = (Arc::clone(town), to.clone());
        let numbers = (first..first + requests).filter(move |number| number % 2 == half);
        signing.push(tokio::task::spawn_blocking(move || {
            numbers
                .map(|number| letter(&town, &to, number))
                .collect::<Vec<_>>()
        }));
    }
    let mut letters = Vec::new();
    for half in signing {
        letters.extend(half.await.map_err(|error| error.to_string())?);
    }
    let begin = Instant::now();
    let mut sending = Vec::new();
    let share = letters.len().div_ceil(usize::from(SENDERS)).max(1);
    for (number, letters) in letters.chunks(share).enumerate() {
        let own = Ipv4Addr::new(127, 30, 0, u8::try_from(number + 1).unwrap_or(u8::MAX));
        let (mut sender, letters) = (Sender::new(own, to.address), letters.to_vec());
        sending.push(tokio::spawn(async move {
            let mut statuses = Statuses::new();
            for letter in letters {
                sender.send_and_count(&letter, &mut statuses).await;
            }
            statuses
        }));
    }
    let mut statuses = Statuses::new();
    for one in sending {
        post::add(&mut statuses, one.await.map_err(|error| error.to_string())?);
    }
    Ok(json!({ "seconds": begin.elapsed().as_secs_f64(), "statuses": statuses }))
}

fn letter(town: &Town, to: &Receiver, number: u64) -> Vec<u8> {
    let (host, writer) = (number % HOSTS, number % WRITERS);
    let actor = format!("https://press{host}.peers.example/users/w{writer}");
    let activity = letters::mention(to, &actor, number);
    letters::signed(&town.key, to, &format!("{actor}#main-key"), &activity)
}
