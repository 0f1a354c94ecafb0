//! The operator's decisions about plugins, and data stored for plugins.
//!
//! A plugin's own values ([`KvRefusal`] has the limits) are separate from what the server stores for it, so no key that
//! a plugin chooses can reach its settings or approvals.

mod people;
mod records;
mod values;

pub use people::{
    MAX_VOUCHED_PER_MINUTE, MAX_VOUCHED_USERS, PluginIdentity, PluginProfile, PluginUsers,
    RegistrationLimit,
};
pub use records::PluginRecord;
pub use values::{KvRefusal, MAX_KEY_BYTES, MAX_KEYS, MAX_VALUE_BYTES, MAX_VALUES_BYTES, ValueKey};
