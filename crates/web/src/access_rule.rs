//! Who may call a route.

use model::Scope;

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Public,
    /// Anybody, but only from our own pages: this is where the operator signs in.
    AdminAuth,
    /// Chat users, by the token in the query.
    ChatUser,
    /// Chat users who are moderators.
    Moderator,
    /// Bots and overlays, by an access token with this scope.
    Token(Scope),
    /// Bots and overlays, by any access token.
    AnyToken,
    /// The operator, by Basic credentials or session cookie.
    Admin,
    /// The operator's pages: others get the sign-in page with status 401.
    AdminPage,
}
