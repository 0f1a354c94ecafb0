//! The judge of playlists, judged: what is good passes, and each rule is broken by something that is
//! reported by exactly that rule.
#![allow(clippy::unwrap_used)]

mod broken_history;
mod broken_list;
mod broken_media;
mod broken_order;
mod good;
mod http_rules;
mod live;
mod master_rules;
mod origin;
mod scene;
