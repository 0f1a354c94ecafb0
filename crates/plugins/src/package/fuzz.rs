//! The body of the package fuzz target, shared with the stable replay test.

use super::{MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_UNPACKED_BYTES, Package};

/// Opens `data` as a package and reads every entry. Whatever is accepted must keep to the limits.
///
/// # Panics
/// When it does not.
pub fn fuzz_package(data: &[u8]) {
    let Ok(package) = Package::from_bytes(data.to_vec()) else {
        return;
    };
    assert!(package.entries.len() <= MAX_ENTRIES, "too many entries");
    let mut total = 0;
    for name in package.entries.keys() {
        let is_plain = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
        assert!(is_plain && !name.contains('\\'), "{name:?} was accepted");
        // Damaged entries are refused one by one; what comes out is as large as was declared.
        if let Ok(Some(content)) = package.file(name) {
            let size = content.len() as u64;
            assert_eq!(size, package.entries[name].unpacked);
            assert!(size <= MAX_ENTRY_BYTES);
            total += size;
        }
    }
    assert!(total <= MAX_UNPACKED_BYTES, "too much was unpacked");
    drop(package.code());
    assert!(package.check_every_entry().is_err() || package.code().is_ok());
    drop(package.remarks());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_package_can_do_more_than_be_refused() {
        let spice = b"PK\x01\x02\x03\x04\x05\x06\x00\x08\xff./\\\"{}[]:,";
        testkit::replay::replay("plugin_package", spice, fuzz_package);
    }
}
