//! Reads what a package holds.

use ::plugins::package::PackageError;

use super::package_refusal;
use crate::problem::Problem;

/// Reads from a package off the runtime's threads, because it may read a file and decompress.
pub(super) async fn read<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, PackageError> + Send + 'static,
) -> Result<T, Problem> {
    let read = tokio::task::spawn_blocking(read).await;
    let read = read.map_err(|_| Problem::Internal)?;
    read.map_err(|error| {
        model::stranger_line!(warn, "plugin_package", %error, "a plugin's package cannot be read");
        Problem::Unavailable(error.to_string()).worded_if(package_refusal(&error))
    })
}
