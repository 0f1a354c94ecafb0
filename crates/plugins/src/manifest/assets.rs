//! Names of package files in the manifest: styles, scripts, and the content of tabs and the page.

use super::Slug;
use super::node::Node;
use crate::manifest::ManifestError;

/// The package entry that a name in the manifest refers to, always below `assets/`.
pub(super) fn entry(node: &Node<'_>, slug: &Slug, suffix: &str) -> Result<String, ManifestError> {
    let name = node.words()?.trim();
    let lower = name.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("//") {
        return Err(node.refuse(
            "is an address elsewhere: files of a plugin must be bundled in its assets/ folder",
        ));
    }
    let inside = match name.strip_prefix("/plugins/") {
        Some(rest) => {
            let (owner, file) = rest.split_once('/').unwrap_or((rest, ""));
            if owner != slug.as_str() {
                return Err(node.refuse(format_args!(
                    "belongs to the plugin {owner:?}: only files of {:?} itself can be used",
                    slug.as_str()
                )));
            }
            file
        }
        None => name.strip_prefix('/').unwrap_or(name),
    };
    if inside
        .split('/')
        .any(|part| matches!(part, "" | "." | ".."))
    {
        return Err(node.refuse("must name a file below assets/, without . and .. in its path"));
    }
    if !lower.ends_with(suffix) {
        return Err(node.refuse(format_args!("must be a file that ends with {suffix}")));
    }
    Ok(format!("assets/{inside}"))
}

/// A list of such names; `None` is an empty list.
pub(super) fn entries(
    list: Option<&Node<'_>>,
    slug: &Slug,
    suffix: &str,
) -> Result<Vec<String>, ManifestError> {
    let Some(list) = list else {
        return Ok(Vec::new());
    };
    let items = list.items()?;
    items.iter().map(|item| entry(item, slug, suffix)).collect()
}
