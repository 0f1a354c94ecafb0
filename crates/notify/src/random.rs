//! Unguessable ids and secrets.

use model::Secret;

/// Bytes of a secret that is made here.
const SECRET_BYTES: usize = 32;
/// Bytes of what delivery ids are made of; two are never equal.
const ID_BYTES: usize = 16;

/// The secret that signs a webhook's notices, unless the operator supplies one.
pub(crate) fn secret() -> Secret {
    Secret::new(hex(&bytes::<SECRET_BYTES>()))
}

/// The random part of delivery ids.
pub(crate) fn id() -> String {
    hex(&bytes::<ID_BYTES>())
}

/// Encodes bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    aws_lc_rs::rand::fill(&mut bytes)
        .expect("the system's random generator does not fail once the process runs");
    bytes
}
