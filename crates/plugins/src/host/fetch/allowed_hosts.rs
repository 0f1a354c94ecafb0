//! The hosts that a manifest allows.
//!
//! A pattern is a host, optionally with `*`, optionally followed by a port. `*` matches one or more characters, so
//! `*.example.com` covers subdomains but not `example.com` itself, and `*` alone covers every name. IP addresses must
//! be listed literally.

use url::{Host, Url};

/// Whether one of the patterns covers the host and port of `url`.
pub(super) fn is_allowed(url: &Url, patterns: &[String]) -> bool {
    patterns.iter().any(|pattern| covers(pattern, url))
}

fn covers(pattern: &str, url: &Url) -> bool {
    let pattern = pattern.trim().to_ascii_lowercase();
    let (name, port) = split_port(&pattern);
    let fits_port = match port {
        Some(port) => url.port_or_known_default() == port.parse().ok(),
        None => url.port().is_none(),
    };
    let fits_name = match url.host() {
        Some(Host::Domain(host)) => {
            let host = host.trim_end_matches('.').to_ascii_lowercase();
            glob(name.as_bytes(), host.as_bytes())
        }
        Some(Host::Ipv4(address)) => name == address.to_string(),
        Some(Host::Ipv6(address)) => name == format!("[{address}]"),
        None => false,
    };
    fits_port && fits_name
}

/// A port after the last colon, unless that colon is inside an IPv6 address.
fn split_port(pattern: &str) -> (&str, Option<&str>) {
    match pattern.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') && !port.is_empty() => (name, Some(port)),
        _ => (pattern, None),
    }
}

/// `*` matches one or more characters. Patterns are short, and backtracking only returns to the last star.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while place < text.len() {
        if pattern.get(at) == Some(&b'*') {
            retry = Some((at, place + 1));
            (at, place) = (at + 1, place + 1);
        } else if pattern.get(at) == Some(&text[place]) {
            (at, place) = (at + 1, place + 1);
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            (at, place) = (star + 1, from + 1);
            if place > text.len() {
                return false;
            }
        } else {
            return false;
        }
    }
    at == pattern.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(pattern: &str, url: &str) -> bool {
        is_allowed(&Url::parse(url).unwrap(), &[pattern.to_owned()])
    }

    #[test]
    fn a_pattern_covers_names_and_the_usual_ports() {
        for (pattern, url) in [
            ("api.example.com", "https://api.example.com/x"),
            ("API.Example.com", "http://api.EXAMPLE.com/"),
            ("*.example.com", "https://a.example.com/"),
            ("*.example.com", "https://a.b.example.com/"),
            ("api-*.example.com", "https://api-eu.example.com/"),
            ("*a*a.example", "https://aaba.example/"),
            ("*", "https://anything.example/"),
            ("api.example.com:8443", "https://api.example.com:8443/"),
            ("api.example.com:443", "https://api.example.com/"),
            ("192.0.2.1", "http://192.0.2.1/"),
            ("[2001:db8::1]:8080", "http://[2001:db8::1]:8080/"),
        ] {
            assert!(allowed(pattern, url), "{pattern} {url}");
        }
    }

    #[test]
    fn a_pattern_covers_nothing_else() {
        for (pattern, url) in [
            ("example.com", "https://api.example.com/"),
            ("*.example.com", "https://example.com/"),
            ("*.example.com", "https://example.com.evil.example/"),
            ("*.example.com", "https://notexample.com/"),
            ("api.example.com", "https://api.example.com:8443/"),
            ("api.example.com:8443", "https://api.example.com/"),
            ("*", "http://127.0.0.1/"),
            ("*", "http://[::1]/"),
            ("127.*", "http://127.0.0.1/"),
            ("*", "https://anything.example:9000/"),
            ("", "https://anything.example/"),
        ] {
            assert!(!allowed(pattern, url), "{pattern} {url}");
        }
    }
}
