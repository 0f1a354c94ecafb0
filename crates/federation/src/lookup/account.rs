//! An account as people write it.

use std::fmt;

use outbound::Url;
use url::Host;

/// Longest text that is looked at; no account is longer, however it is written.
pub const MAX_ACCOUNT_BYTES: usize = 1024;
/// Longest host; a longer one has no address.
const MAX_HOST_BYTES: usize = 253;
/// Longest name in front of the host; a longer one is refused.
const MAX_USER_CHARS: usize = 128;

/// `alice` at `remote.example`; the host is in lower case and ASCII, with a port if it is not 443. The user name keeps
/// its spelling, because only the other server knows whether case counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Account {
    user: String,
    host: String,
}

impl Account {
    /// Reads `@alice@remote.example`, the same without the first `@` or with a leading `acct:`, and a profile address
    /// such as `https://remote.example/@alice`. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > MAX_ACCOUNT_BYTES {
            return None;
        }
        if let Some(rest) = text.strip_prefix("https://") {
            let (host, path) = rest.split_once('/')?;
            return Self::new(path.strip_prefix('@')?.trim_end_matches('/'), host);
        }
        let text = text.strip_prefix("acct:").unwrap_or(text);
        let text = text.strip_prefix('@').unwrap_or(text);
        let (user, host) = text.split_once('@')?;
        Self::new(user, host)
    }

    /// An account on a known host.
    #[must_use]
    pub fn new(user: &str, host: &str) -> Option<Self> {
        let is_plain = user
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '~'));
        let is_short = user.chars().count() <= MAX_USER_CHARS;
        // In text, such a name would be read as a different one.
        let is_scheme = user.starts_with("acct:");
        if user.is_empty() || !is_plain || !is_short || is_scheme {
            return None;
        }
        Some(Self {
            user: user.to_owned(),
            host: authority(host)?,
        })
    }

    /// The part before the host.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The host, with its port if that is not the default.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The handle people use: `@alice@remote.example`.
    #[must_use]
    pub fn handle(&self) -> String {
        format!("@{self}")
    }

    /// The resource servers ask for: `acct:alice@remote.example`.
    #[must_use]
    pub fn resource(&self) -> String {
        format!("acct:{self}")
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.user, self.host)
    }
}

/// A host as URLs spell it, or `None` if the text is more than a host.
fn authority(text: &str) -> Option<String> {
    let is_host_only = text
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | ':'));
    if text.is_empty() || !is_host_only {
        return None;
    }
    let url = Url::parse(&format!("https://{text}/")).ok()?;
    let Some(Host::Domain(name)) = url.host() else {
        return None;
    };
    if name.len() > MAX_HOST_BYTES {
        return None;
    }
    Some(match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_read_however_it_is_written() {
        let rows = [
            ("@alice@remote.example", "alice@remote.example"),
            ("alice@remote.example", "alice@remote.example"),
            (" acct:alice@remote.example\n", "alice@remote.example"),
            ("@Alice@Remote.EXAMPLE", "Alice@remote.example"),
            ("https://remote.example/@alice", "alice@remote.example"),
            ("https://remote.example/@alice/", "alice@remote.example"),
            ("alice@remote.example:8443", "alice@remote.example:8443"),
            ("alice@remote.example:443", "alice@remote.example"),
            ("alice@bücher.example", "alice@xn--bcher-kva.example"),
            ("a.b-c_d@remote.example", "a.b-c_d@remote.example"),
            ("日本@remote.example", "日本@remote.example"),
        ];
        for (text, wanted) in rows {
            let account = Account::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(account.to_string(), wanted, "{text}");
            assert_eq!(account.handle(), format!("@{wanted}"));
            assert_eq!(account.resource(), format!("acct:{wanted}"));
        }
    }

    #[test]
    fn everything_else_is_no_account() {
        let long = format!("{}@remote.example", "a".repeat(129));
        let far = format!("alice@{}example", "remote.".repeat(36));
        let rows = [
            far.as_str(),
            "",
            "@",
            "alice",
            "@alice",
            "alice@",
            "@@remote.example",
            "a@b@remote.example",
            "alice@remote.example/path",
            "alice@user:pass@remote.example",
            "alice@remote.example?x",
            "alice@remote.example#x",
            "alice@remote.example\\x",
            "alice@127.0.0.1",
            "alice@2130706433",
            "alice@[::1]",
            "alice@remote.example:99999",
            "al ice@remote.example",
            "al/ice@remote.example",
            "al%20ice@remote.example",
            "<b>@remote.example",
            "http://remote.example/@alice",
            "https://remote.example/alice",
            "https://remote.example/@alice/1",
            "javascript:alert@remote.example/",
            "https://remote.example/@acct:alice",
            "acct:acct:alice@remote.example",
            "@acct:alice@remote.example",
            long.as_str(),
        ];
        for text in rows {
            assert_eq!(Account::parse(text), None, "{text}");
        }
    }
}
