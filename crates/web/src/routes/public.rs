//! What anybody may read of the server.

use crate::public;
use crate::route::Access::Public;
use crate::route::{Route, get};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/status",                             Public,    public::status),
        get(   "/api/config",                             Public,    public::config),
        get(   "/api/ping",                               Public,    public::ping),
        get(   "/api/video/variants",                     Public,    public::variants),
        get(   "/api/socialplatforms",                    Public,    public::social_platforms),
    ]
}
