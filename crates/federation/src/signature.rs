//! Proves who sent a request, and that nothing in it was changed on the way.
//!
//! Supports both schemes of the Fediverse: draft-cavage-http-signatures-12 (`Signature`) and RFC 9421
//! (`Signature-Input`). Everything here is pure: bytes and a time in, headers or a verdict out. It must not fetch, read
//! a clock or know what an activity is; [`crate::keys`] supplies the keys.
//!
//! In reading order: [`sign`] makes the headers of our own requests. [`verify`] parses an incoming request; `parsed.rs` checks
//! everything that needs no key, and then the signature itself. `cavage.rs` and `rfc9421.rs` know exactly what is
//! signed; `digest.rs`, `date.rs`, `pem.rs`, `multikey.rs` and `structured.rs` read the small formats.

mod cavage;
mod date;
mod digest;
#[doc(hidden)]
pub mod fuzzing;
mod key;
mod key_id;
mod multikey;
mod parsed;
mod pem;
mod problem;
mod rfc9421;
pub mod sign;
mod structured;
pub mod verify;

#[cfg(test)]
mod tests;

pub use date::{TIME_WINDOW, http_date, parse_http_date};
pub use digest::{content_digest_header, digest_header};
pub use key::{BadKey, PublicKey, SigningKey};
pub use key_id::KeyId;
pub use parsed::{CheckedSignature, ParsedSignature, SignatureScheme, SignedRequest};
pub use problem::SignatureProblem;
pub use sign::{SignedTarget, Signer, Unsignable};
