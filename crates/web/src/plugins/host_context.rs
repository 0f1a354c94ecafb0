//! Where plugins are visited: in the server, or in their author's dev server. All else about a visit is the same.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use ::plugins::host::wire::User;
use ::plugins::permission::Permission;
use ::plugins::running::RunningPlugins;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::request::Parts;
use jiff::Timestamp;
use model::Secret;

use super::passes::{self, PassHolder};
use super::serve::Visit;
use super::{session, shell};
use crate::app::App;
use crate::{chat, guard};

/// What a visit needs of its surroundings.
pub(super) trait HostContext: Debug + Send + Sync {
    /// Plugins that run.
    fn running(&self) -> &Arc<dyn RunningPlugins>;

    /// Whether a plugin that does not run now would answer if it did: it starts again, or the operator is told why it
    /// does not.
    fn is_awaited(&self, _slug: &str) -> bool {
        false
    }

    /// The time.
    fn now(&self) -> Timestamp;

    /// Whether the operator asks. The error is the answer to somebody who is not even asked who they are.
    fn is_by_operator<'a>(&'a self, visit: &'a Visit) -> BoxFuture<'a, Result<bool, Response>>;

    /// Who asks, as the chat knows them.
    fn viewer<'a>(&'a self, parts: &'a Parts) -> BoxFuture<'a, Option<User>>;

    /// The header that hands a session to a browser; nothing when there is no key to sign it with.
    fn session_cookie<'a>(
        &'a self,
        token: &'a Secret,
        ttl: Duration,
        is_https: bool,
    ) -> BoxFuture<'a, Option<String>>;

    /// The session of whoever asks has ended.
    fn end_session<'a>(&'a self, _parts: &'a Parts) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Whether somebody who came with a pass may stay, with a stream that goes on for long.
    fn is_welcome<'a>(&'a self, _slug: &'a str, _holder: &'a PassHolder) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(true))
    }

    /// The answer to somebody who opens a page by itself, when that is not the plugin's.
    fn opened_alone(&self, _visit: &Visit) -> Option<Response> {
        None
    }
}

impl HostContext for App {
    fn running(&self) -> &Arc<dyn RunningPlugins> {
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
                self.passes.end(token.expose(), self.clock.now());
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
