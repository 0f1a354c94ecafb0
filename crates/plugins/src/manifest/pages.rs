//! Operator pages, tabs, and content of the viewer page.

use serde_json::Value;

use super::glob::Glob;
use super::node::Node;
use super::slug::{PATTERN, is_slug};
use super::{ManifestError, Slug, assets};

/// A page of the plugin that only the operator sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminPage {
    /// The paths below `/plugins/<slug>` that belong to it.
    pub paths: Glob,
    /// The label of its tab.
    pub title: String,
    pub icon: Option<String>,
}

/// A tab on the viewer page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    /// Its name in the code.
    pub slug: String,
    pub title: String,
    /// The package entry with its HTML; without one, the code generates it.
    pub file: Option<String>,
}

/// Content that the plugin adds before the page's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageContent {
    /// Its name in the code; may be empty if there is a file.
    pub slug: String,
    /// The package entry with its HTML; without one, the code generates it.
    pub file: Option<String>,
}

/// The parsed value, and remarks on it.
type Read<T> = Result<(T, Vec<String>), ManifestError>;

/// `admin.pages`, sorted by path.
pub(super) fn admin_pages(admin: &Node<'_>) -> Read<Vec<AdminPage>> {
    let mut remarks = admin.strangers(&["pages"])?;
    let Some(node) = admin.get("pages")? else {
        return Ok((Vec::new(), remarks));
    };
    let mut pages = Vec::new();
    for (path, page) in keyed(&node, "path", &mut remarks)? {
        let mut path = path.to_owned();
        if !path.starts_with('/') {
            remarks.push(page.remark("a path that does not begin with / is read as if it did"));
            path.insert(0, '/');
        }
        let paths =
            Glob::parse(&path).map_err(|why| page.refuse(format_args!("the path {why}")))?;
        remarks.extend(page.strangers(&["title", "icon", "path"])?);
        pages.push(AdminPage {
            paths,
            title: page.required_words("title")?.to_owned(),
            icon: page.optional_text("icon")?,
        });
    }
    pages.sort_by(|a, b| a.paths.as_str().cmp(b.paths.as_str()));
    Ok((pages, remarks))
}

/// `tabs`, sorted by slug.
pub(super) fn tabs(node: &Node<'_>, plugin: &Slug) -> Read<Vec<Tab>> {
    let mut remarks = Vec::new();
    let mut tabs: Vec<Tab> = Vec::new();
    for (slug, tab) in keyed(node, "slug", &mut remarks)? {
        if !is_slug(slug) {
            return Err(tab.refuse(format_args!("the name of a tab must match {PATTERN}")));
        }
        let title = tab.required_words("title")?.to_owned();
        if tabs.iter().any(|other| other.slug == slug) {
            return Err(tab.refuse(format_args!("is the second tab with the name {slug:?}")));
        }
        if tabs.iter().any(|other| other.title == title) {
            return Err(tab.refuse(format_args!("is the second tab with the title {title:?}")));
        }
        remarks.extend(tab.strangers(&["title", "content", "slug"])?);
        tabs.push(Tab {
            slug: slug.to_owned(),
            title,
            file: html_file(&tab, plugin)?,
        });
    }
    tabs.sort_by(|a, b| a.slug.cmp(&b.slug));
    Ok((tabs, remarks))
}

/// `extraPageContent`: an object, or just a file name.
pub(super) fn page_content(node: &Node<'_>, plugin: &Slug) -> Read<PageContent> {
    if node.value().is_string() {
        let content = PageContent {
            slug: String::new(),
            file: Some(assets::entry(node, plugin, ".html")?),
        };
        return Ok((content, Vec::new()));
    }
    let content = PageContent {
        slug: node.optional_text("slug")?.unwrap_or_default(),
        file: html_file(node, plugin)?,
    };
    if content.file.is_none() && content.slug.is_empty() {
        return Err(node.refuse("needs a slug when it has no content"));
    }
    Ok((content, node.strangers(&["slug", "content"])?))
}

fn html_file(node: &Node<'_>, plugin: &Slug) -> Result<Option<String>, ManifestError> {
    let content = node.get("content")?;
    content
        .map(|content| assets::entry(&content, plugin, ".html"))
        .transpose()
}

/// The entries of an object by key. Older packages use a list whose items contain the key; that is accepted with a
/// remark, but an object whose values repeat the key mixes both forms and is rejected.
fn keyed<'a>(
    node: &Node<'a>,
    key: &str,
    remarks: &mut Vec<String>,
) -> Result<Vec<(&'a str, Node<'a>)>, ManifestError> {
    if let Value::Array(_) = node.value() {
        remarks.push(node.remark(format_args!(
            "a list is the older form: write an object whose keys are the {key}s"
        )));
        let items = node.items()?.into_iter();
        return items
            .map(|item| Ok((item.required_words(key)?, item)))
            .collect();
    }
    let members = node.members()?;
    for (_, member) in &members {
        if let Some(inside) = member.get(key)? {
            return Err(inside.refuse(format_args!(
                "the {key} is the key of this object: leave it out here"
            )));
        }
    }
    Ok(members)
}
