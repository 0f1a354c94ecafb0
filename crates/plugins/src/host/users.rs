//! Chat users.

use std::net::IpAddr;

use serde::Deserialize;
use url::Url;

use super::args;
use crate::host::plugin_host::Host;
use crate::host::services::Identity;
use crate::host::wire::MODERATOR;

/// Rights a plugin may give to somebody it vouches for; those over the server itself are not among them.
const GRANTABLE: [&str; 3] = [MODERATOR, "CAN_SEND_MESSAGES", "CAN_SEND_SYSTEM_MESSAGES"];

/// Bytes of a name somebody has elsewhere. A longer one is refused, so that keys of the database stay small.
const MAX_AUTH_ID_BYTES: usize = 512;

/// Bytes of an address or a name beside it. A longer one is refused.
const MAX_PROFILE_BYTES: usize = 2000;

#[derive(Deserialize)]
struct UserIdArgs {
    #[serde(alias = "userId", deserialize_with = "args::text")]
    id: String,
}

#[derive(Deserialize)]
struct SetEnabledArgs {
    #[serde(alias = "userId", deserialize_with = "args::text")]
    id: String,
    #[serde(deserialize_with = "args::flag")]
    enabled: bool,
    #[serde(default, deserialize_with = "args::maybe_text")]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct BanIpArgs {
    #[serde(deserialize_with = "args::text")]
    ip: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RegisterArgs {
    #[serde(default, deserialize_with = "args::maybe_text")]
    auth_id: Option<String>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    display_name: Option<String>,
    scopes: Option<Vec<String>>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    profile_url: Option<String>,
    #[serde(default, deserialize_with = "args::maybe_text")]
    handle: Option<String>,
    public: Option<bool>,
}

pub(super) async fn list(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.users().await?)
}

pub(super) async fn get(host: &Host, args: &str) -> Result<String, String> {
    let UserIdArgs { id } = args::read(args)?;
    args::answer(&host.parts.services.user(&id).await?)
}

pub(super) async fn set_enabled(host: &Host, args: &str) -> Result<String, String> {
    let request: SetEnabledArgs = args::read(args)?;
    let reason = request.reason.unwrap_or_default();
    host.parts
        .services
        .set_user_enabled(host.slug(), &request.id, request.enabled, &reason)
        .await?;
    Ok(args::nothing())
}

pub(super) async fn ban_ip(host: &Host, args: &str) -> Result<String, String> {
    let BanIpArgs { ip } = args::read(args)?;
    let ip: IpAddr = ip
        .trim()
        .parse()
        .map_err(|_| format!("ip: {ip:?} is not an IP address"))?;
    host.parts
        .services
        .ban_ip(host.slug(), &ip.to_string())
        .await?;
    Ok(args::nothing())
}

pub(super) async fn register(host: &Host, args: &str) -> Result<String, String> {
    let identity = checked(args::read(args)?)?;
    let services = &host.parts.services;
    let registered = services.register_user(host.slug(), &identity).await?;
    args::answer(&registered)
}

/// Validates the request before any user is created.
fn checked(request: RegisterArgs) -> Result<Identity, String> {
    let auth_id = request.auth_id.filter(|id| !id.trim().is_empty());
    let auth_id = auth_id.ok_or("authId is missing: it says who somebody is")?;
    if auth_id.len() > MAX_AUTH_ID_BYTES {
        return Err(format!("authId has more than {MAX_AUTH_ID_BYTES} bytes"));
    }
    for scope in request.scopes.iter().flatten() {
        if !GRANTABLE.contains(&scope.as_str()) {
            return Err(format!(
                "scopes: {scope:?} cannot be granted by a plugin, only {}",
                GRANTABLE.join(", ")
            ));
        }
    }
    let profile_url = request.profile_url.filter(|url| !url.is_empty());
    if let Some(url) = &profile_url
        && !is_web(url)
    {
        return Err("profileUrl: it must be empty, or begin with http:// or https://".into());
    }
    for (name, text) in [("profileUrl", &profile_url), ("handle", &request.handle)] {
        if text
            .as_ref()
            .is_some_and(|text| text.len() > MAX_PROFILE_BYTES)
        {
            return Err(format!("{name} has more than {MAX_PROFILE_BYTES} bytes"));
        }
    }
    Ok(Identity {
        auth_id,
        display_name: request.display_name.filter(|name| !name.trim().is_empty()),
        scopes: request.scopes,
        profile_url,
        handle: request.handle,
        public: request.public,
    })
}

fn is_web(text: &str) -> bool {
    let url = Url::parse(text).ok();
    url.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}
