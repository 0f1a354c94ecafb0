//! Waits for a condition, with a deadline.

use std::time::Duration;

/// Long enough for the slowest shared machine; a test that needs it has failed.
pub const DEADLINE: Duration = Duration::from_secs(30);
/// The same for what a program that runs behind everything else has to do first.
pub const LONG_DEADLINE: Duration = Duration::from_secs(55);
const PAUSE: Duration = Duration::from_millis(5);

/// Calls `probe` until it returns `Some`, and panics with `what` at the deadline.
pub async fn eventually<T, F, P>(what: &str, probe: P) -> T
where
    F: Future<Output = Option<T>>,
    P: FnMut() -> F,
{
    within(DEADLINE, what, probe).await
}

/// The same with another deadline.
pub async fn within<T, F, P>(deadline: Duration, what: &str, mut probe: P) -> T
where
    F: Future<Output = Option<T>>,
    P: FnMut() -> F,
{
    let waiting = async {
        loop {
            if let Some(value) = probe().await {
                return value;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    match tokio::time::timeout(deadline, waiting).await {
        Ok(value) => value,
        Err(_) => panic!("did not happen within {deadline:?}: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    #[should_panic(expected = "pigs fly")]
    async fn what_never_happens_is_reported() {
        within::<(), _, _>(PAUSE, "pigs fly", || async { None }).await;
    }

    #[tokio::test]
    async fn the_value_is_handed_back_once_it_is_there() {
        let mut tries = 0;
        let value = eventually("third try", || {
            tries += 1;
            let ready = (tries == 3).then_some(tries);
            async move { ready }
        })
        .await;
        assert_eq!(value, 3);
    }
}
