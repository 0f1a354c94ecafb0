//! What tests of fetching need: a key of our own, a policy about other hosts, and a record of what arrived.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use federation::fetch::{FetchPolicy, Fetcher};
use federation::identity::Signers;
use federation::signature::verify::parse;
use federation::signature::{
    PublicKey, SignatureProblem, SignedRequest as Signed, Signer, SigningKey,
};
use jiff::Timestamp;
use model::Clock;
use outbound::http::{HeaderMap, HeaderName, HeaderValue};
use testkit::ManualClock;

use crate::peer::{Peers, Request};

/// Timeout for peers; even on a busy machine a well-behaved one answers within it.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
pub(crate) const OUR_KEY_ID: &str = "https://live.example/federation/user/live#main-key";

/// One key for all tests: generating one is slow.
pub(crate) fn our_key() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::generate().unwrap())
}

/// Signs, and fetches nothing from hosts under `blocked.example`.
#[derive(Debug, Default)]
pub(crate) struct Outlook {
    pub(crate) is_mute: bool,
}

impl FetchPolicy for Outlook {
    fn signers(&self, _: &str) -> Option<Signers> {
        let first = Signer {
            key: our_key().clone(),
            key_id: OUR_KEY_ID.to_owned(),
        };
        (!self.is_mute).then_some(Signers { first, other: None })
    }

    fn has_contacted(&self, _: &str, _: Option<&str>) {}

    fn knows_new_key(&self, _: &str) {}

    fn refuses(&self, host: &str) -> bool {
        host == "live.example" || host.ends_with("blocked.example")
    }
}

pub(crate) fn fetcher_with(peers: &Peers, clock: &ManualClock, deadline: Duration) -> Fetcher {
    let clock: Arc<dyn Clock> = Arc::new(clock.clone());
    Fetcher::new(peers.client(deadline), clock, Arc::<Outlook>::default())
}

pub(crate) fn fetcher(peers: &Peers, clock: &ManualClock) -> Fetcher {
    fetcher_with(peers, clock, DEADLINE)
}

/// What the server of `host` says about a request's signature, taking `target` as the request target.
pub(crate) fn judged_by(
    host: &str,
    request: &Request,
    target: &str,
    now: Timestamp,
) -> Result<(), SignatureProblem> {
    let mut headers = HeaderMap::new();
    for line in request.head.lines().skip(1) {
        if let Some((name, value)) = line.split_once(": ") {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
    }
    let base = format!("https://{host}");
    let signed = Signed {
        method: request.method(),
        target,
        headers: &headers,
        host,
        base: &base,
    };
    let parsed = parse(&signed)?;
    assert_eq!(parsed.key_id().as_str(), OUR_KEY_ID);
    let key = PublicKey::from_pem(our_key().public_pem()).unwrap();
    parsed
        .check_without_key(now, request.body.as_bytes())?
        .verify(&key)
}
