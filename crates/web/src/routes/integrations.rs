//! What bots and overlays do with an access token.

use model::Scope;

use crate::integrations as bots;
use crate::route::Access::{AnyToken, Token};
use crate::route::{Access, Route, get, post};

const SEND: Access = Token(Scope::SendMessages);
const SYSTEM: Access = Token(Scope::SendSystemMessages);
const ADMIN: Access = Token(Scope::Admin);

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        post(  "/api/integrations/chat/system",                       SYSTEM,   bots::say_system),
        post(  "/api/integrations/chat/send",                         SEND,     bots::say_as_bot),
        post(  "/api/integrations/chat/action",                       SYSTEM,   bots::say_action),
        post(  "/api/integrations/chat/messagevisibility",            ADMIN,    bots::set_visibility),
        get(   "/api/integrations/chat",                              ADMIN,    bots::history),
        get(   "/api/integrations/clients",                           ADMIN,    bots::clients),
        post(  "/api/integrations/streamtitle",                       ADMIN,    bots::set_title),
        post(  "/api/integrations/chat/system/client/{clientId}",     SYSTEM,   bots::say_to_client),
        get(   "/api/integrations/status",                            ADMIN,    bots::status),
        get(   "/api/integrations/moderation/chat/user/{userId}",     ADMIN,    bots::user_details),
        post(  "/api/integrations/chat/user",                         SEND,     bots::was_removed),
        get(   "/api/integrations/events",                            AnyToken, bots::listen),
    ]
}
