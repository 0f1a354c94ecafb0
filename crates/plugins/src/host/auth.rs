//! The viewer's session, for plugins with a sign-in.

use std::time::Duration;

use model::Secret;
use serde::Deserialize;

use super::args;
use crate::gate;
use crate::host::plugin_host::{Host, Occasion};

/// How an HTTP answer changes the viewer's session.
#[derive(Clone, Debug)]
pub enum SessionChange {
    /// The viewer is signed in.
    Grant {
        /// A new chat token of the viewer's user.
        token: Secret,
        /// Its lifetime.
        ttl: Duration,
    },
    /// The viewer is signed out.
    End,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GrantArgs {
    #[serde(default, deserialize_with = "args::maybe_text")]
    user_id: Option<String>,
    #[serde(default, deserialize_with = "args::int_or_zero")]
    ttl: i64,
}

pub(super) async fn grant_session(host: &Host, args: &str) -> Result<String, String> {
    let GrantArgs { user_id, ttl } = args::read(args)?;
    let user = user_id.filter(|id| !id.is_empty());
    let user = user.ok_or("userId is missing: users.register gives one")?;
    in_http(host)?;
    let token = host
        .parts
        .services
        .session_token(host.slug(), &user)
        .await?;
    host.change_session(SessionChange::Grant {
        token,
        ttl: gate::ttl(ttl),
    })?;
    Ok(args::done())
}

pub(super) async fn end_session(host: &Host, _args: &str) -> Result<String, String> {
    in_http(host)?;
    host.change_session(SessionChange::End)?;
    Ok(args::nothing())
}

/// Cookies can only be set in HTTP answers. Checked before any token is created.
fn in_http(host: &Host) -> Result<(), String> {
    match host.occasion() {
        Occasion::Http => Ok(()),
        _ => Err("sessions can be changed only while an HTTP request is answered".into()),
    }
}
