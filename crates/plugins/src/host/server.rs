//! Information about the server and the current stream.

use super::args;
use crate::host::plugin_host::Host;

pub(super) async fn stream(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.stream().await?)
}

pub(super) async fn broadcaster(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.broadcaster().await?)
}

pub(super) async fn info(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.server_info().await?)
}

pub(super) async fn socials(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.socials().await?)
}

pub(super) async fn emotes(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.emotes().await?)
}

pub(super) async fn federation(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.federation().await?)
}

pub(super) async fn tags(host: &Host, _args: &str) -> Result<String, String> {
    args::answer(&host.parts.services.tags().await?)
}
