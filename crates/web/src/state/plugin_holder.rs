//! The way to the machine of a cluster that runs the plugins.

use std::fmt;
use std::io;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;

/// A body, piece by piece.
pub type BodyPieces = BoxStream<'static, Result<Bytes, io::Error>>;

/// A request or an answer on its way to another machine.
pub struct Parcel {
    /// Everything before the body; only this crate reads it.
    pub head: Bytes,
    pub body: BodyPieces,
    /// There is no body.
    pub is_empty: bool,
}

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It has cookies in it.
        f.write_str("Parcel(…)")
    }
}

/// Why there is no answer to a request that was to be passed on.
#[derive(Debug)]
pub enum Unanswered {
    /// Nobody takes it; it is untouched.
    Untaken(Parcel),
    /// It was taken, and nothing came back.
    Lost,
}

/// What a plugin that guards the server said about a viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewerJudgement {
    Answer(String),
    /// It does not run, or the machine that runs it is away.
    NotRunning,
    /// It failed, or was late.
    Failed,
}

/// The way to the machine that runs the plugins.
pub trait PluginHolder: fmt::Debug + Send + Sync {
    /// Whether it is this one.
    fn is_here(&self) -> bool;

    /// Passes a request on.
    fn pass_on(&self, request: Parcel) -> BoxFuture<'static, Result<Parcel, Unanswered>>;

    /// Whether a plugin answers.
    fn is_ready<'a>(&'a self, slug: &'a str) -> BoxFuture<'a, bool>;

    /// What a plugin says about the viewer with this hash of a token.
    fn judge_viewer<'a>(
        &'a self,
        slug: &'a str,
        viewer: [u8; 32],
        question: String,
    ) -> BoxFuture<'a, ViewerJudgement>;

    /// What [`crate::page_additions`] says there.
    fn additions(&self, viewer: String) -> BoxFuture<'static, Option<String>>;
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};

    use super::*;

    #[test]
    fn what_is_passed_on_is_not_shown_in_logs() {
        let request = Parcel {
            head: Bytes::from_static(b"cookie: session=abc"),
            body: stream::empty().boxed(),
            is_empty: true,
        };
        let shown = format!("{:?}", Unanswered::Untaken(request));
        assert!(!shown.contains("abc"), "{shown}");
    }
}
