//! What anybody may read of the server.

use super::{PLAYER_SESSION, description};
use crate::route::Access::{ChatUser, Public};
use crate::route::{Route, get, post};
use crate::{openapi, public};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/status",                             Public,    public::status)
            .says("Whether the stream is live, and how many watch").answers::<public::PublicStatus>(),
        get(   "/api/config",                             Public,    public::config)
            .says("What a page needs to know before it is drawn").answers::<public::Config>(),
        get(   "/api/ping",                               Public,    public::ping)
            .says("Report that the caller is watching").asks("sid", PLAYER_SESSION).also(200, "Noted"),
        get(   "/api/video/variants",                     Public,    public::variants)
            .says("The qualities there are, best first").answers_list::<public::StreamVariant>(),
        get(   "/api/yp",                                 Public,    public::directory)
            .says("What a directory of streams may know").answers::<public::DirectoryListing>().also_nothing(404, "The operator does not want to be listed"),
        post(  "/api/notifications/register",             ChatUser,  public::register_for_notifications)
            .says("Ask for notices by the browser, which there are none yet").also(400, "Always"),
        get(   "/api/socialplatforms",                    Public,    public::social_platforms)
            .says("The platforms that links to the operator may name").answers::<public::SocialPlatforms>(),
        get(   "/api/openapi.json",                       Public,    description::document)
            .says("This description").answers_as(openapi::OPENAPI).also(304, "The caller has it"),
        get(   "/api/docs",                               Public,    description::page)
            .says("This description as a page to read").answers_text("text/html").also(304, "The caller has it"),
    ]
}
