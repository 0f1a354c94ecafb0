//! The Fediverse, for the operator: who follows, who is featured, what others did and wrote.

mod actions;
mod followers;
mod identity;
mod posts;
mod quotes;
mod servers;

pub(crate) use actions::{Actions, list as actions};
pub(crate) use followers::{
    ByActor, Decision, Requests, approve, blocked, directories, feature_requests,
    list as followers, pending, remove,
};
pub(crate) use identity::rotate_key;
pub(crate) use posts::{
    InboundPosts, Reports, delete as delete_post, delete_report, list as posts, reports,
};
pub(crate) use quotes::{Quotes, list as quotes, revoke as revoke_quote};
pub(crate) use servers::{
    AllServers, FeatureWish, KnownServer, Move, feature, list as servers, reorder, unfeature,
};
