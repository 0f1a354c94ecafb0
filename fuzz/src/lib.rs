//! What the targets need of `web`, `plugins` and `media`, compiled from their own files.
//!
//! As dependencies these would bring the HTTP server, the engine of plugins and the engine of streams along, which take
//! minutes to build with a sanitizer and are never called here. The modules have the places they have in their crates.

// Of these modules the targets use a part.
#![allow(dead_code, unused_imports)]

// Inside their crates the modules call each other by paths from the root.
pub use plugins::{manifest, permission};
use web::{chat, cmcd};

#[path = "../../crates/media/src"]
pub mod media {
    pub mod hls {
        mod delivery_directives;
        pub mod fuzz;
        mod name;
    }
}

#[path = "../../crates/plugins/src"]
pub mod plugins {
    pub mod manifest;
    pub mod package;
    pub mod permission;
}

#[path = "../../crates/web/src"]
pub mod web {
    pub(crate) mod chat {
        mod wire;

        pub(crate) use wire::{encode, read};
    }
    pub(crate) mod cmcd;
    pub mod fuzzing;
}
