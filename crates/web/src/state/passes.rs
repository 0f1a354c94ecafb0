//! Which passes of viewers are still good.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::plugins::gate::{PASS_TTL, Pass, SessionKey};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;

/// Viewers of one plugin each whose pages are open, and viewers who signed out, of which the server knows. When there are
/// more, those that were heard of first are forgotten, and their pages are loaded again.
const MAX_KNOWN: usize = 50_000;

/// A pass is not renewed for longer than this: whoever got hold of an old one has nothing.
const LONGEST_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// What the server knows about passes besides what they say themselves.
pub(crate) struct Passes {
    /// A key of this process: after a restart pages ask for new ones.
    key: SessionKey,
    known: Mutex<PassRecords>,
}

/// What passes do not say themselves.
#[derive(Default)]
struct PassRecords {
    /// Who has pages of which plugin open, as a hash, and until when their passes are good.
    renewed: HashMap<[u8; 32], Timestamp>,
    /// Tokens of viewers who signed out, and until when their passes could be good.
    ended: HashMap<[u8; 32], Timestamp>,
}

impl Default for Passes {
    fn default() -> Self {
        let mut bytes = [0; 32];
        aws_lc_rs::rand::fill(&mut bytes)
            .expect("the system's random generator does not fail once the process runs");
        Self {
            key: SessionKey::new(&bytes),
            known: Mutex::default(),
        }
    }
}

impl std::fmt::Debug for Passes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Passes(…)")
    }
}

impl Passes {
    /// The pass in a text, while it is good for this plugin.
    pub(crate) fn good(&self, slug: &str, text: &str, now: Timestamp) -> Option<Pass> {
        let pass = Pass::open(&self.key, text)?;
        let known = self.known();
        let renewed = known.renewed.get(&pages_of(&pass));
        let is_renewed =
            now <= pass.expires + LONGEST_LIFE && renewed.is_some_and(|until| now <= *until);
        let is_alive = now <= pass.expires || is_renewed;
        let is_good = is_alive && pass.slug == slug && !known.ended.contains_key(&pass.viewer);
        is_good.then_some(pass)
    }

    /// The pages of this viewer are still open: their passes are good for a while longer.
    pub(crate) fn renew(&self, pass: &Pass, now: Timestamp) {
        let mut known = self.known();
        keep_bounded(&mut known.renewed, now);
        known.renewed.insert(pages_of(pass), now + PASS_TTL);
    }

    /// A viewer signed out: no pass of theirs is good any more.
    pub(crate) fn end(&self, token: &str, now: Timestamp) {
        self.end_viewer(access::sha256(token), now);
    }

    /// The same for a token of which only the hash is known.
    pub(crate) fn end_viewer(&self, token_hash: [u8; 32], now: Timestamp) {
        let mut known = self.known();
        keep_bounded(&mut known.ended, now);
        known.ended.insert(token_hash, now + 2 * PASS_TTL);
    }

    /// The key that seals passes.
    pub(crate) fn key(&self) -> &SessionKey {
        &self.key
    }

    fn known(&self) -> MutexGuard<'_, PassRecords> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One viewer and one plugin.
fn pages_of(pass: &Pass) -> [u8; 32] {
    let viewer = BASE64_URL_SAFE_NO_PAD.encode(pass.viewer);
    access::sha256(&format!("{}|{}|{viewer}", pass.slug, pass.gate))
}

/// Forgets what is over and, when that is not enough, what would be over next.
fn keep_bounded(known: &mut HashMap<[u8; 32], Timestamp>, now: Timestamp) {
    if known.len() < MAX_KNOWN {
        return;
    }
    known.retain(|_, until| now <= *until);
    if known.len() >= MAX_KNOWN {
        let first = known.iter().min_by_key(|(_, until)| **until);
        if let Some(first) = first.map(|(tag, _)| *tag) {
            known.remove(&first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn made(passes: &Passes) -> String {
        let pass = Pass {
            slug: "poll".into(),
            gate: String::new(),
            expires: at(600),
            viewer: access::sha256("token"),
        };
        pass.seal(&passes.key)
    }

    #[test]
    fn a_pass_ends_unless_its_page_renews_it_and_after_a_day_in_any_case() {
        let passes = Passes::default();
        let text = made(&passes);
        let pass = passes.good("poll", &text, at(600)).unwrap();
        assert!(passes.good("poll", &text, at(601)).is_none());
        passes.renew(&pass, at(500));
        assert!(passes.good("poll", &text, at(1100)).is_some());
        assert!(passes.good("poll", &text, at(1101)).is_none());
        passes.renew(&pass, at(87_000));
        assert!(passes.good("poll", &text, at(87_000)).is_some());
        assert!(passes.good("poll", &text, at(87_001)).is_none());
    }

    #[test]
    fn a_pass_is_good_for_its_plugin_alone_and_not_after_its_viewer_signed_out() {
        let passes = Passes::default();
        let text = made(&passes);
        assert!(passes.good("dice", &text, at(1)).is_none());
        assert!(Passes::default().good("poll", &text, at(1)).is_none());
        passes.end("other", at(1));
        assert!(passes.good("poll", &text, at(1)).is_some());
        passes.end("token", at(1));
        assert!(passes.good("poll", &text, at(1)).is_none());
    }

    #[test]
    fn what_is_known_about_passes_is_bounded() {
        let mut known = HashMap::new();
        for number in 0..MAX_KNOWN + 10 {
            let mut tag = [0; 32];
            tag[..8].copy_from_slice(&number.to_le_bytes());
            keep_bounded(&mut known, at(0));
            known.insert(tag, at(i64::try_from(number).unwrap()));
        }
        assert_eq!(known.len(), MAX_KNOWN);
        keep_bounded(&mut known, at(i64::MAX / 1_000_000_000_000));
        assert!(known.len() < MAX_KNOWN);
    }
}
