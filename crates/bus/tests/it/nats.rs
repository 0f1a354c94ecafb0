//! A real NATS server, which the tests share.

use std::sync::atomic::{AtomicU32, Ordering};

use bus::{Bus, BusOptions};
use model::Secret;

/// A cluster of its own for each test.
pub(crate) struct Nats {
    pub(crate) server: String,
    pub(crate) cluster: String,
}

impl Nats {
    /// `None` if there is no NATS, which CI does not accept.
    pub(crate) fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let Ok(server) = std::env::var("RILLCAST_TEST_NATS") else {
            assert!(
                std::env::var_os("CI").is_none(),
                "RILLCAST_TEST_NATS is not set: the address of a NATS server with JetStream"
            );
            eprintln!("not told by NATS: RILLCAST_TEST_NATS is not set");
            return None;
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let cluster = format!("test-{}-{number}", std::process::id());
        Some(Self { server, cluster })
    }

    pub(crate) async fn bus(&self) -> Bus {
        let options = BusOptions {
            cluster: self.cluster.clone(),
            servers: Secret::new(self.server.as_str()),
            credentials: None,
            name: "test".into(),
            is_patient: false,
        };
        Bus::connect(options).await.unwrap()
    }

    pub(crate) async fn delete_stream(&self) {
        let client = async_nats::connect(self.server.as_str()).await.unwrap();
        let name = format!("RC_{}_MEDIA", self.cluster.to_uppercase());
        let context = async_nats::jetstream::new(client);
        context.delete_stream(name).await.unwrap();
    }
}
