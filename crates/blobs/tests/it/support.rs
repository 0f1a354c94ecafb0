//! Places to keep files in.

use std::time::Duration;

use blobs::{Blobs, BucketOptions};
use model::Secret;
use outbound::{Client, Url};
use testkit::https::Peer;

/// Longer than any honest answer on loopback, and short enough to be waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// For answers that never come.
pub(crate) const SHORT: Duration = Duration::from_millis(500);

pub(crate) fn client() -> Client {
    Client::builder()
        .user_agent("rillcast/0.0.0")
        .build()
        .unwrap()
}

pub(crate) fn options(endpoint: &str) -> BucketOptions {
    BucketOptions {
        endpoint: Url::parse(endpoint).unwrap(),
        bucket: "files".into(),
        region: "us-east-1".into(),
        prefix: "test".into(),
        access_key: "key".into(),
        secret_key: Secret::new("secret"),
        deadline: PATIENCE,
    }
}

/// A bucket whose server is this peer.
pub(crate) fn at(peer: &Peer, deadline: Duration) -> Blobs {
    let options = BucketOptions {
        deadline,
        ..options(&format!("http://{}/", peer.address()))
    };
    Blobs::in_bucket(options, client()).unwrap()
}

/// The bucket of `scripts/versitygw.sh`: `http://KEY:SECRET@HOST:PORT/BUCKET`. `None` where none was started.
pub(crate) fn real_bucket(prefix: &str) -> Option<BucketOptions> {
    let given = std::env::var("TEST_S3_URL").ok()?;
    let url = Url::parse(&given).unwrap();
    let mut endpoint = url.clone();
    endpoint.set_path("/");
    endpoint.set_username("").unwrap();
    endpoint.set_password(None).unwrap();
    Some(BucketOptions {
        bucket: url.path().trim_matches('/').to_owned(),
        prefix: prefix.to_owned(),
        access_key: url.username().to_owned(),
        secret_key: Secret::new(url.password().unwrap_or_default()),
        ..options(endpoint.as_str())
    })
}
