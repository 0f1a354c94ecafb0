//! The viewers' gate: what a session looks like, and who needs one.
//!
//! Pure rules. A plugin with the permission `auth.gate` shows the sign-in and names the user; the cookie, its check and
//! the way to the sign-in are the server's.

mod access;
mod pass;
mod session;

pub use access::{AccessGate, AccessMode, GateRequest, GateVerdict, is_exempt};
pub use pass::{PASS_SIGN, PASS_TTL, Pass, take_pass};
pub use session::{COOKIE, SessionKey, clear_cookie, open, seal, set_cookie, ttl};
