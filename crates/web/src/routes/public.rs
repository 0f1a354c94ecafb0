//! What anybody may read of the server.

use crate::route::Access::{ChatUser, Public};
use crate::route::{Route, get, post};
use crate::{federation, public};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/status",                             Public,    public::status),
        get(   "/api/config",                             Public,    public::config),
        get(   "/api/ping",                               Public,    public::ping),
        get(   "/api/video/variants",                     Public,    public::variants),
        get(   "/api/yp",                                 Public,    public::directory),
        post(  "/api/notifications/register",             ChatUser,  federation::register_for_notifications),
        get(   "/api/socialplatforms",                    Public,    public::social_platforms),
    ]
}
