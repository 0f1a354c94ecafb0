//! The chat: people, moderators, and the operator among them.

use crate::chat;
use crate::chat::shapes::{
    Acceptance, Address, BannedAddress, ConnectionReport, DeleteOwnRequest, DeleteUserRequest,
    EmojiEntry, EmojiRemoval, EmojiUpload, LocatedClient, LogQuery, LoggedAction, NewInvitation,
    OpenInvitation, PageQuery, PinRequest, Promotion, RegisterRequest, RegisterResponse, Release,
    Restrictions, RestrictionsChange, RevokeInvitationRequest, SetEnabledRequest, SignInRedirect,
    SignInRequest, Timeout, UserDetails, UsersPage, UsersQuery, VisibilityRequest,
    WireClientMessage, WireLine, WireUser,
};
use crate::route::Access::{Admin, ChatUser, Moderator, Public};
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        // Chat
        get(   "/ws",                                     Public,    chat::socket)
            .says("The chat's WebSocket").asks("accessToken", "The token of a chat user").asks("lastId", "The id of the last message received, to get what was missed")
            .also(101, "The socket is open").also_text(200, "Why there is no socket: `CHAT_DISABLED` or `ERROR_MAX_CONNECTIONS_EXCEEDED`", "text/plain")
            .also_nothing(403, "The address is banned").also_text(426, "The request is not for a socket", "text/plain"),
        post(  "/api/chat/register",                      Public,    chat::register)
            .says("Register a chat user").may_take::<RegisterRequest>().answers::<RegisterResponse>().limited(),
        get(   "/api/chat",                               ChatUser,  chat::history)
            .says("The newest messages, oldest first").answers_list::<WireLine<'_>>(),
        get(   "/api/chat/events",                        ChatUser,  chat::listen_to_events)
            .says("Listen to the chat without a socket").asks("lastId", "The id of the last message received, to get what was missed")
            .answers_text("text/event-stream").also_text(200, "Why nothing comes: `CHAT_DISABLED` or `ERROR_MAX_CONNECTIONS_EXCEEDED`", "text/plain")
            .also_nothing(403, "The caller is banned"),
        post(  "/api/chat/events",                        ChatUser,  chat::say_by_post)
            .says("Send a message without a socket").asks("session", "From the first event that was received").takes::<WireClientMessage>()
            .also(204, "Heard").also(404, "Nobody is listening with this session"),
        post(  "/api/chat/messages/delete",               ChatUser,  chat::delete_own)
            .says("Delete a message of one's own, within five minutes").takes::<DeleteOwnRequest>().done().limited(),
        post(  "/api/auth/indieauth",                     ChatUser,  chat::begin_sign_in)
            .says("Start signing in to the chat with a page of one's own").takes::<SignInRequest>().answers::<SignInRedirect>(),
        get(   "/api/auth/indieauth/callback",            Public,    chat::finish_sign_in)
            .says("Where the browser comes back to").asks("state", "As it was sent").asks("code", "From the page's provider")
            .also(307, "Signed in, back to the stream").also_text(400, "Why not", "text/html"),
        get(   "/api/emoji",                              Public,    chat::emoji)
            .says("The custom emoji").answers_list::<EmojiEntry>(),
        post(  "/api/chat/messagevisibility",             Moderator, chat::set_visibility_by_moderator)
            .says("Hide messages or show them again").takes::<VisibilityRequest>().done(),
        post(  "/api/chat/users/setenabled",              Moderator, chat::set_enabled_by_moderator)
            .says("Ban or unban a user").takes::<SetEnabledRequest>().done(),
        post(  "/api/chat/users/timeout",                 Moderator, chat::timeout_by_moderator)
            .says("Mute a user for a while").takes::<Timeout>().done(),
        post(  "/api/chat/pin",                           Moderator, chat::pin_by_moderator)
            .says("Pin a message above the chat, or unpin it").takes::<PinRequest>().done(),
        get(   "/api/chat/held",                          Moderator, chat::held_for_moderator)
            .says("The messages that wait for a moderator").answers_list::<WireLine<'_>>(),
        post(  "/api/chat/held",                          Moderator, chat::release_by_moderator)
            .says("Approve or reject a waiting message").takes::<Release>().done(),
        get(   "/api/chat/restrictions",                  Moderator, chat::restrictions_for_moderator)
            .says("Who may write, and how often").answers::<Restrictions>(),
        post(  "/api/chat/restrictions",                  Moderator, chat::change_restrictions_by_moderator)
            .says("Change who may write, and how often").takes::<RestrictionsChange>().done()
            .also(403, "The operator has set one of them to be as strict as it is")
            .also(409, "The operator has fixed it outside of the database"),
        get(   "/api/moderation/chat/user/{id}",          Moderator, chat::user_details)
            .says("Everything a moderator may know about a user").answers::<UserDetails<'_>>().also_nothing(404, "There is no such user"),
        get(   "/api/chat/hidden",                        Moderator, chat::hidden_for_moderator)
            .says("The hidden messages that are missing from the history, oldest first").answers_list::<WireLine<'_>>(),
        get(   "/api/chat/users/sanctioned",              Moderator, chat::sanctioned)
            .says("Who is banned or timed out, page by page, the latest first").query::<PageQuery>().answers::<UsersPage<'_>>(),
        get(   "/api/chat/log",                           Moderator, chat::log_for_moderator)
            .says("What moderators did, newest first, without IP addresses").query::<LogQuery>().answers_list::<LoggedAction>(),
        post(  "/api/chat/invitations/accept",            ChatUser,  chat::accept_invitation)
            .says("Become a moderator by an invitation").takes::<Acceptance>().done().limited()
            .also(403, "The invitation is not valid, or no longer").also(409, "The user has not signed in"),
        // What the operator does
        get(   "/api/admin/chat/messages",                Admin,     chat::messages)
            .says("The newest messages, including hidden ones").answers_list::<WireLine<'_>>(),
        get(   "/api/admin/chat/clients",                 Admin,     chat::clients)
            .says("Who is connected to the chat").answers_list::<LocatedClient<'_>>(),
        get(   "/api/admin/chat/held",                    Admin,     chat::held)
            .says("The messages that wait for a moderator").answers_list::<WireLine<'_>>(),
        post(  "/api/admin/chat/held",                    Admin,     chat::release)
            .says("Approve or reject a waiting message").takes::<Release>().done(),
        get(   "/api/admin/chat/restrictions",            Admin,     chat::restrictions)
            .says("Who may write, and how often").answers::<Restrictions>(),
        post(  "/api/admin/chat/restrictions",            Admin,     chat::change_restrictions)
            .says("Change who may write, and how often").takes::<RestrictionsChange>().done()
            .also(409, "It is fixed outside of the database"),
        post(  "/api/admin/chat/pin",                     Admin,     chat::pin)
            .says("Pin a message above the chat, or unpin it").takes::<PinRequest>().done(),
        get(   "/api/admin/chat/log",                     Admin,     chat::log)
            .says("What moderators did, newest first").answers_list::<LoggedAction>(),
        post(  "/api/admin/chat/operator",                Admin,     chat::chat_as_operator)
            .says("A token for the operator's own chat user, who has the server's name and moderates").answers::<RegisterResponse>(),
        get(   "/api/admin/chat/connection",              Admin,     chat::connection_report)
            .says("Whether sockets get through to the server").answers::<ConnectionReport>(),
        post(  "/api/admin/chat/messagevisibility",       Admin,     chat::set_visibility)
            .says("Hide messages or show them again").takes::<VisibilityRequest>().done(),
        post(  "/api/admin/chat/users/setenabled",        Admin,     chat::set_enabled)
            .says("Ban or unban a user").takes::<SetEnabledRequest>().done(),
        post(  "/api/admin/chat/users/timeout",           Admin,     chat::timeout)
            .says("Mute a user for a while").takes::<Timeout>().done(),
        post(  "/api/admin/chat/users/setmoderator",      Admin,     chat::set_moderator)
            .says("Make a user a moderator, or take that back").takes::<Promotion>().done(),
        get(   "/api/admin/chat/users/disabled",          Admin,     chat::users_banned)
            .says("Who is banned").answers_list::<WireUser<'_>>(),
        get(   "/api/admin/chat/users/moderators",        Admin,     chat::moderators)
            .says("Who may moderate").answers_list::<WireUser<'_>>(),
        get(   "/api/admin/chat/invitations",             Admin,     chat::invitations)
            .says("Invitations for moderators that nobody has accepted yet").answers_list::<OpenInvitation>(),
        post(  "/api/admin/chat/invitations/create",      Admin,     chat::invite_moderator)
            .says("Invite a moderator").answers::<NewInvitation>().also(409, "Too many invitations are open"),
        post(  "/api/admin/chat/invitations/revoke",      Admin,     chat::revoke_invitation)
            .says("Take an invitation back").takes::<RevokeInvitationRequest>().done(),
        get(   "/api/admin/chat/users/ipbans",            Admin,     chat::address_bans)
            .says("The banned IP addresses").answers_list::<BannedAddress>(),
        post(  "/api/admin/chat/users/ipbans/create",     Admin,     chat::ban_address)
            .says("Ban an IP address").takes::<Address>().done(),
        post(  "/api/admin/chat/users/ipbans/remove",     Admin,     chat::unban_address)
            .says("Unban an IP address").takes::<Address>().done(),
        get(   "/api/admin/users",                        Admin,     chat::users)
            .says("The chat users, page by page").query::<UsersQuery>().answers::<UsersPage<'_>>(),
        post(  "/api/admin/users/delete",                 Admin,     chat::delete_user)
            .says("Forget somebody").takes::<DeleteUserRequest>().done(),
        post(  "/api/admin/emoji/upload",                 Admin,     chat::upload_emoji).body_bytes(3 * 1024 * 1024)
            .says("Add a custom emoji").takes::<EmojiUpload>().done(),
        post(  "/api/admin/emoji/delete",                 Admin,     chat::delete_emoji)
            .says("Remove a picture").takes::<EmojiRemoval>().done(),
    ]
}
