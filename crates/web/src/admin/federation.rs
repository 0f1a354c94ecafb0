//! The Fediverse, for the operator: followers, featured servers, what others did and wrote, what the account posts and
//! how it is delivered.

mod actions;
mod deliveries;
mod followers;
mod identity;
mod names;
mod posts;
mod quotes;
mod sent;
mod servers;

pub(crate) use actions::{Actions, list as actions};
pub(crate) use deliveries::{
    Deliveries, FediverseQueue, Ids, RemoteHost, drop_deliveries, hosts, list as deliveries, retry,
    summary,
};
pub(crate) use followers::{
    ByActor, Decision, Requests, approve, blocked, directories, feature_requests,
    list as followers, pending, remove,
};
pub(crate) use identity::{AccountKey, NewKey, key, rotate_key, take_back_key};
pub(crate) use names::{FormerName, check_new_name, forget_former_name, former_names};
pub(crate) use posts::{
    InboundPosts, Reports, delete as delete_post, delete_report, list as posts, reports,
};
pub(crate) use quotes::{Quotes, list as quotes, revoke as revoke_quote};
pub(crate) use sent::{
    MAX_SEND_BYTES, NewFediversePost, OwnPosts, delete as delete_own_post, list as own_posts, send,
};
pub(crate) use servers::{
    AllServers, FeatureServerRequest, KnownServer, Move, feature, list as servers, reorder,
    unfeature,
};
