//! Tests the playlist checker: correct playlists pass, and each rule is broken by an input for which exactly that
//! rule is reported.
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
mod recorded_rules;
mod rewind_rules;
mod scene;
