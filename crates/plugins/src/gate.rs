//! The viewers' gate: the format of sessions, and which requests need one.
//!
//! Pure rules. A plugin with the permission `auth.gate` shows the sign-in page and names the user; the server handles
//! the cookie, its check and the redirect to the sign-in.

mod access;
mod pass;
mod session;

pub use access::{AccessGate, AccessMode, GateRequest, GateVerdict, is_exempt};
pub use pass::{PASS_SIGN, PASS_TTL, Pass, take_pass};
pub use session::{COOKIE, SessionKey, clear_cookie, open, seal, set_cookie, ttl};
