//! Signatures that prove a notice is ours and recent.

use aws_lc_rs::hmac;
use jiff::Timestamp;
use model::Secret;

use crate::random::hex;

/// `t=<unix seconds>.s=<hex>`, where hex is HMAC-SHA256 over `<t>.<body>`.
///
/// The time is that of the attempt, not of the event: receivers refuse anything older than a few minutes, and a notice
/// may have waited for days.
pub(super) fn signature(secret: &Secret, at: Timestamp, body: &str) -> String {
    let seconds = at.as_second();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
    let tag = hmac::sign(&key, format!("{seconds}.{body}").as_bytes());
    format!("t={seconds}.s={}", hex(tag.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::digest::{SHA256, digest};
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn it_is_what_other_programs_compute() {
        // printf '1700000000.{"type":"CHAT","eventData":{}}' | openssl dgst -sha256 -hmac 'a secret'
        let body = r#"{"type":"CHAT","eventData":{}}"#;
        assert_eq!(
            signature(&Secret::new("a secret"), at(1_700_000_000), body),
            "t=1700000000.s=8fbe99c33bdd53d07e95cab702fab6960ada33aeef4c4000bd6dd030d0b5868d"
        );
    }

    /// RFC 2104 written out, so that a misuse of the library cannot hide.
    fn by_hand(key: &[u8], message: &[u8]) -> String {
        let mut block = [0; 64];
        let short = if key.len() > 64 {
            digest(&SHA256, key).as_ref().to_vec()
        } else {
            key.to_vec()
        };
        block[..short.len()].copy_from_slice(&short);
        let padded = |with: u8| block.map(|byte| byte ^ with).to_vec();
        let inner = digest(&SHA256, &[padded(0x36), message.to_vec()].concat());
        hex(digest(&SHA256, &[padded(0x5c), inner.as_ref().to_vec()].concat()).as_ref())
    }

    proptest! {
        #[test]
        fn a_receiver_that_splits_the_header_finds_time_and_proof(
            secret in ".{1,100}",
            body in ".{0,200}",
            seconds in 0i64..4_000_000_000,
        ) {
            let header = signature(&Secret::new(secret.clone()), at(seconds), &body);
            prop_assert!(header.bytes().all(|byte| byte.is_ascii_graphic()));
            let (time, proof) = header.strip_prefix("t=").unwrap().split_once(".s=").unwrap();
            prop_assert_eq!(time.parse::<i64>().unwrap(), seconds);
            prop_assert_eq!(proof, by_hand(secret.as_bytes(), format!("{time}.{body}").as_bytes()));
        }
    }
}
