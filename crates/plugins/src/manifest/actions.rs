//! Buttons below the player. The same rules apply to buttons in the manifest and to those added at run time.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::node::Node;
use super::{ManifestError, Slug};
use crate::permission::{Permission, Permissions};

/// A button; the member order is the wire order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    pub title: String,
    /// Its target; otherwise it has `html`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its content; otherwise it has `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The address of a small image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// A CSS colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Opens in a new tab instead of above the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_externally: Option<bool>,
}

/// Parses buttons that a plugin adds at run time, as a list or a single one; one invalid button rejects all.
///
/// The path in an error begins with `actions`.
pub fn read_actions(
    value: &Value,
    slug: &Slug,
    granted: Permissions,
) -> Result<Vec<Action>, ManifestError> {
    let node = Node::named("actions", value);
    if value.is_array() {
        Ok(read_list(&node, slug, granted)?.0)
    } else {
        Ok(vec![read(&node, slug, granted)?])
    }
}

/// Parses the manifest's list, with remarks on unknown members.
pub(super) fn read_list(
    list: &Node<'_>,
    slug: &Slug,
    granted: Permissions,
) -> Result<(Vec<Action>, Vec<String>), ManifestError> {
    let (mut actions, mut remarks) = (Vec::new(), Vec::new());
    for item in list.items()? {
        actions.push(read(&item, slug, granted)?);
        remarks.extend(item.strangers(&[
            "title",
            "url",
            "html",
            "icon",
            "color",
            "description",
            "openExternally",
        ])?);
    }
    Ok((actions, remarks))
}

fn read(node: &Node<'_>, slug: &Slug, granted: Permissions) -> Result<Action, ManifestError> {
    let title = node.required_words("title")?.to_owned();
    let given = |key| -> Result<Option<Node<'_>>, ManifestError> {
        let node = node.get(key)?;
        // An empty text counts as absent, because tools write every member.
        Ok(node.filter(|node| node.value().as_str() != Some("")))
    };
    let (url, html) = (given("url")?, given("html")?);
    if url.is_some() == html.is_some() {
        return Err(node.refuse("needs exactly one of url and html"));
    }
    let target = |node: Option<Node<'_>>| node.map(|node| target(&node, slug, granted)).transpose();
    Ok(Action {
        title,
        url: target(url)?,
        html: html
            .map(|html| html.text().map(str::to_owned))
            .transpose()?,
        icon: target(given("icon")?)?,
        color: node.optional_text("color")?,
        description: node.optional_text("description")?,
        open_externally: node
            .get("openExternally")?
            .map(|node| node.flag())
            .transpose()?,
    })
}

/// A button's target: an http(s) address, or a page of the plugin itself.
fn target(node: &Node<'_>, slug: &Slug, granted: Permissions) -> Result<String, ManifestError> {
    let given = node.words()?.trim();
    let lower = given.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        return Ok(given.to_owned());
    }
    let own = format!("/plugins/{slug}/");
    let address = match given.strip_prefix('/') {
        None => {
            return Err(node.refuse(
                "must be an address that begins with http:// or https://, or a path that begins with /",
            ));
        }
        Some(_) if given.starts_with(&own) => given.to_owned(),
        Some(rest) if given.starts_with("/plugins/") => {
            let owner = rest.split('/').nth(1).unwrap_or_default();
            return Err(node.refuse(format_args!(
                "leads to the plugin {owner:?}: a button can only lead to pages of {:?} itself",
                slug.as_str()
            )));
        }
        Some(rest) => format!("{own}{}", rest.trim_start_matches(['/', '\\'])),
    };
    if climbs(&address) {
        return Err(node.refuse("must not climb out of the plugin's own pages with .."));
    }
    if !granted.has(Permission::HttpServe) {
        return Err(node.refuse(format_args!(
            "leads to a page of the plugin, which needs the permission {}",
            Permission::HttpServe
        )));
    }
    Ok(address)
}

/// Would a browser go up a level in this path? It reads `%2e` as a dot and `\` as a slash.
fn climbs(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let plain = path.to_ascii_lowercase().replace("%2e", ".");
    plain.split(['/', '\\']).any(|part| part == "..")
}
