//! Servers the operator has nothing to do with.
//!
//! A blocked domain means the host of that name and every host below it. Blocking one takes back what there was: its
//! followers, what waits to be sent to it, and its place among featured servers.

use model::settings::Layers;
use model::settings::table::federation::BLOCKED_DOMAINS;

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

#[cfg(test)]
mod tests {
    use super::*;

    // 63
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
