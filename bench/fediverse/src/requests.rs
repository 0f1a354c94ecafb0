//! Requests to the inbox of the server that is measured, complete: signed as Mastodon signs, or forged.

use std::net::SocketAddr;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use serde_json::{Value, json};

use crate::key::Key;

/// Bytes of a signature by an RSA key of 2048 bits.
const SIGNATURE_BYTES: usize = 256;

/// The server that is measured.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub address: SocketAddr,
    pub host: String,
    pub inbox: String,
    pub actor: String,
}

impl Receiver {
    /// Out of a command: `server` is an address and a port, `actor` the IRI of the account.
    pub fn of(command: &Value) -> Result<Self, String> {
        let server = crate::text(command, "server")?;
        let actor = crate::text(command, "actor")?;
        let path = actor
            .strip_prefix("https://")
            .and_then(|rest| rest.split_once('/'));
        let (host, path) = path.ok_or(format!("{actor:?} is no actor"))?;
        Ok(Self {
            address: server
                .parse()
                .map_err(|_| format!("{server:?} is no address"))?,
            host: host.to_owned(),
            inbox: format!("/{path}/inbox"),
            actor: actor.to_owned(),
        })
    }
}

/// A request whose signature is good.
pub fn signed(key: &Key, to: &Receiver, key_id: &str, activity: &Value) -> Vec<u8> {
    request(to, key_id, activity, |text| key.sign(text.as_bytes()))
}

/// A request in which everything is right but the signature; `noise` makes each differ.
pub fn forged(to: &Receiver, key_id: &str, activity: &Value, noise: u64) -> Vec<u8> {
    request(to, key_id, activity, |_| {
        let words = (0..).map(|n: u64| (noise + n).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        words
            .flat_map(u64::to_le_bytes)
            .take(SIGNATURE_BYTES)
            .collect()
    })
}

fn request(
    to: &Receiver,
    key_id: &str,
    activity: &Value,
    sign: impl Fn(&str) -> Vec<u8>,
) -> Vec<u8> {
    let Receiver { host, inbox, .. } = to;
    let body = activity.to_string();
    let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&Timestamp::now());
    let date = date.expect("this year has four digits");
    let digest = STANDARD.encode(digest(&SHA256, body.as_bytes()));
    let text = format!(
        "(request-target): post {inbox}\nhost: {host}\ndate: {date}\ndigest: SHA-256={digest}\ncontent-type: application/activity+json"
    );
    let signature = STANDARD.encode(sign(&text));
    let length = body.len();
    let request = format!(
        "POST {inbox} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: fediverse (bench)\r\nDate: {date}\r\n\
         Digest: SHA-256={digest}\r\nContent-Type: application/activity+json\r\nContent-Length: {length}\r\n\
         Signature: keyId=\"{key_id}\",algorithm=\"rsa-sha256\",\
         headers=\"(request-target) host date digest content-type\",signature=\"{signature}\"\r\n\r\n{body}"
    );
    request.into_bytes()
}

pub fn follow(to: &Receiver, actor: &str, number: u64) -> Value {
    json!({
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": format!("{actor}/follows/{number}"),
        "type": "Follow",
        "actor": actor,
        "object": to.actor,
    })
}

/// A post that mentions the account, as a large server sends it.
pub fn mention(to: &Receiver, actor: &str, number: u64) -> Value {
    let public = "https://www.w3.org/ns/activitystreams#Public";
    let note = format!("{actor}/statuses/{number}");
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    json!({
        "@context": ["https://www.w3.org/ns/activitystreams", { "sensitive": "as:sensitive", "toot": "http://joinmastodon.org/ns#" }],
        "id": format!("{note}/activity"),
        "type": "Create",
        "actor": actor,
        "published": now,
        "to": [public],
        "cc": [format!("{actor}/followers"), to.actor],
        "object": {
            "id": note,
            "type": "Note",
            "published": now,
            "attributedTo": actor,
            "to": [public],
            "cc": [format!("{actor}/followers"), to.actor],
            "content": format!("<p><a href=\"{}\" class=\"u-url mention\">@<span>live</span></a> what a show, I will be back next week and bring somebody along</p>", to.actor),
            "tag": [{ "type": "Mention", "href": to.actor, "name": format!("@live@{}", to.host) }],
        },
    })
}
