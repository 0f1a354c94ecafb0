//! The Fediverse over HTTP.
//!
//! `enabled_guard.rs` answers for the whole protocol while federation is off, and rate-limits reads. `discovery.rs` is
//! how others find the account, `documents.rs` what they read of it, `answer.rs` the headers of both, `inbox.rs` where
//! they deliver. For pages and programs there are `followers.rs` and `servers.rs`, for visitors `follow.rs` and
//! `signin.rs`.

mod answer;
mod discovery;
mod documents;
mod enabled_guard;
mod follow;
mod followers;
mod inbox;
mod servers;
mod signin;

pub(crate) use discovery::{
    InstanceDescription, host_meta, instance, nodeinfo, nodeinfo_links, nodeinfo2, webfinger,
};
pub(crate) use documents::{
    actor, followers as followers_collection, following, hashtag, media, nothing, object, outbox,
};
pub(crate) use enabled_guard::require_enabled;
pub(crate) use follow::{RemoteFollowRedirect, RemoteFollowRequest, remote_follow};
pub(crate) use followers::{Follower, Followers, MAX_LIMIT, PageQuery, followers};
pub(crate) use inbox::inbox;
pub(crate) use servers::{FeaturedServer, Servers, playlist, servers};
pub(crate) use signin::{
    SignInCode, SignInCodeRequest, begin as begin_sign_in, finish as finish_sign_in,
};
