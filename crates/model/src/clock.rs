//! Time as a dependency.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use jiff::Timestamp;

/// The future [`Clock::sleep_until`] returns.
pub type Sleep<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The only way to read the time or to wait for it.
///
/// The server uses the system clock and tests use a manual one, so no test of a time rule has to sleep.
pub trait Clock: Debug + Send + Sync + 'static {
    /// The wall-clock time.
    fn now(&self) -> Timestamp;

    /// Time since some fixed moment; it never jumps, so limits and cool-downs are measured with it.
    fn uptime(&self) -> Duration;

    /// Completes once [`Clock::now`] has reached `deadline`.
    fn sleep_until(&self, deadline: Timestamp) -> Sleep<'_>;
}
