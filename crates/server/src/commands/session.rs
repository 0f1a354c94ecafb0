//! `rillcast admin session`: lets the operator in when a flood of password guesses locks them out.

use std::time::Duration;

use access::{random_token, sha256};
use anyhow::bail;
use model::Clock;
use model::settings::table::SERVER_URL;
use store::settings::Settings;

use super::existing_store;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::ready::reachable;

/// How long a link can be used.
const LINK_LENGTH: Duration = Duration::from_secs(10 * 60);

/// Makes a sign-in link and prints it. Only its hash is stored; a running server accepts it at once.
pub async fn admin_session(config: &Config) -> anyhow::Result<()> {
    let store = existing_store(config).await?;
    if config.admin_password.is_none() && store.admin_password().await?.is_none() {
        store.close().await;
        bail!("this server is not set up yet: open the setup link that it printed when it started");
    }
    let settings = Settings::load(store.clone(), &config.settings).await?;
    let token = random_token();
    let hash = sha256(token.expose()).to_vec();
    let expires_at = SystemClock::new().now() + LINK_LENGTH;
    store.add_operator_link(hash, expires_at).await?;
    store.close().await;
    let base = match settings.now().text(&SERVER_URL) {
        "" => {
            let scheme = if config.tls.is_some() {
                "https"
            } else {
                "http"
            };
            format!("{scheme}://{}", reachable(config.listen))
        }
        public => public.to_owned(),
    };
    // In the fragment, which browsers never send: no log and no proxy sees it.
    println!("{base}/admin/session#{}", token.expose());
    eprintln!("It signs one browser in, within ten minutes. Whoever has it is the operator.");
    Ok(())
}
