//! Authentication: the operator's identity, sessions, limits on guessing, access tokens of bots,
//! and visitors who prove who they are.
//!
//! Nothing here knows HTTP; `web` turns headers and cookies into calls, and results into statuses.
//! Secrets are random 256-bit values or argon2id-hashed passwords, compared in constant time.
//!
//! Start with [`AdminIdentity`], with [`AccessTokens`] for bots, with [`indieauth`] for visitors, or with [`provider`]
//! for the operator who visits other sites.

mod admin;
pub mod indieauth;
mod outside_password;
mod password;
pub mod provider;
mod secrets;
mod setup_link;
mod shared_memory;
mod throttle;
mod tokens;

pub use admin::{
    AdminIdentity, ChangeError, SESSION_LENGTH, SessionCookies, SetupError, SignInError, Visitor,
};
pub use password::{MIN_PASSWORD_CHARS, PasswordError, check_password, hash_password};
pub use secrets::{random_access_token, random_key, random_token, same, sha256};
pub use throttle::{Guesser, MAX_TRACKED_ADDRESSES, Throttle};
pub use tokens::{AccessTokens, Bearer, IssueError, IssuedToken};
