//! Who talks in the chat.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::UserId;

/// The colours a name can have: 0 to this.
pub const MAX_COLOR: i64 = 7;

/// A person or a bot as others see them.
///
/// The JSON form is part of stored events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatUser {
    /// Who.
    pub id: UserId,
    /// As shown.
    pub display_name: String,
    /// 0 to [`MAX_COLOR`].
    pub display_color: i64,
    /// First seen.
    pub created_at: Timestamp,
    /// Former names, oldest first, the present one last.
    pub previous_names: Vec<String>,
    /// Last rename.
    pub name_changed_at: Option<Timestamp>,
    /// The identity of an access token.
    pub is_bot: bool,
    /// Signed in with another identity.
    pub is_authenticated: bool,
    /// May moderate.
    pub is_moderator: bool,
}
