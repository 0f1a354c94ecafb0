//! The commands besides `serve`.
#![expect(
    clippy::print_stdout,
    reason = "what these commands print is their result"
)]

mod backup;
mod checks;
mod health;
mod password;
mod plugin;
mod restore;
mod session;

pub use backup::backup;
pub use checks::doctor;
pub use health::health;
pub use password::reset_password;
pub use plugin::{TestOptions, package_plugin, serve_plugin, test_plugin};
pub use restore::restore;
pub use session::admin_session;

use anyhow::bail;
use store::Store;

use crate::config::Config;

/// The store of a server that was started before; the server may be running.
async fn existing_store(config: &Config) -> anyhow::Result<Store> {
    let file = config.database.sqlite_path();
    if file.is_some_and(|path| !path.is_file()) {
        bail!(
            "there is no database in {}: is --data-dir right?",
            config.data_dir.display()
        );
    }
    Ok(Store::open_as_is(&config.database, &config.secret_key).await?)
}
