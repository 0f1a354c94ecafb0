//! `rillcast health`: asks the running server's `/readyz`, for places without another HTTP client.

use anyhow::{Context, bail};
use outbound::{FetchBudget, Policy, Url, http::HeaderMap};

use crate::config::{Config, OutboundConfig};
use crate::data_dir;
use crate::ready::reachable;
use crate::wiring::outbound_client;

/// Fails unless the server that uses the data folder says that it can serve.
pub async fn health(config: &Config) -> anyhow::Result<()> {
    let shown = config.data_dir.display();
    // The first address is that of the pages; it is the real one even when the system chose the port.
    let addresses = data_dir::addresses_in_use(&config.data_dir);
    let Some(address) = addresses.first() else {
        bail!("no server is running with the data folder {shown}");
    };
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let url = Url::parse(&format!("{scheme}://{}/readyz", reachable(*address)))?;
    // The certificate is for a public name, and this request to our own address carries no secrets.
    let ourselves = OutboundConfig {
        allow_internal: true,
        skip_tls_verify: true,
        ..OutboundConfig::default()
    };
    let client = outbound_client(&ourselves, String::new)?;
    let budget = FetchBudget::new(1);
    let answer = client
        .get(&url, &Policy::webhook(), HeaderMap::new(), &budget)
        .await
        .with_context(|| format!("{url} does not answer"))?;
    let text = String::from_utf8_lossy(&answer.body);
    let line = text.lines().next().unwrap_or_default();
    if !answer.status.is_success() {
        bail!("{url} answers {}: {line}", answer.status);
    }
    println!("{line}");
    Ok(())
}
