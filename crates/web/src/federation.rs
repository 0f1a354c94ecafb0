//! The Fediverse over HTTP.
//!
//! `switch.rs` answers for all of the protocol while federation is off. `discovery.rs` is how others find out that there
//! is an account here, `documents.rs` what they read of it, `answer.rs` the headers of both, `inbox.rs` where they send
//! to; `lists.rs` is for pages and programs.

mod answer;
mod discovery;
mod documents;
mod inbox;
mod lists;
mod switch;

pub(crate) use discovery::{host_meta, instance, nodeinfo, nodeinfo_links, nodeinfo2, webfinger};
pub(crate) use documents::{
    actor, followers as followers_collection, following, media, nothing, object, outbox,
};
pub(crate) use inbox::inbox;
pub(crate) use lists::{
    Follower, Followers, Part, Servers, followers, no_followers, register_for_notifications,
    remote_follow, servers,
};
pub(crate) use switch::switch;
