//! Incoming activities: our own server on one side, a small Fediverse over real TLS on the other.

mod creates;
mod door;
mod engagement;
mod follows;
mod others;
mod proof;
mod quotes;
mod servers;
mod siege;
mod stage;
