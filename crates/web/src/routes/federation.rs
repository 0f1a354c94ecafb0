//! The Fediverse: see [`crate::federation`].

use ::federation::inbox::MAX_BODY_BYTES;

use crate::federation;
use crate::route::Access::{Admin, Public};
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/.well-known/webfinger",                  Public,    federation::webfinger),
        get(   "/.well-known/host-meta",                  Public,    federation::host_meta),
        get(   "/.well-known/nodeinfo",                   Public,    federation::nodeinfo_links),
        get(   "/.well-known/x-nodeinfo2",                Public,    federation::nodeinfo2),
        get(   "/nodeinfo/2.0",                           Public,    federation::nodeinfo),
        get(   "/api/v1/instance",                        Public,    federation::instance)
            .says("What the Fediverse asks of a server").also_nothing(404, "The server has no public address")
            .also_nothing(405, "Federation is switched off"),
        get(   "/federation/",                            Public,    federation::nothing),
        get(   "/federation/user/",                       Public,    federation::nothing),
        get(   "/federation/user/{username}",             Public,    federation::actor),
        post(  "/federation/user/{username}/inbox",       Public,    federation::inbox).body_bytes(MAX_BODY_BYTES),
        get(   "/federation/user/{username}/outbox",      Public,    federation::outbox),
        get(   "/federation/user/{username}/followers",   Public,    federation::followers_collection),
        get(   "/federation/user/{username}/following",   Public,    federation::following),
        get(   "/federation/media/{name}",                Public,    federation::media),
        get(   "/federation/{*path}",                     Public,    federation::object),
        get(   "/api/followers",                          Public,    federation::followers)
            .says("Who follows").query::<federation::Part>().answers::<federation::Followers>(),
        get(   "/api/federation/servers",                 Public,    federation::servers)
            .says("Servers that the operator features").answers::<federation::Servers>(),
        post(  "/api/remotefollow",                       Public,    federation::remote_follow)
            .says("Follow from elsewhere").also(400, "Federation is switched off"),
        get(   "/api/admin/followers",                    Admin,     federation::followers)
            .says("Who follows").query::<federation::Part>().answers::<federation::Followers>(),
        get(   "/api/admin/followers/pending",            Admin,     federation::no_followers)
            .says("Who wants to follow").answers_list::<federation::Follower>(),
        get(   "/api/admin/followers/blocked",            Admin,     federation::no_followers)
            .says("Who may not follow").answers_list::<federation::Follower>(),
    ]
}
