//! Buttons below the player.

use serde::{Deserialize, Serialize};

use super::super::rules::{few, http_url, line, lines, required_line};
use super::super::sentences;
use super::super::setting::SettingError;

/// A button the operator puts below the player: it opens a page, or shows a piece of HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalAction {
    /// The link's address; empty when `html` is given.
    pub url: String,
    /// The HTML it shows, after the allow-list.
    pub html: String,
    /// The label.
    pub title: String,
    pub description: String,
    /// The address of an icon, elsewhere or on this server.
    pub icon: String,
    /// A CSS colour: a name, or `#` and hexadecimal digits.
    pub color: String,
    /// Opens in a new tab instead of over the page.
    pub open_externally: bool,
}

/// Checks that every button has a label and a target, and links only to the web.
pub(in super::super) fn checked(
    actions: Vec<ExternalAction>,
) -> Result<Vec<ExternalAction>, SettingError> {
    let mut kept = Vec::new();
    for action in few(actions)? {
        let title = required_line::<100>(action.title).map_err(|why| why.of("title"))?;
        kept.push(
            checked_one(ExternalAction {
                title: title.clone(),
                ..action
            })
            .map_err(|why| why.after(&format!("{title:?}: ")))?,
        );
    }
    Ok(kept)
}

fn checked_one(action: ExternalAction) -> Result<ExternalAction, SettingError> {
    let url = line::<2000>(action.url).map_err(|why| why.of("url"))?;
    let html = lines::<10_000>(action.html).map_err(|why| why.of("html"))?;
    if url.is_empty() && html.is_empty() {
        return Err(sentences::ACTION_EMPTY.plain().into());
    }
    if !url.is_empty() {
        http_url(&url)?;
    }
    Ok(ExternalAction {
        url,
        html,
        title: action.title,
        description: line::<300>(action.description).map_err(|why| why.of("description"))?,
        icon: icon(action.icon)?,
        color: color(action.color)?,
        open_externally: action.open_externally,
    })
}

fn icon(text: String) -> Result<String, SettingError> {
    let icon = line::<2000>(text).map_err(|why| why.of("icon"))?;
    // Browsers read `//host` and `/\host` as other servers.
    let is_ours = icon.starts_with('/') && !icon[1..].starts_with(['/', '\\']);
    if !icon.is_empty() && !is_ours {
        http_url(&icon).map_err(|why| why.of("icon"))?;
    }
    Ok(icon)
}

fn color(text: String) -> Result<String, SettingError> {
    let color = line::<30>(text).map_err(|why| why.of("color"))?;
    let is_plain = match color.strip_prefix('#') {
        Some(digits) => {
            matches!(digits.len(), 3 | 4 | 6 | 8)
                && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        None => color.bytes().all(|byte| byte.is_ascii_alphabetic()),
    };
    match is_plain {
        true => Ok(color),
        false => Err(sentences::NO_COLOUR.with([color.into()]).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(url: &str) -> ExternalAction {
        ExternalAction {
            url: url.into(),
            title: "Tip".into(),
            ..ExternalAction::default()
        }
    }

    #[test]
    fn a_button_leads_to_the_web_or_shows_something() {
        assert!(checked(vec![action("https://tips.example/me")]).is_ok());
        let shows = ExternalAction {
            html: "<b>x</b>".into(),
            ..action("")
        };
        assert!(checked(vec![shows]).is_ok());
        for bad in [
            "",
            "javascript:alert(1)",
            "data:text/html,x",
            "tips.example",
        ] {
            assert!(checked(vec![action(bad)]).is_err(), "{bad}");
        }
        let silent = ExternalAction {
            title: " ".into(),
            ..action("https://x.example")
        };
        assert!(checked(vec![silent]).is_err());
    }

    #[test]
    fn icons_and_colours_are_plain() {
        let with = |icon: &str, color: &str| {
            checked(vec![ExternalAction {
                icon: icon.into(),
                color: color.into(),
                ..action("https://x.example")
            }])
            .is_ok()
        };
        assert!(
            with("", "") && with("/public/a.png", "#0af") && with("https://x.example/a", "teal")
        );
        for icon in [
            "//evil.example/a",
            "/\\evil.example",
            "a.png",
            "javascript:x",
        ] {
            assert!(!with(icon, ""), "{icon}");
        }
        for color in ["#12", "#ggg", "red;x", "url(x)"] {
            assert!(!with("", color), "{color}");
        }
    }
}
