//! The Fediverse: see [`crate::federation`].

use ::federation::inbox::MAX_BODY_BYTES;

use crate::admin::federation as admin;
use crate::federation;
use crate::route::Access::{Admin, ChatUser, Public};
use crate::route::{Route, delete, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/.well-known/webfinger",                  Public,    federation::webfinger),
        get(   "/.well-known/host-meta",                  Public,    federation::host_meta),
        get(   "/.well-known/nodeinfo",                   Public,    federation::nodeinfo_links),
        get(   "/.well-known/x-nodeinfo2",                Public,    federation::nodeinfo2),
        get(   "/nodeinfo/2.0",                           Public,    federation::nodeinfo),
        get(   "/api/v1/instance",                        Public,    federation::instance)
            .says("What the Fediverse asks of a server").answers::<federation::InstanceDescription>()
            .also_nothing(404, "The server has no public address")
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
        get(   "/tags/{tag}",                             Public,    federation::hashtag),
        get(   "/api/followers",                          Public,    federation::followers)
            .says("Who follows").query::<federation::PageQuery>().answers::<federation::Followers>(),
        get(   "/api/federation/servers",                 Public,    federation::servers)
            .says("Servers that the operator features").answers::<federation::Servers>(),
        get(   "/api/federation/servers.m3u",             Public,    federation::playlist)
            .says("Those of them that are live, as a playlist").answers_text("audio/x-mpegurl"),
        post(  "/api/remotefollow",                       Public,    federation::remote_follow).limited()
            .says("Where to follow from another server").takes::<federation::RemoteFollowRequest>().answers::<federation::RemoteFollowRedirect>()
            .also(400, "Federation is switched off, or the account cannot be used"),
        post(  "/api/auth/fediverse",                     ChatUser,  federation::begin_sign_in).limited()
            .says("Have a code sent to an account, to sign in to the chat with").takes::<federation::SignInCodeRequest>().done()
            .also(400, "Federation is switched off, or the account cannot be used"),
        post(  "/api/auth/fediverse/verify",              ChatUser,  federation::finish_sign_in)
            .says("Sign in to the chat with the code that came").takes::<federation::SignInCode>().done()
            .also(403, "The code is wrong, void or too old"),
        get(   "/api/admin/followers",                    Admin,     admin::followers)
            .says("Who follows").query::<federation::PageQuery>().answers::<federation::Followers>(),
        get(   "/api/admin/followers/pending",            Admin,     admin::pending)
            .says("The followers that wait for approval").answers_list::<federation::Follower>(),
        get(   "/api/admin/followers/blocked",            Admin,     admin::blocked)
            .says("The followers that were refused").answers_list::<federation::Follower>(),
        get(   "/api/admin/followers/directory",          Admin,     admin::directories)
            .says("Directories that hear when the stream is live").answers_list::<federation::Follower>(),
        post(  "/api/admin/followers/approve",            Admin,     admin::approve)
            .says("Let somebody follow, or refuse and block them").takes::<admin::Decision>().done()
            .also(400, "There is no such follower"),
        post(  "/api/admin/followers/remove",             Admin,     admin::remove)
            .says("End a follow without blocking").takes::<admin::ByActor>().done().also(400, "There is no such follower"),
        get(   "/api/admin/federation/feature-requests",  Admin,     admin::feature_requests)
            .says("Directories that want to hear when the stream is live").answers::<admin::Requests>(),
        get(   "/api/admin/federation/servers",           Admin,     admin::servers)
            .says("Featured servers, and those that told of themselves").answers::<admin::AllServers>(),
        post(  "/api/admin/federation/servers",           Admin,     admin::feature)
            .says("Ask a server whether it may be featured").takes::<admin::FeatureServerRequest>().answers::<admin::KnownServer>()
            .also(400, "The server cannot be featured; `code` says why, for programs"),
        delete("/api/admin/federation/servers/{id}",      Admin,     admin::unfeature)
            .says("Feature a server no longer").done().also(404, "There is no such server"),
        post(  "/api/admin/federation/servers/{id}/reorder", Admin,  admin::reorder)
            .says("Move a featured server by one place").takes::<admin::Move>().done().also(404, "There is no such server"),
        get(   "/api/admin/federation/actions",           Admin,     admin::actions)
            .says("What others did with the account and its posts, newest first").query::<federation::PageQuery>().answers::<admin::Actions>(),
        get(   "/api/admin/federation/inbox",             Admin,     admin::posts)
            .says("Replies and mentions, newest first").query::<federation::PageQuery>().answers::<admin::InboundPosts>(),
        delete("/api/admin/federation/inbox/{id}",        Admin,     admin::delete_post)
            .says("Forget a reply or a mention").done().also(404, "There is no such post"),
        get(   "/api/admin/federation/reports",           Admin,     admin::reports)
            .says("Complaints of other servers, newest first").query::<federation::PageQuery>().answers::<admin::Reports>(),
        delete("/api/admin/federation/reports/{id}",      Admin,     admin::delete_report)
            .says("Forget a complaint").done().also(404, "There is no such complaint"),
        get(   "/api/admin/federation/quotes",            Admin,     admin::quotes)
            .says("Posts that quote those of the account, newest first").query::<federation::PageQuery>().answers::<admin::Quotes>(),
        delete("/api/admin/federation/quotes/{stamp}",    Admin,     admin::revoke_quote)
            .says("Take back the permission to quote").done().also(404, "There is no such quote"),
        post(  "/api/admin/federation/send",              Admin,     admin::send)
            .body_bytes(admin::MAX_SEND_BYTES)
            .says("Post to your followers, with a picture if you like").takes::<admin::NewFediversePost>().done()
            .also(400, "Federation is switched off, or there is nothing to say"),
        get(   "/api/admin/federation/posts",             Admin,     admin::own_posts)
            .says("Posts of the account with what others did with them, newest first").query::<federation::PageQuery>().answers::<admin::OwnPosts>(),
        delete("/api/admin/federation/posts/{id}",        Admin,     admin::delete_own_post)
            .says("Delete a post, here and elsewhere").done().also(404, "There is no such post"),
        get(   "/api/admin/federation/deliveries",        Admin,     admin::deliveries)
            .says("What is on its way to other servers, newest first").query::<federation::PageQuery>()
            .asks("state", "`pending`, `in_flight`, `delivered` or `failed`; all when it is absent").asks("host", "To this server only")
            .answers::<admin::Deliveries>(),
        get(   "/api/admin/federation/deliveries/summary", Admin,    admin::summary)
            .says("The queue of deliveries in a few numbers").answers::<admin::FediverseQueue>(),
        post(  "/api/admin/federation/deliveries/retry",  Admin,     admin::retry)
            .says("Send deliveries again, now").takes::<admin::Ids>().done().also(400, "None of them can be sent again"),
        post(  "/api/admin/federation/deliveries/drop",   Admin,     admin::drop_deliveries)
            .says("Forget deliveries").takes::<admin::Ids>().done(),
        get(   "/api/admin/federation/hosts",             Admin,     admin::hosts)
            .says("Servers that deliveries had trouble with").answers_list::<admin::RemoteHost>(),
        get(   "/api/admin/federation/former-names",      Admin,     admin::former_names)
            .says("Names the account had, the latest first").answers_list::<admin::FormerName>(),
        delete("/api/admin/federation/former-names/{name}", Admin,   admin::forget_former_name)
            .says("Forget a name the account had").done().also(404, "It had no such name"),
        get(   "/api/admin/federation/key",               Admin,     admin::key)
            .says("Who knows the account's key, and how far a new one has come").answers::<admin::AccountKey>(),
        post(  "/api/admin/federation/rotate-key",        Admin,     admin::rotate_key)
            .says("Give the account a new key").may_take::<admin::NewKey>().done().also(400, "Federation is switched off")
            .also(409, "The last new key is still being handed over"),
        post(  "/api/admin/federation/take-back-key",     Admin,     admin::take_back_key)
            .says("Go back to the account's previous key").done().also(400, "Federation is switched off")
            .also(409, "There is no key to go back to"),
    ]
}
