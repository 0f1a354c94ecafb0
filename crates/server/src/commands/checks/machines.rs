//! What `rillcast doctor` looks at where this server is one of several.

use std::time::Duration;

use blobs::{BlobError, BucketOptions};
use bus::{Bus, BusError, NodeSubject, Subject};
use jiff::Timestamp;
use model::Clock;
use store::{NODE_IS_SILENT_AFTER, NodeRecord, Store};

use super::CheckResult::{self, Bad, Good, Note};
use crate::clock::SystemClock;
use crate::cluster::{ClockVerdict, bus_options, judge_clock, measure_clock, try_bucket};
use crate::config::{ClusterConfig, Config};
use crate::wiring::outbound_client;

/// A machine answers in milliseconds.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The checks of a cluster.
pub(super) async fn checks(
    config: &Config,
    cluster: &ClusterConfig,
) -> Vec<(&'static str, CheckResult)> {
    let bus = Bus::connect(bus_options(cluster, false)).await;
    let mut checks = vec![("NATS", nats(&bus))];
    if let Ok(bus) = &bus {
        checks.push(("JetStream", jetstream(bus).await));
    }
    if let Some(options) = &cluster.bucket {
        checks.push(("Bucket", bucket(config, options).await));
    }
    let store = Store::open_as_is(&config.database, &config.secret_key).await;
    // Why the database cannot be opened is told by its own check.
    let Ok(store) = store else {
        return checks;
    };
    let clock = SystemClock::new();
    checks.push(("Clock", time(&store, &clock).await));
    checks.push((
        "Machines",
        machines(&store, bus.as_ref().ok(), clock.now()).await,
    ));
    store.close().await;
    checks
}

fn nats(bus: &Result<Bus, BusError>) -> CheckResult {
    match bus {
        Ok(bus) => Good(format!("version {} answers", bus.server_version())),
        Err(error) => Bad(format!("{error}: is the address given with --nats right?")),
    }
}

async fn jetstream(bus: &Bus) -> CheckResult {
    match bus.check_jetstream().await {
        Ok(()) => Good("is switched on".into()),
        Err(error) => Bad(format!(
            "{error}: switch it on in the configuration of NATS, for this account too"
        )),
    }
}

/// Writes, lists, reads and deletes a small file.
async fn bucket(config: &Config, options: &BucketOptions) -> CheckResult {
    let client = match outbound_client(&config.outbound, String::new) {
        Ok(client) => client,
        Err(error) => return Bad(format!("{error:#}")),
    };
    let name = &options.bucket;
    match try_bucket(options, client).await {
        Ok(()) => Good(format!("{name} can be written and read")),
        Err(error @ BlobError::Refused(_)) => Bad(format!(
            "{name}: {error}; are --s3-bucket, --s3-region and the keys right, and may this key list, read, write and delete?"
        )),
        Err(error) => Bad(format!("{name}: {error}; is --s3-endpoint right?")),
    }
}

async fn time(store: &Store, clock: &dyn Clock) -> CheckResult {
    match measure_clock(store, clock).await {
        Ok(apart) => match judge_clock(apart) {
            ClockVerdict::Right(text) => Good(text),
            ClockVerdict::Off(text) => Note(text),
            ClockVerdict::Wrong(text) => Bad(text),
        },
        Err(error) => Bad(format!("PostgreSQL does not tell the time: {error}")),
    }
}

/// Asks every machine over NATS whether it is there.
async fn machines(store: &Store, bus: Option<&Bus>, now: Timestamp) -> CheckResult {
    let nodes = match store.nodes().await {
        Ok(nodes) => nodes,
        Err(error) => return Bad(format!("the list cannot be read: {error}")),
    };
    let mut asked = Vec::with_capacity(nodes.len());
    for node in nodes {
        let is_reached = match bus {
            Some(bus) => {
                let subject = Subject::Node(node.number, NodeSubject::Stats);
                bus.request(subject, b"", ANSWER_TIMEOUT).await.is_ok()
            }
            None => false,
        };
        asked.push((node, is_reached));
    }
    told(&asked, now)
}

fn told(nodes: &[(NodeRecord, bool)], now: Timestamp) -> CheckResult {
    let names = |is_meant: &dyn Fn(&NodeRecord, bool) -> bool| {
        let meant = nodes
            .iter()
            .filter(|(node, reached)| is_meant(node, *reached));
        let names: Vec<&str> = meant.map(|(node, _)| node.name.as_str()).collect();
        names.join(", ")
    };
    let is_silent = |node: &NodeRecord| node.last_seen + NODE_IS_SILENT_AFTER < now;
    let reached = names(&|_, reached| reached);
    let unreached = names(&|node, reached| !reached && !is_silent(node));
    let silent = names(&|node, reached| !reached && is_silent(node));
    if !unreached.is_empty() {
        return Bad(format!(
            "{unreached} cannot be reached over NATS: do all machines have the same --cluster and --nats?"
        ));
    }
    if !silent.is_empty() {
        return Note(format!(
            "{silent} fell silent; if that is meant to be, it is forgotten after a day"
        ));
    }
    match reached.is_empty() {
        true => Note("none is running".into()),
        false => Good(format!("{reached} can be reached")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, seen: i64) -> NodeRecord {
        let at = |second| Timestamp::from_second(1_700_000_000 + second).unwrap();
        NodeRecord {
            id: name.into(),
            number: 1,
            name: name.into(),
            version: "0.3.0".into(),
            schema: 18,
            roles: "web".into(),
            addresses: "{}".into(),
            load: "{}".into(),
            since: at(0),
            last_seen: at(seen),
        }
    }

    #[test]
    fn a_machine_that_is_there_and_cannot_be_reached_is_named() {
        let now = Timestamp::from_second(1_700_000_100).unwrap();
        assert!(matches!(told(&[], now), Note(_)));
        let well = [(node("a", 99), true), (node("b", 0), true)];
        assert!(matches!(told(&well, now), Good(text) if text.starts_with("a, b can")));
        let silent = [(node("a", 99), true), (node("b", 0), false)];
        assert!(matches!(told(&silent, now), Note(text) if text.starts_with("b fell")));
        let cut_off = [(node("a", 99), false), (node("b", 0), false)];
        assert!(matches!(told(&cut_off, now), Bad(text) if text.starts_with("a cannot")));
    }
}
