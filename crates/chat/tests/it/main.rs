//! The room with a real store and a manual clock, and what strangers write.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod coming;
mod house;
mod operator;
mod own_lines;
mod pins;
mod replay;
mod room;
mod rules;
mod servers;
