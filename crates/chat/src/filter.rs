//! Chat message filters, which plugins provide. What happens when one plugin's filter is late is decided in
//! `plugins::dispatch::filter`; the limit here is the outer one, for all of them.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use model::MessageId;
use model::chat::ChatUser;

/// A line waits this long for its filter and is then taken as it is: chat goes on whatever plugins do.
pub const FILTER_BUDGET: Duration = Duration::from_millis(250);

/// A line before it is rendered and stored.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The id it gets when it is stored.
    pub id: MessageId,
    pub user: ChatUser,
    /// As typed.
    pub body: String,
    /// The connection it came from.
    pub client_id: u64,
}

/// What a filter decides about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterVerdict {
    /// Accept the line as it is.
    Pass,
    /// Replace its text.
    Replace(String),
    /// Reject it; the author gets the reason if there is one.
    Drop(Option<String>),
}

/// Sees every line people write before anybody else does.
pub trait MessageFilter: fmt::Debug + Send + Sync {
    /// Judges a line; an answer after [`FILTER_BUDGET`] or a panic counts as [`FilterVerdict::Pass`].
    fn judge(&self, draft: Draft) -> BoxFuture<'_, FilterVerdict>;
}

#[derive(Debug)]
pub struct NoFilter;

impl MessageFilter for NoFilter {
    fn judge(&self, _: Draft) -> BoxFuture<'_, FilterVerdict> {
        Box::pin(std::future::ready(FilterVerdict::Pass))
    }
}

/// Runs a filter within its time budget.
pub(crate) async fn ask(filter: &dyn MessageFilter, draft: Draft) -> FilterVerdict {
    let judged = AssertUnwindSafe(async { filter.judge(draft).await }).catch_unwind();
    let problem = match tokio::time::timeout(FILTER_BUDGET, judged).await {
        Ok(Ok(verdict)) => return verdict,
        Ok(Err(_)) => "panic",
        Err(_) => "late",
    };
    metrics::counter!("rillcast_chat_filter_failures_total", "why" => problem).increment(1);
    model::stranger_line!(
        warn,
        "chat_filter",
        problem,
        "a message filter failed; the message goes through unchanged"
    );
    FilterVerdict::Pass
}
