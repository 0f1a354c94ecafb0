//! Where a plugin is served: in the server, or in its author's dev server. Everything else about a visit is the same.

use std::fmt::Debug;
use std::time::Duration;

use ::plugins::host::wire::User;
use ::plugins::permission::Permission;
use ::plugins::runtime::Runtime;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::request::Parts;
use jiff::Timestamp;
use model::Secret;

use super::passes::{self, PassHolder};
use super::serve::Visit;
use super::{session, shell};
use crate::state::App;
use crate::{chat, guard};

/// What a visit needs from its surroundings.
pub(super) trait HostContext: Debug + Send + Sync {
    /// The running plugins.
    fn running(&self) -> &Runtime;

    /// Whether a plugin that is not running would answer if it were: it is restarting, or the operator is told why it
    /// does not run.
    fn is_awaited(&self, _slug: &str) -> bool {
        false
    }

    /// The current time.
    fn now(&self) -> Timestamp;

    /// Whether the request is the operator's. The error is the answer for a client that is not even asked to sign in.
    fn is_by_operator<'a>(&'a self, visit: &'a Visit) -> BoxFuture<'a, Result<bool, Response>>;

    /// The requesting chat user.
    fn viewer<'a>(&'a self, parts: &'a Parts) -> BoxFuture<'a, Option<User>>;

    /// The header that gives a session to a browser; `None` when there is no key to sign it with.
    fn session_cookie<'a>(
        &'a self,
        token: &'a Secret,
        ttl: Duration,
        is_https: bool,
    ) -> BoxFuture<'a, Option<String>>;

    /// Ends the session of the requesting viewer.
    fn end_session<'a>(&'a self, _parts: &'a Parts) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Whether a viewer with a pass may stay on a long-lived stream.
    fn is_welcome<'a>(&'a self, _slug: &'a str, _holder: &'a PassHolder) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(true))
    }

    /// The answer to a page opened on its own, when that is not the plugin's answer.
    fn opened_alone(&self, _visit: &Visit) -> Option<Response> {
        None
    }
}

impl HostContext for App {
    fn running(&self) -> &Runtime {
        &self.plugins.running
    }

    fn is_awaited(&self, slug: &str) -> bool {
        let list = self.plugins.installed.list();
        let Some(entry) = list.get(slug).filter(|entry| entry.is_enabled) else {
            return false;
        };
        let facts = self.plugins.installed.facts(&entry.slug);
        let is_switched_off = facts.is_some_and(|facts| facts.is_auto_disabled);
        let mut answers = [Permission::HttpServe, Permission::HttpSse].into_iter();
        !is_switched_off && answers.any(|one| entry.approved.has(one))
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn is_by_operator<'a>(&'a self, visit: &'a Visit) -> BoxFuture<'a, Result<bool, Response>> {
        let Parts {
            method, headers, ..
        } = &visit.parts;
        Box::pin(guard::is_operator(self, &visit.client, method, headers))
    }

    fn viewer<'a>(&'a self, parts: &'a Parts) -> BoxFuture<'a, Option<User>> {
        Box::pin(chat::viewer(self, &parts.uri, &parts.headers))
    }

    fn session_cookie<'a>(
        &'a self,
        token: &'a Secret,
        ttl: Duration,
        is_https: bool,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(session::cookie(self, token, ttl, is_https))
    }

    fn end_session<'a>(&'a self, parts: &'a Parts) -> BoxFuture<'a, ()> {
        Box::pin(async {
            if let Some(token) = session::session_token(self, &parts.headers).await {
                self.plugins.passes.end(token.expose(), self.clock.now());
            }
        })
    }

    fn is_welcome<'a>(&'a self, slug: &'a str, holder: &'a PassHolder) -> BoxFuture<'a, bool> {
        Box::pin(passes::is_welcome(self, slug, holder))
    }

    fn opened_alone(&self, visit: &Visit) -> Option<Response> {
        shell::opened_alone(self, visit)
    }
}
