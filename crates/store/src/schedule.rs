//! Announced streams: what is stored about them, and the next ones in memory.
//!
//! A series is a rule; its dates are rows of their own (created in `series.rs`), because each date can be moved or
//! cancelled individually, and because past dates stay as they were when a rule is changed or deleted.

mod agenda;
mod events;
mod series;

use std::time::Duration;

pub use agenda::Schedule;

/// How far ahead the dates of a series are laid out.
pub const LAID_OUT: Duration = Duration::from_secs(400 * 24 * 3600);
/// Limit (operators): single streams in the schedule; a further one is refused.
pub const MAX_SINGLE_EVENTS: i64 = 300;
/// Limit (operators): series in the schedule; a further one is refused.
pub const MAX_SERIES: i64 = 20;
