//! The one table of everything an operator can set.
//!
//! A setting is declared once, in [`table`], with its type, default, rule and help text. The configuration file, the
//! environment, `--set`, `GET /api/admin/serverconfig`, `POST /api/admin/config/<path>`, the admin page and
//! `docs/settings.md` are all driven by that table.
//!
//! [`Layers`] puts the sources on top of each other: defaults, database, file, environment, flags.

mod layers;
mod rules;
pub mod sentences;
mod setting;
pub mod table;
mod types;

pub use layers::{EffectiveValue, ExternalSettings, Layers, SettingSource};
pub use setting::{
    AnySetting, Applies, Meta, Setting, SettingError, SettingFormat, SettingKind, SettingValue,
    boolean_from_text,
};
pub use table::TABLE;
pub use types::{
    BrowserNotice, DiscordNotice, ExternalAction, S3, SocialHandle, StreamKey, VideoVariant,
};

/// The setting with this key in configuration files (`server_url`).
pub fn by_key(key: &str) -> Option<&'static dyn AnySetting> {
    TABLE
        .iter()
        .copied()
        .find(|setting| setting.meta().key == key)
}

/// The setting behind `POST /api/admin/config/<path>` (`serverurl`).
pub fn by_path(path: &str) -> Option<&'static dyn AnySetting> {
    TABLE
        .iter()
        .copied()
        .find(|setting| setting.meta().path == path)
}

/// The reference page `docs/settings.md`, made from the table.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Settings\n\n\
         This page is made from the table in `crates/model/src/settings/table.rs`; a test keeps it in step.\n\n\
         Every setting can be given in the configuration file (`key = value`), in the environment (`RILLCAST_KEY`), on the \
         command line (`--set key=value`) or in the admin pages.\n\
         Later sources win: defaults, database (admin pages), file, environment, command line.\n\
         A value given outside the database is shown locked in the admin pages.\n\n\
         | Key | Environment | Admin API path | Type | Default | What it does |\n|---|---|---|---|---|---|\n",
    );
    for setting in TABLE.iter().filter(|setting| setting.meta().is_shown) {
        let meta = setting.meta();
        let default = match setting.default_value().json.to_string().as_str() {
            "\"\"" => "empty".to_owned(),
            json => format!("`{}`", json.replace('|', "\\|")),
        };
        let longest = meta
            .max_chars
            .map(|max| format!(" At most {max} characters."))
            .unwrap_or_default();
        page.push_str(&format!(
            "| `{}` | `{}` | `{}` | {} | {} | {}{longest} |\n",
            meta.key,
            meta.env_name(),
            meta.path,
            meta.kind.as_str(),
            default,
            meta.doc,
        ));
    }
    page
}
