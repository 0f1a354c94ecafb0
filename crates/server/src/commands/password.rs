//! `rillcast admin reset-password`: for an operator who forgot the password.

use anyhow::bail;
use model::{Clock, Secret};

use super::existing_store;
use crate::clock::SystemClock;
use crate::config::Config;

/// Stores a new password hash. It works beside a running server, which then asks everybody to sign in again.
pub async fn reset_password(config: &Config, password: Option<String>) -> anyhow::Result<()> {
    if config.admin_password.is_some() {
        bail!(
            "the admin password is set by flag, environment or configuration file: change it there"
        );
    }
    let store = existing_store(config).await?;
    let is_random = password.is_none();
    let password = password.map_or_else(access::random_key, Secret::new);
    let hash = access::hash_password(password.clone()).await?;
    store
        .replace_admin_password(hash, SystemClock::new().now())
        .await?;
    store.close().await;
    match is_random {
        true => println!("The new admin password is: {}", password.expose()),
        false => println!("The admin password is changed."),
    }
    println!("All sessions have ended; sign in again as \"admin\".");
    Ok(())
}
