//! What a package may hold.

/// Entries an archive may have, folders included; one with more is refused before its table is read.
pub const MAX_ENTRIES: usize = 2_000;
/// Bytes an entry may have when it is unpacked; an archive that declares a larger one is refused.
pub const MAX_ENTRY_BYTES: u64 = 64 * 1024 * 1024;
/// Limit (plugins): size of an unpacked package; a larger one is refused.
pub const MAX_UNPACKED_BYTES: u64 = 256 * 1024 * 1024;
/// Bytes the name of an entry may have; one with a longer name is refused.
pub const MAX_NAME_BYTES: usize = 512;
