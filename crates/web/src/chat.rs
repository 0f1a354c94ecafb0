//! The chat over HTTP: sockets, the fallback for clients that cannot use them, and moderation.

mod caller;
mod connection;
mod direct_socket;
mod emoji;
mod events;
mod handshake;
mod invitations;
mod keep_alive;
mod lists;
mod moderation;
mod moderators;
mod operator;
mod own_lines;
mod people;
mod pins;
mod register;
mod restrictions;
mod signin;
mod socket;
mod wire;

pub(crate) use caller::{
    ChatCaller, caller, check, parameter, token_of, viewer, viewer_by_hash, viewer_by_token,
};
pub(crate) use connection::report as connection_report;
pub use direct_socket::wrap;
pub(crate) use emoji::{delete as delete_emoji, list as emoji, picture, upload as upload_emoji};
pub use events::say_here;
pub(crate) use events::{listen as listen_to_events, say as say_by_post};
pub(crate) use invitations::{
    accept as accept_invitation, invite as invite_moderator, list as invitations,
    revoke as revoke_invitation,
};
pub(crate) use keep_alive::KeepAlive;
pub(crate) use lists::{
    address_bans, clients, clients_without_addresses, held, held_for_moderator, log, messages,
    moderators, user_details, user_details_of, users, users_banned,
};
pub(crate) use moderation::{
    VisibilityRequest, ban_address, change_visibility, delete_user, release, release_by_moderator,
    set_enabled, set_enabled_by_moderator, set_moderator, set_visibility,
    set_visibility_by_moderator, timeout, timeout_by_moderator, unban_address,
};
pub(crate) use moderators::{hidden as hidden_for_moderator, log as log_for_moderator, sanctioned};
pub(crate) use operator::chat_as_operator;
pub(crate) use own_lines::delete_own;
pub(crate) use people::{history, past_lines};
pub(crate) use pins::{pin, pin_by_moderator};
pub(crate) use register::register;
pub(crate) use restrictions::{
    change as change_restrictions, change_by_moderator as change_restrictions_by_moderator,
    show as restrictions, show_to_moderator as restrictions_for_moderator,
};
pub(crate) use signin::{begin as begin_sign_in, finish as finish_sign_in};
pub(crate) use socket::open as socket;
pub use wire::encode;
pub(crate) use wire::{WireUser, read};

/// Request and response bodies, for the rows that describe them.
pub(crate) mod shapes {
    pub(crate) use super::connection::ConnectionReport;
    pub(crate) use super::emoji::{EmojiEntry, EmojiRemoval, EmojiUpload};
    pub(crate) use super::invitations::{
        Acceptance, NewInvitation, OpenInvitation, RevokeInvitationRequest,
    };
    pub(crate) use super::lists::{
        BannedAddress, ChatClient, LocatedClient, LoggedAction, UserDetails, UsersPage, UsersQuery,
    };
    pub(crate) use super::moderation::{
        Address, DeleteUserRequest, Promotion, Release, SetEnabledRequest, Timeout,
        VisibilityRequest,
    };
    pub(crate) use super::moderators::{LogQuery, PageQuery};
    pub(crate) use super::own_lines::DeleteOwnRequest;
    pub(crate) use super::pins::PinRequest;
    pub(crate) use super::register::{RegisterRequest, RegisterResponse};
    pub(crate) use super::restrictions::{Restrictions, RestrictionsChange};
    pub(crate) use super::signin::{SignInRedirect, SignInRequest};
    pub(crate) use super::wire::{WireClientMessage, WireLine, WireUser};
}
