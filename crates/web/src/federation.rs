//! The Fediverse over HTTP.
//!
//! `switch.rs` answers for all of the protocol while federation is off, and stops who reads too much.
//! `discovery.rs` is how others find out that there is an account here, `documents.rs` what they read of it, `answer.rs`
//! the headers of both, `inbox.rs` where they send to. For pages and programs there are `followers.rs` and `servers.rs`,
//! for visitors `follow.rs` and `signin.rs`.

mod answer;
mod discovery;
mod documents;
mod follow;
mod followers;
mod inbox;
mod servers;
mod signin;
mod switch;

pub(crate) use discovery::{
    InstanceDescription, host_meta, instance, nodeinfo, nodeinfo_links, nodeinfo2, webfinger,
};
pub(crate) use documents::{
    actor, followers as followers_collection, following, hashtag, media, nothing, object, outbox,
};
pub(crate) use follow::{Begun as RemoteFollowBegun, Wish as RemoteFollow, remote_follow};
pub(crate) use followers::{Follower, Followers, MAX_LIMIT, Part, followers};
pub(crate) use inbox::inbox;
pub(crate) use servers::{FeaturedServer, Servers, playlist, servers};
pub(crate) use signin::{
    Typed as Code, Wish as CodeWish, begin as begin_sign_in, finish as finish_sign_in,
};
pub(crate) use switch::switch;
