//! The one key that all actors here share, each under a key id of its own.

use std::hint::black_box;
use std::time::{Duration, Instant};

use aws_lc_rs::encoding::{AsDer as _, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// As long as what is signed of a request.
const TEXT_BYTES: usize = 250;
/// Signatures between two looks at the time.
const AT_ONCE: u64 = 50;

#[derive(Debug)]
pub struct Key {
    pair: RsaKeyPair,
    pub public_pem: String,
}

impl Key {
    pub fn generate() -> Result<Self, String> {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).map_err(|error| error.to_string())?;
        let der: PublicKeyX509Der<'_> = pair
            .public_key()
            .as_der()
            .map_err(|error| error.to_string())?;
        let encoded = STANDARD.encode(der.as_ref());
        let lines: Vec<&str> = encoded
            .as_bytes()
            .chunks(64)
            .filter_map(|line| std::str::from_utf8(line).ok())
            .collect();
        let public_pem = format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
            lines.join("\n")
        );
        Ok(Self { pair, public_pem })
    }

    pub fn sign(&self, text: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; self.pair.public_modulus_len()];
        self.pair
            .sign(
                &RSA_PKCS1_SHA256,
                &SystemRandom::new(),
                text,
                &mut signature,
            )
            .expect("a key of ours signs");
        signature
    }

    /// Signatures a second on one core, with nothing around them.
    pub fn rate(&self, seconds: u64) -> f64 {
        let (begin, mut count) = (Instant::now(), 0);
        let text = [7; TEXT_BYTES];
        while begin.elapsed() < Duration::from_secs(seconds) {
            for _ in 0..AT_ONCE {
                black_box(self.sign(black_box(&text)));
            }
            count += AT_ONCE;
        }
        count as f64 / begin.elapsed().as_secs_f64()
    }
}
