//! Prometheus metrics.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Installs the recorder once per process, however often this is called.
pub(crate) fn install() {
    HANDLE.get_or_init(|| match PrometheusBuilder::new().install_recorder() {
        Ok(handle) => {
            ::metrics::counter!("rillcast_panics_total", "where" => "any").absolute(0);
            Some(handle)
        }
        Err(error) => {
            tracing::warn!(%error, "no metrics");
            None
        }
    });
}

/// The text a scraper reads.
pub(crate) fn render() -> String {
    match HANDLE.get() {
        Some(Some(handle)) => handle.render(),
        _ => String::new(),
    }
}

/// Keeps the recorder's memory bounded; call it from time to time.
pub(crate) fn upkeep() {
    if let Some(Some(handle)) = HANDLE.get() {
        handle.run_upkeep();
    }
}
