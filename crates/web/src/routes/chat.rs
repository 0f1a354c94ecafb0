//! The chat: people, moderators, and the operator among them.

use crate::chat;
use crate::route::Access::{Admin, ChatUser, Moderator, Public};
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        // Chat
        get(   "/ws",                                     Public,    chat::socket),
        post(  "/api/chat/register",                      Public,    chat::register),
        get(   "/api/chat",                               ChatUser,  chat::history),
        get(   "/api/chat/events",                        ChatUser,  chat::listen_to_events),
        post(  "/api/chat/events",                        ChatUser,  chat::say_by_post),
        post(  "/api/auth/indieauth",                     ChatUser,  chat::begin_sign_in),
        get(   "/api/auth/indieauth/callback",            Public,    chat::finish_sign_in),
        get(   "/api/emoji",                              Public,    chat::emoji),
        post(  "/api/chat/messagevisibility",             Moderator, chat::set_visibility_by_moderator),
        post(  "/api/chat/users/setenabled",              Moderator, chat::set_enabled_by_moderator),
        post(  "/api/chat/users/timeout",                 Moderator, chat::timeout_by_moderator),
        get(   "/api/chat/held",                          Moderator, chat::held_for_moderator),
        post(  "/api/chat/held",                          Moderator, chat::release_by_moderator),
        get(   "/api/moderation/chat/user/{id}",          Moderator, chat::user_details),
        // What the operator does
        get(   "/api/admin/chat/messages",                Admin,     chat::messages),
        get(   "/api/admin/chat/clients",                 Admin,     chat::clients),
        get(   "/api/admin/chat/held",                    Admin,     chat::held),
        post(  "/api/admin/chat/held",                    Admin,     chat::release),
        get(   "/api/admin/chat/log",                     Admin,     chat::log),
        get(   "/api/admin/chat/connection",              Admin,     chat::connection_report),
        post(  "/api/admin/chat/messagevisibility",       Admin,     chat::set_visibility),
        post(  "/api/admin/chat/users/setenabled",        Admin,     chat::set_enabled),
        post(  "/api/admin/chat/users/timeout",           Admin,     chat::timeout),
        post(  "/api/admin/chat/users/setmoderator",      Admin,     chat::set_moderator),
        get(   "/api/admin/chat/users/disabled",          Admin,     chat::users_banned),
        get(   "/api/admin/chat/users/moderators",        Admin,     chat::moderators),
        get(   "/api/admin/chat/users/ipbans",            Admin,     chat::address_bans),
        post(  "/api/admin/chat/users/ipbans/create",     Admin,     chat::ban_address),
        post(  "/api/admin/chat/users/ipbans/remove",     Admin,     chat::unban_address),
        get(   "/api/admin/users",                        Admin,     chat::users),
        post(  "/api/admin/users/delete",                 Admin,     chat::delete_user),
        post(  "/api/admin/emoji/upload",                 Admin,     chat::upload_emoji).body_bytes(3 * 1024 * 1024),
        post(  "/api/admin/emoji/delete",                 Admin,     chat::delete_emoji),
    ]
}
