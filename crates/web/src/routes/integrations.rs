//! What bots and overlays do with an access token.

use model::Scope;

use crate::chat::shapes::{ChatClient, UserDetails, VisibilityRequest, WireLine};
use crate::integrations as bots;
use crate::integrations::{BotText, TimedStatus, Title};
use crate::route::Access::{AnyToken, Token};
use crate::route::{Access, Route, get, post};

const SEND: Access = Token(Scope::SendMessages);
const SYSTEM: Access = Token(Scope::SendSystemMessages);
const ADMIN: Access = Token(Scope::Admin);

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        post(  "/api/integrations/chat/system",                       SYSTEM,   bots::say_system)
            .says("Send a message as the server").takes::<BotText>().done(),
        post(  "/api/integrations/chat/send",                         SEND,     bots::say_as_bot)
            .says("Send a message as the token's own user").takes::<BotText>().done(),
        post(  "/api/integrations/chat/action",                       SYSTEM,   bots::say_action)
            .says("Announce to everybody that something happened").takes::<BotText>().done(),
        post(  "/api/integrations/chat/messagevisibility",            ADMIN,    bots::set_visibility)
            .says("Hide messages or show them again").takes::<VisibilityRequest>().done(),
        get(   "/api/integrations/chat",                              ADMIN,    bots::history)
            .says("The newest messages, oldest first").answers_list::<WireLine<'_>>(),
        get(   "/api/integrations/clients",                           ADMIN,    bots::clients)
            .says("Who is connected to the chat").answers_list::<ChatClient<'_>>(),
        post(  "/api/integrations/streamtitle",                       ADMIN,    bots::set_title)
            .says("Change the stream's title").takes::<Title>().done().also(409, "The title is given outside the database and locked"),
        post(  "/api/integrations/chat/system/client/{clientId}",     SYSTEM,   bots::say_to_client)
            .says("Send a message as the server to one connection").takes::<BotText>().done(),
        get(   "/api/integrations/status",                            ADMIN,    bots::status)
            .says("The server's state").answers::<TimedStatus>(),
        get(   "/api/integrations/moderation/chat/user/{userId}",     ADMIN,    bots::user_details)
            .says("Everything a moderator may know about a user").answers::<UserDetails<'_>>().also_nothing(404, "There is no such user"),
        post(  "/api/integrations/chat/user",                         SEND,     bots::was_removed)
            .says("Gone: use chat/send").also(400, "Always"),
        get(   "/api/integrations/events",                            AnyToken, bots::listen)
            .says("Follow events, over a socket or as server-sent events").asks("types", "Event types to receive, separated by commas; all when absent")
            .asks("lastEventId", "The last event received, to resume from there").answers_text("text/event-stream").also(101, "The socket is open"),
    ]
}
