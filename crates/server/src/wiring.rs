//! Where the rooms meet: they are opened in order and handed what they need.

use std::sync::Arc;

use access::AdminIdentity;
use anyhow::Context;
use model::settings::table::STREAM_KEYS;
use model::{Clock, Secret, StreamStatus};
use serde_json::json;
use store::Store;
use store::settings::Settings;
use tokio::sync::watch;
use web::{App, Facts, LogBook, TrustedProxies};

use crate::config::Config;
use crate::data_dir::DataDir;

/// Every room, open.
#[derive(Debug)]
pub(crate) struct Rooms {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) admin: AdminIdentity,
    pub(crate) clock: Arc<dyn Clock>,
    /// The media engine will tell the stream's state through this.
    pub(crate) stream: watch::Sender<StreamStatus>,
    /// Last, because the lock must outlive whatever writes.
    pub(crate) data_dir: DataDir,
}

impl Rooms {
    /// Opens the database and everything above.
    pub(crate) async fn open(
        config: &Config,
        data_dir: DataDir,
        clock: Arc<dyn Clock>,
    ) -> anyhow::Result<Self> {
        let store = Store::open(&config.database, &data_dir.secret_key()).await?;
        let settings = Settings::load(store.clone(), &config.settings).await?;
        let admin = AdminIdentity::load(
            store.clone(),
            Arc::clone(&clock),
            config.admin_password.as_ref(),
        )
        .await?;
        let stream = watch::Sender::new(StreamStatus::default());
        let rooms = Self {
            store,
            settings,
            admin,
            clock,
            stream,
            data_dir,
        };
        rooms
            .make_stream_key()
            .await
            .context("cannot store the first stream key")?;
        Ok(rooms)
    }

    /// The first start makes a random stream key; there is no default one.
    async fn make_stream_key(&self) -> anyhow::Result<()> {
        if self.settings.now().get(&STREAM_KEYS).is_empty() {
            let key = access::random_key();
            let keys = json!([{ "key": key.expose(), "comment": "made at the first start" }]);
            self.settings
                .set(&STREAM_KEYS, keys, self.clock.now())
                .await?;
        }
        Ok(())
    }

    /// The key to show to the operator.
    pub(crate) fn stream_key(&self) -> Secret {
        let layers = self.settings.now();
        Secret::new(
            layers
                .get(&STREAM_KEYS)
                .first()
                .map(|key| key.key.as_str())
                .unwrap_or_default(),
        )
    }

    /// The HTTP surface over these rooms.
    pub(crate) fn app(&self, config: &Config, logs: Arc<dyn LogBook>, facts: Facts) -> App {
        App::new(
            self.settings.clone(),
            self.store.clone(),
            self.admin.clone(),
            Arc::clone(&self.clock),
            self.stream.subscribe(),
            TrustedProxies(config.trusted_proxies.clone()),
            logs,
            facts,
        )
    }
}
