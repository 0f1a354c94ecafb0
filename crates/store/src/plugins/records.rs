//! One record for each plugin that was ever enabled, configured or wrote something.

use jiff::Timestamp;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{Any, Row};

use crate::database::Store;
use crate::error::StoreError;
use crate::writer::Tx;

/// What is known about a plugin besides its package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginRecord {
    pub slug: String,
    /// Whether the operator wants it to run.
    pub is_enabled: bool,
    /// The permissions the operator approved, sorted; `None` if never asked.
    pub approved: Option<Vec<String>>,
    /// How much of the server its sign-in guards; `None` for the default.
    pub access_mode: Option<String>,
    /// The operator's values for its settings, a JSON object.
    pub config: String,
    /// Buttons it added at run time, a JSON list.
    pub actions: String,
}

/// A statement and its bound values so far.
type Statement = sqlx::query::Query<'static, Any, AnyArguments>;

const COLUMNS_BY_SLUG: &str =
    "SELECT slug, is_enabled, approved, access_mode, config, actions FROM plugins WHERE slug = $1";

impl Store {
    /// Every record, sorted by slug.
    pub async fn plugin_records(&self) -> Result<Vec<PluginRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT slug, is_enabled, approved, access_mode, config, actions FROM plugins ORDER BY slug",
        )
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(|row| self.plugin_from_row(row)).collect()
    }

    /// The record of one plugin.
    pub async fn plugin_record(&self, slug: &str) -> Result<Option<PluginRecord>, StoreError> {
        let row = sqlx::query(COLUMNS_BY_SLUG)
            .bind(slug)
            .fetch_optional(&self.readers)
            .await?;
        row.map(|row| self.plugin_from_row(&row)).transpose()
    }

    /// Enables a plugin with these permissions.
    pub async fn enable_plugin(
        &self,
        slug: &str,
        approved: Vec<String>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.decide(slug, 1, Some(approved), at).await
    }

    /// Disables a plugin; its approvals stay stored.
    pub async fn disable_plugin(&self, slug: &str, at: Timestamp) -> Result<(), StoreError> {
        let text = "UPDATE plugins SET is_enabled = 0, updated_at = $2 WHERE slug = $1";
        self.change(slug, |query| query, text, at).await
    }

    /// Removes enablement and approvals. Settings, buttons and values stay.
    pub async fn forget_plugin(&self, slug: &str, at: Timestamp) -> Result<(), StoreError> {
        self.decide(slug, 0, None, at).await
    }

    /// Replaces the operator's settings for a plugin with this JSON object.
    pub async fn set_plugin_config(
        &self,
        slug: &str,
        config: String,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let sealed = self.vault.seal(&config_name(slug), config.as_bytes())?;
        let text = "UPDATE plugins SET config = $3, updated_at = $2 WHERE slug = $1";
        self.change(slug, move |query| query.bind(sealed), text, at)
            .await
    }

    /// Replaces the buttons a plugin added with this JSON list.
    pub async fn set_plugin_actions(
        &self,
        slug: &str,
        actions: String,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let text = "UPDATE plugins SET actions = $3, updated_at = $2 WHERE slug = $1";
        self.change(slug, move |query| query.bind(actions), text, at)
            .await
    }

    /// Sets how much of the server the plugin's sign-in guards.
    pub async fn set_plugin_access_mode(
        &self,
        slug: &str,
        mode: String,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let text = "UPDATE plugins SET access_mode = $3, updated_at = $2 WHERE slug = $1";
        self.change(slug, move |query| query.bind(mode), text, at)
            .await
    }

    fn plugin_from_row(&self, row: &AnyRow) -> Result<PluginRecord, StoreError> {
        let slug: String = row.try_get("slug")?;
        let approved: Option<String> = row.try_get("approved")?;
        let approved = approved
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|error| StoreError::unreadable("approved permissions", error))?;
        let config: Option<Vec<u8>> = row.try_get("config")?;
        let config = config
            .map(|sealed| self.vault.unseal(&config_name(&slug), &sealed))
            .transpose()?
            .unwrap_or_else(|| b"{}".to_vec());
        Ok(PluginRecord {
            is_enabled: row.try_get::<i64, _>("is_enabled")? != 0,
            approved,
            access_mode: row.try_get("access_mode")?,
            config: String::from_utf8(config)
                .map_err(|error| StoreError::unreadable("settings of a plugin", error))?,
            actions: row.try_get("actions")?,
            slug,
        })
    }

    async fn decide(
        &self,
        slug: &str,
        is_enabled: i64,
        approved: Option<Vec<String>>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let approved = approved.map(|mut names| {
            names.sort();
            serde_json::Value::from(names).to_string()
        });
        let slug = slug.to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                make(tx, &slug, at).await?;
                sqlx::query(
                    "UPDATE plugins SET is_enabled = $3, approved = $4, updated_at = $2 WHERE slug = $1",
                )
                .bind(slug)
                .bind(at.as_millisecond())
                .bind(is_enabled)
                .bind(approved)
                .execute(tx)
                .await?;
                Ok(())
            })
        })
        .await
    }

    async fn change(
        &self,
        slug: &str,
        bind: impl FnOnce(Statement) -> Statement + Send + 'static,
        text: &'static str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let slug = slug.to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                make(tx, &slug, at).await?;
                let query = sqlx::query(text).bind(slug).bind(at.as_millisecond());
                bind(query).execute(tx).await?;
                Ok(())
            })
        })
        .await
    }
}

/// Creates the record if there is none.
pub(super) async fn make(tx: &mut Tx, slug: &str, at: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO plugins (slug, is_enabled, actions, kv_keys, kv_bytes, updated_at) \
         VALUES ($1, 0, '[]', 0, 0, $2) ON CONFLICT (slug) DO NOTHING",
    )
    .bind(slug)
    .bind(at.as_millisecond())
    .execute(tx)
    .await?;
    Ok(())
}

/// The name the operator's settings are sealed under, so that no row can be passed off as another.
fn config_name(slug: &str) -> String {
    format!("plugin-config-{slug}")
}
