//! An actor on an unknown server follows, and waits for the Accept.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::CommandResult;
use crate::peers::Peers;
use crate::requests::{self, Receiver};
use crate::sender::Sender;

/// Between two tries.
const PAUSE: Duration = Duration::from_secs(1);
/// Then it is given up.
const DEADLINE: Duration = Duration::from_secs(60);
const OWN: Ipv4Addr = Ipv4Addr::new(127, 40, 0, 1);

/// Follows as anna of `host`; the answer says after how many seconds the Accept came, and after how many tries.
pub async fn follow(peers: &Peers, to: &Receiver, host: &str) -> CommandResult {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let actor = format!("https://{host}/users/anna");
    let accepted = peers.await_accept(format!("{actor}/inbox"));
    let (begin, mut tries) = (Instant::now(), 0);
    let mut sender = Sender::new(OWN, to.address);
    let trying = async {
        loop {
            tries += 1;
            let activity = requests::follow(to, &actor, NUMBER.fetch_add(1, Ordering::Relaxed));
            let key_id = format!("{actor}#main-key");
            let status = sender
                .send(&requests::signed(&peers.key, to, &key_id, &activity))
                .await;
            if status.as_deref() == Some("202") {
                return accepted.await;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    match tokio::time::timeout(DEADLINE, trying).await {
        Ok(Ok(at)) => Ok(json!({ "seconds": (at - begin).as_secs_f64(), "tries": tries })),
        _ => Ok(json!({ "seconds": null, "tries": tries })),
    }
}
