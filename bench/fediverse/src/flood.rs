//! Many addresses that send forged requests, each over a connection of its own and at a constant rate.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::CommandResult;
use crate::requests::{self, Receiver};
use crate::sender::{self, Sender, Statuses};

/// The server whose name most forgeries carry: all of its documents can be fetched, and each is asked for once at most.
pub const FRAMED: &str = "framed.peers.example";
/// Further servers whose names are used.
const OTHERS: u64 = 100;
/// Addresses below each network of the sender's.
const IN_A_NETWORK: u64 = 250;

/// How a flood runs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seconds: u64,
    /// Requests a second of all together.
    pub rate: u64,
    pub addresses: u64,
    /// A key that the server has fetched before.
    pub known_key: String,
}

pub async fn flood(to: &Receiver, plan: Plan) -> CommandResult {
    let begin = Instant::now();
    let pause = Duration::from_secs(plan.addresses) / u32::try_from(plan.rate).unwrap_or(1).max(1);
    let mut senders = Vec::new();
    for number in 0..plan.addresses {
        let (to, plan) = (to.clone(), plan.clone());
        // One after the other, and not all in the same moment.
        let first = begin
            + pause * u32::try_from(number).unwrap_or_default()
                / u32::try_from(plan.addresses).unwrap_or(1).max(1);
        senders.push(tokio::spawn(send(to, plan, number, first, pause)));
    }
    let mut statuses = Statuses::new();
    for sender in senders {
        sender::add(
            &mut statuses,
            sender.await.map_err(|error| error.to_string())?,
        );
    }
    let seconds = begin.elapsed().as_secs_f64();
    let sent: u64 = statuses.values().sum();
    Ok(
        json!({ "seconds": seconds, "sent": sent, "rate": sent as f64 / seconds, "statuses": statuses }),
    )
}

async fn send(to: Receiver, plan: Plan, number: u64, first: Instant, pause: Duration) -> Statuses {
    let network = u8::try_from(number / IN_A_NETWORK).unwrap_or(u8::MAX);
    let host = u8::try_from(number % IN_A_NETWORK + 1).unwrap_or(u8::MAX);
    let mut sender = Sender::new(Ipv4Addr::new(127, 20, network, host), to.address);
    let mut statuses = Statuses::new();
    let turns = plan.seconds * plan.rate / plan.addresses.max(1);
    for turn in 0..turns {
        let due = first + pause * u32::try_from(turn).unwrap_or(u32::MAX);
        tokio::time::sleep_until(due.into()).await;
        if (Instant::now() - first).as_secs() > plan.seconds + 1 {
            break;
        }
        let request = forged_request(&to, &plan, number + turn * plan.addresses);
        sender.send_and_count(&request, &mut statuses).await;
    }
    statuses
}

/// Half of them in the name of one server, the rest of all kinds.
fn forged_request(to: &Receiver, plan: &Plan, number: u64) -> Vec<u8> {
    // An address has its turn at steady distances, and the kinds must not follow them.
    let kind = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61;
    let host = match kind {
        0..4 => FRAMED.to_owned(),
        _ => format!("other{}.peers.example", number % OTHERS),
    };
    let actor = format!("https://{host}/users/u{number}");
    let key_id = format!("{actor}#main-key");
    match kind {
        0..6 => requests::forged(to, &key_id, &requests::follow(to, &actor, number), number),
        6 => {
            let actor = plan.known_key.split('#').next().unwrap_or_default();
            requests::forged(
                to,
                &plan.known_key,
                &requests::follow(to, actor, number),
                number,
            )
        }
        _ => requests::forged(to, "no key at all", &json!([number]), number),
    }
}
