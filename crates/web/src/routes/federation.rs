//! Where federation will be: see [`crate::federation`].

use crate::federation;
use crate::route::Access::{Admin, Public};
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/.well-known/webfinger",                  Public,    federation::switched_off),
        get(   "/.well-known/host-meta",                  Public,    federation::switched_off),
        get(   "/.well-known/nodeinfo",                   Public,    federation::switched_off),
        get(   "/.well-known/x-nodeinfo2",                Public,    federation::switched_off),
        get(   "/nodeinfo/2.0",                           Public,    federation::switched_off),
        get(   "/api/v1/instance",                        Public,    federation::switched_off),
        get(   "/federation/",                            Public,    federation::switched_off),
        get(   "/federation/{*path}",                     Public,    federation::switched_off),
        get(   "/api/followers",                          Public,    federation::followers),
        get(   "/api/federation/servers",                 Public,    federation::servers),
        post(  "/api/remotefollow",                       Public,    federation::remote_follow),
        get(   "/api/admin/followers",                    Admin,     federation::followers),
        get(   "/api/admin/followers/pending",            Admin,     federation::no_followers),
        get(   "/api/admin/followers/blocked",            Admin,     federation::no_followers),
    ]
}
