//! Domains the operator has blocked.
//!
//! A blocked domain means the host of that name and every host below it. Blocking a domain removes its followers, the
//! deliveries queued for it, and its place among featured servers.

use std::time::Duration;

use model::settings::Layers;
use model::settings::table::federation::BLOCKED_DOMAINS;
use store::StoreError;

use crate::Federation;

/// Before another try when what there was of a domain could not be taken back.
const RETRY_PAUSE: Duration = Duration::from_secs(60);

/// Whether `host` (with or without a port, in whatever case) is one of `domains` or lies below one.
#[must_use]
pub fn is_blocked(domains: &[String], host: &str) -> bool {
    let host = host.split(':').next().unwrap_or_default();
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_within = |domain: &String| {
        let rest = host.strip_suffix(domain.as_str());
        !domain.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    domains.iter().any(is_within)
}

/// Whether the settings in force block `host`.
#[must_use]
pub fn blocks(layers: &Layers, host: &str) -> bool {
    let domains = layers.get(&BLOCKED_DOMAINS);
    is_blocked(domains, host)
}

impl Federation {
    /// Clears the data of blocked domains: at start, because the process may have been killed before it got to it, and
    /// whenever the list changes.
    pub(crate) async fn clear_blocked_for_ever(&self) {
        let mut changes = self.0.settings.changes();
        let mut cleared = Vec::new();
        loop {
            let domains = changes.borrow_and_update().get(&BLOCKED_DOMAINS).clone();
            if domains != cleared {
                match self.clear(&domains).await {
                    Ok(()) => cleared = domains,
                    Err(error) => {
                        tracing::warn!(%error, "what there is of blocked domains was not taken back");
                        let clock = &self.0.clock;
                        clock.sleep_until(clock.now() + RETRY_PAUSE).await;
                        continue;
                    }
                }
            }
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    async fn clear(&self, domains: &[String]) -> Result<(), StoreError> {
        for domain in domains {
            let removed = self.0.tables.remove_domain(domain.clone()).await?;
            if removed > 0 {
                tracing::info!(
                    domain,
                    followers = removed,
                    "removed the followers of a blocked domain"
                );
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case 63 of docs/federation-cases.md.
    #[test]
    fn a_blocked_domain_means_itself_and_what_is_below_it() {
        let domains = vec!["example.com".to_owned(), "xn--bcher-kva.example".to_owned()];
        let rows = [
            ("example.com", true),
            ("EXAMPLE.com", true),
            ("example.com:8443", true),
            ("example.com.", true),
            ("a.example.com", true),
            ("a.b.example.com", true),
            ("notexample.com", false),
            ("example.com.evil.test", false),
            ("com", false),
            ("xn--bcher-kva.example", true),
            ("", false),
        ];
        for (host, wanted) in rows {
            assert_eq!(is_blocked(&domains, host), wanted, "{host}");
        }
        assert!(!is_blocked(&[String::new()], "example.com"));
    }
}
