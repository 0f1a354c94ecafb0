//! What the operator decided about plugins, and what is kept for them.
//!
//! A plugin's own values ([`KvRefusal`] says how many) lie apart from what the server keeps for it, so no key a plugin
//! chooses can reach its settings or its approvals.

mod people;
mod records;
mod values;

pub use people::{
    MAX_VOUCHED_PER_MINUTE, MAX_VOUCHED_USERS, PluginIdentity, PluginProfile, PluginUsers,
    RegistrationLimit,
};
pub use records::PluginRecord;
pub use values::{KvRefusal, MAX_KEY_BYTES, MAX_KEYS, MAX_VALUE_BYTES, MAX_VALUES_BYTES, ValueKey};
