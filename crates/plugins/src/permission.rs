//! What a plugin may be allowed to do: the twenty-three permissions, and sets of them.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! permissions {
    ($($name:ident = $wire:literal, $meaning:literal;)*) => {
        /// One thing a plugin may be allowed to do. The order is that of the wire names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Permission {
            $(#[doc = concat!("`", $wire, "`: ", $meaning)] $name,)*
        }

        impl Permission {
            /// All of them, sorted by wire name.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name in manifests.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $wire),* }
            }

            /// What the operator approves, in plain words.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning),* }
            }
        }
    };
}

permissions! {
    AuthGate = "auth.gate", "decide who may see this server at all, by a sign-in of its own";
    ChatFilter = "chat.filter", "read, change and hold back every chat message before it is shown";
    ChatHistory = "chat.history", "read past chat messages and see who is connected";
    ChatModerate = "chat.moderate", "delete chat messages and disconnect people";
    ChatSend = "chat.send", "write in the chat as a bot, and as the server";
    EventsEmit = "events.emit", "send events of its own to other plugins";
    FediverseInbound = "fediverse.inbound", "see follows, likes, replies and mentions from the Fediverse";
    FediversePost = "fediverse.post", "publish posts from this server's Fediverse account";
    HttpServe = "http.serve", "show web pages of its own below /plugins/";
    HttpSse = "http.sse", "push live updates to open web pages";
    NetworkFetch = "network.fetch", "send requests to the hosts it names";
    NotificationsSend = "notifications.send", "send notices by Discord and browser push, and Fediverse notices to the chat";
    ServerRead = "server.read", "read the state of the stream and what the server tells about itself";
    StorageFs = "storage.fs", "keep private files on this server";
    StorageKv = "storage.kv", "keep small values on this server";
    StorageSql = "storage.sql", "keep a private database on this server";
    StorageUpload = "storage.upload", "publish files that anybody can download";
    UiModify = "ui.modify", "change the viewers' page: buttons, tabs, content, styles, and scripts, which can act as the operator who is signed in there";
    UsersModerate = "users.moderate", "ban people and addresses";
    UsersRead = "users.read", "read the list of chat users";
    UsersRegister = "users.register", "create chat users that count as signed in, also moderators";
    VideoconfigRead = "videoconfig.read", "read the video settings";
    VideoconfigWrite = "videoconfig.write", "change the video settings";
}

impl Permission {
    /// The permission with this wire name.
    pub fn parse(name: &str) -> Option<Self> {
        let all = Self::ALL.iter().copied();
        all.into_iter()
            .find(|permission| permission.as_str() == name)
    }

    /// Whether misuse is visible outside the chat and hard to undo.
    pub fn needs_high_trust(self) -> bool {
        matches!(
            self,
            Self::AuthGate | Self::FediversePost | Self::VideoconfigWrite
        )
    }

    fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Permission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A set of permissions; iterated in the order of the wire names.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Permissions(u32);

impl Permissions {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// The permissions with known names; names from a later or earlier version grant nothing.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().filter_map(Permission::parse).collect()
    }

    /// Does the set contain this one?
    pub fn has(self, permission: Permission) -> bool {
        self.0 & permission.bit() != 0
    }

    /// Is the set empty?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Does the set contain all of `other`?
    pub fn cover(self, other: Self) -> bool {
        self.grown_by(other).is_empty()
    }

    /// What `newer` asks for in addition.
    pub fn grown_by(self, newer: Self) -> Self {
        Self(newer.0 & !self.0)
    }

    /// The intersection.
    pub fn within(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The permissions in order.
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        let all = Permission::ALL.iter().copied();
        all.filter(move |permission| self.has(*permission))
    }

    /// Their wire names, sorted.
    pub fn names(self) -> Vec<String> {
        self.iter()
            .map(|permission| permission.as_str().to_owned())
            .collect()
    }
}

impl FromIterator<Permission> for Permissions {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        let bits = permissions.into_iter().map(Permission::bit);
        Self(bits.fold(0, |all, bit| all | bit))
    }
}

impl fmt::Debug for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Permissions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_twenty_three_permissions_sorted_by_name_and_each_is_read_back() {
        assert_eq!(Permission::ALL.len(), 23);
        assert!(Permission::ALL.is_sorted_by_key(|permission| permission.as_str()));
        for permission in Permission::ALL {
            assert_eq!(Permission::parse(permission.as_str()), Some(*permission));
            assert!(!permission.meaning().is_empty());
        }
        assert_eq!(Permission::parse("chat.Send"), None);
    }

    #[test]
    fn a_set_tells_what_another_one_asks_for_beyond_it() {
        let old = Permissions::from_names(["chat.send", "storage.kv"]);
        let new = Permissions::from_names(["storage.kv", "ui.modify", "auth.gate", "no.such"]);
        assert_eq!(old.grown_by(new).names(), ["auth.gate", "ui.modify"]);
        assert!(!old.cover(new));
        assert!(old.cover(Permissions::from_names(["chat.send"])));
        assert_eq!(old.within(new).names(), ["storage.kv"]);
        assert_eq!(
            serde_json::to_string(&new).unwrap(),
            r#"["auth.gate","storage.kv","ui.modify"]"#
        );
    }
}
