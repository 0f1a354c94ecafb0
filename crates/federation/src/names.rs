//! Every address the stream has in the Fediverse.
//!
//! All of them are built from the configured `server_url` and the username; a request's `Host` or `X-Forwarded-*` never
//! becomes part of a name.

use aws_lc_rs::rand;
use model::settings::Layers;
use model::settings::table::{SERVER_URL, federation};
use url::{Host, Url};

/// What stands between the server and everything of this account.
const PATH_PREFIX: &str = "/federation/";
/// Random bytes in an id: nobody finds an object by guessing.
const ID_BYTES: usize = 16;

/// The server and its account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    base: String,
    host: String,
    username: String,
}

impl Names {
    /// From the public address of the server; `None` if that address cannot have names under it.
    pub fn new(server_url: &str, username: &str) -> Option<Self> {
        let url = Url::parse(server_url).ok()?;
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let host = authority(&url)?;
        Some(Self {
            base: format!("{}://{host}", url.scheme()),
            host,
            username: username.to_owned(),
        })
    }

    /// From the current settings; `None` while the server has no public address.
    pub fn of(settings: &Layers) -> Option<Self> {
        Self::new(
            settings.text(&SERVER_URL),
            settings.text(&federation::USERNAME),
        )
    }

    /// The same server under another username.
    pub fn under(&self, username: &str) -> Self {
        Self {
            username: username.to_owned(),
            ..self.clone()
        }
    }

    /// `https://live.example`, without a slash at the end.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The host, with its port unless that is the default.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// `live`
    pub fn username(&self) -> &str {
        &self.username
    }

    /// Whether others can trust it: without TLS nothing is sent and nothing is accepted.
    pub fn is_secure(&self) -> bool {
        self.base.starts_with("https://")
    }

    /// `live@live.example`
    pub fn account(&self) -> String {
        format!("{}@{}", self.username, self.host)
    }

    /// `acct:live@live.example`
    pub fn subject(&self) -> String {
        format!("acct:{}", self.account())
    }

    /// The actor's id.
    pub fn actor(&self) -> String {
        format!("{}{PATH_PREFIX}user/{}", self.base, self.username)
    }

    /// The id of the key it signs with.
    pub fn key_id(&self) -> String {
        format!("{}#main-key", self.actor())
    }

    /// The inbox.
    pub fn inbox(&self) -> String {
        format!("{}/inbox", self.actor())
    }

    /// The outbox.
    pub fn outbox(&self) -> String {
        format!("{}/outbox", self.actor())
    }

    /// The followers collection.
    pub fn followers(&self) -> String {
        format!("{}/followers", self.actor())
    }

    /// The id of a stored object or an activity of ours.
    pub fn object(&self, id: &str) -> String {
        format!("{}{PATH_PREFIX}{id}", self.base)
    }

    /// A new id for an object or an activity.
    pub fn new_object(&self) -> String {
        self.object(&new_id())
    }

    /// A new id for a Follow of ours.
    pub fn new_follow(&self) -> String {
        self.object(&format!("follow/{}", new_id()))
    }

    /// A new id for an Undo of ours.
    pub fn new_undo(&self) -> String {
        self.object(&format!("undo/{}", new_id()))
    }

    /// The address of a post's picture, by its file name.
    pub fn media(&self, file_name: &str) -> String {
        self.object(&format!("media/{file_name}"))
    }

    /// The address of the logo, which changes with the logo so that caches fetch the new one.
    pub fn logo(&self, version: &str) -> String {
        match version {
            "" => format!("{}/logo/external", self.base),
            version => format!("{}/logo/external?uc={version}", self.base),
        }
    }

    /// Whether this is an id of something of ours.
    pub fn is_ours(&self, iri: &str) -> bool {
        let rest = iri.strip_prefix(&self.base);
        rest.is_some_and(|rest| rest.starts_with(PATH_PREFIX))
    }

    /// The username in an actor id of this server, whether that actor exists or not.
    pub fn username_in<'a>(&self, iri: &'a str) -> Option<&'a str> {
        let name = iri
            .strip_prefix(&self.base)?
            .strip_prefix(PATH_PREFIX)?
            .strip_prefix("user/")?;
        (!name.is_empty() && !name.contains(['/', '#', '?'])).then_some(name)
    }
}

/// Host and port in the form used for comparing names: lower case, punycode, without the default port.
pub fn authority(url: &Url) -> Option<String> {
    let host = url.host()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_string(),
    })
}

/// The same for a host in text, perhaps in Unicode and perhaps with a port.
pub fn authority_of(text: &str) -> Option<String> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port))
            if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            (host, Some(port.parse::<u16>().ok()?))
        }
        _ => (text, None),
    };
    let host = Host::parse(host).ok()?;
    Some(match port {
        Some(port) if port != 443 => format!("{host}:{port}"),
        _ => host.to_string(),
    })
}

/// 128 random bits in letters and digits that cannot be confused.
pub fn new_id() -> String {
    const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut bytes = [0; ID_BYTES];
    rand::fill(&mut bytes)
        .expect("the system's random generator does not fail once the process runs");
    let mut number = u128::from_be_bytes(bytes);
    // 22 digits hold 128 bits; all ids have the same length.
    let mut id = String::with_capacity(22);
    for _ in 0..22 {
        let digit = usize::try_from(number % 58).unwrap_or_default();
        id.push(char::from(DIGITS[digit]));
        number /= 58;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_the_address_and_the_username_only() {
        let names = Names::new("https://live.example", "live").unwrap();
        assert_eq!(names.actor(), "https://live.example/federation/user/live");
        assert_eq!(names.key_id(), format!("{}#main-key", names.actor()));
        assert_eq!(names.subject(), "acct:live@live.example");
        assert_eq!(names.under("stage").account(), "stage@live.example");
        assert!(names.is_secure());
        assert_eq!(Names::new("", "live"), None);
        assert_eq!(Names::new("ftp://live.example", "live"), None);
    }

    #[test]
    fn unusual_ports_and_foreign_letters_stay_in_the_names() {
        let names = Names::new("https://Bücher.example:8443", "live").unwrap();
        assert_eq!(names.base(), "https://xn--bcher-kva.example:8443");
        assert_eq!(names.account(), "live@xn--bcher-kva.example:8443");
        for written in ["Bücher.example:8443", "xn--bcher-kva.EXAMPLE:8443"] {
            assert_eq!(authority_of(written).as_deref(), Some(names.host()));
        }
        assert_eq!(
            authority_of("live.example:443").as_deref(),
            Some("live.example")
        );
        for bad in ["", "a b", "x:99999", "a/b", ":1"] {
            assert_eq!(authority_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_ours_is_below_our_own_address() {
        let names = Names::new("https://live.example", "live").unwrap();
        assert!(names.is_ours(&names.new_object()));
        assert!(names.is_ours(&names.new_follow()));
        for foreign in [
            "https://live.example",
            "https://live.example.evil/federation/x",
            "http://live.example/federation/x",
            "https://live.example:8443/federation/x",
        ] {
            assert!(!names.is_ours(foreign), "{foreign}");
        }
        assert_eq!(names.username_in(&names.actor()), Some("live"));
        assert_eq!(names.username_in(&names.inbox()), None);
        assert_eq!(names.username_in(&names.key_id()), None);
    }

    #[test]
    fn ids_are_long_and_never_the_same() {
        let (one, other) = (new_id(), new_id());
        assert_eq!((one.len(), other.len()), (22, 22));
        assert_ne!(one, other);
    }
}
