//! Reports what goes wrong in a plugin.

use super::error::AskError;
use super::handle::PluginHandle;
use crate::engine::CallKind;
use crate::host::HostCalls;

/// Logs a failed call where people look for it.
pub(super) fn report(
    handle: &PluginHandle,
    host: &dyn HostCalls,
    kind: CallKind,
    error: &AskError,
) {
    let error = format!("{}: {error}", kind.name());
    handle.0.counters.failed(&error);
    host.failed(&error);
}
