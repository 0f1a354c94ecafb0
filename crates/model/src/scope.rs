//! What an access token may do.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A right granted to an access token; the wire names are the contract's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Send standard chat messages as the token's own user.
    SendMessages,
    /// Send chat messages as the system, and chat actions.
    SendSystemMessages,
    /// Administrative reads and actions.
    Admin,
}

/// An unknown scope name.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("unknown scope {0:?}: use CAN_SEND_MESSAGES, CAN_SEND_SYSTEM_MESSAGES or HAS_ADMIN_ACCESS")]
pub struct UnknownScope(pub String);

impl Scope {
    /// Every scope, in the order of the contract.
    pub const ALL: [Scope; 3] = [Scope::SendMessages, Scope::SendSystemMessages, Scope::Admin];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::SendMessages => "CAN_SEND_MESSAGES",
            Scope::SendSystemMessages => "CAN_SEND_SYSTEM_MESSAGES",
            Scope::Admin => "HAS_ADMIN_ACCESS",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or_else(|| UnknownScope(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_reads_back_from_its_wire_name() {
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
        }
        assert!("can_send_messages".parse::<Scope>().is_err());
    }
}
