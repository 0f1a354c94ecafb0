//! Temporary files of plugin databases, for sorts and intermediate results, counted against a budget.
//!
//! SQLite writes them through the VFS that opened the database and has no limit for them. So plugin databases use their
//! own VFS, which wraps the default one: it counts what is written to temporary files, and reports a full disk when the
//! budget is spent. Each database has its own thread, so the count is per thread.

#![expect(
    unsafe_code,
    reason = "SQLite takes and gives what opens its files as pointers"
)]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{
    self, SQLITE_FULL, SQLITE_OK, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs,
};

/// The name of the VFS.
const NAME: &CStr = c"rillcast-plugins";

/// What is counted. Journals of statements are not: one holds each page of the database once at most, as it was before the
/// statement, and a plugin cannot open savepoints that would have further ones.
const COUNTED: c_int =
    ffi::SQLITE_OPEN_TEMP_DB | ffi::SQLITE_OPEN_TRANSIENT_DB | ffi::SQLITE_OPEN_TEMP_JOURNAL;

thread_local! {
    static BUDGET: Cell<TempBudget> = const { Cell::new(TempBudget { allowed: 0, used: 0, was_refused: false }) };
}

/// The temporary bytes used and allowed in this thread.
#[derive(Clone, Copy)]
struct TempBudget {
    allowed: u64,
    used: u64,
    was_refused: bool,
}

/// Sets the total size allowed for temporary files of this thread.
pub(super) fn allow(bytes: u64) {
    BUDGET.set(TempBudget {
        allowed: bytes,
        was_refused: false,
        ..BUDGET.get()
    });
}

/// Whether a write was refused since then.
pub(super) fn was_refused() -> bool {
    BUDGET.get().was_refused
}

fn take(bytes: u64) -> bool {
    let mut budget = BUDGET.get();
    let used = budget.used.saturating_add(bytes);
    let fits = used <= budget.allowed;
    match fits {
        true => budget.used = used,
        false => budget.was_refused = true,
    }
    BUDGET.set(budget);
    fits
}

fn give_back(bytes: u64) {
    let mut budget = BUDGET.get();
    budget.used = budget.used.saturating_sub(bytes);
    BUDGET.set(budget);
}

/// The default VFS, which does the work.
#[derive(Clone, Copy)]
struct DefaultVfs(*mut sqlite3_vfs);

// SAFETY: SQLite's own VFS objects live as long as the process and may be used by any thread. After registration only
// `pNext` is written, by SQLite under its own lock; nobody here reads it except for the copy below, which replaces it.
unsafe impl Send for DefaultVfs {}
// SAFETY: as above.
unsafe impl Sync for DefaultVfs {}

static USUAL: OnceLock<Option<DefaultVfs>> = OnceLock::new();

/// The name of the VFS for plugin databases; `None` if SQLite has no VFS at all.
pub(super) fn vfs() -> Option<&'static CStr> {
    let usual = USUAL.get_or_init(|| {
        // SAFETY: a null name asks for the default VFS; the answer is null or lives as long as the process.
        let usual = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
        if usual.is_null() {
            return None;
        }
        // SAFETY: it is not null, and of the copied fields only `pNext` is ever written, which no other thread does
        // while this one registers the process's only other VFS. The copy shares its functions, which for every VFS of
        // SQLite read `pAppData` of the object they get and nothing else that is changed here.
        let mut own = unsafe { *usual };
        own.szOsFile += c_int::try_from(header()).unwrap_or_default();
        own.zName = NAME.as_ptr();
        own.pNext = ptr::null_mut();
        own.xOpen = Some(open);
        // SAFETY: the object is leaked, so it lives as long as the process, as do its name and its functions.
        let registered = unsafe { ffi::sqlite3_vfs_register(Box::leak(Box::new(own)), 0) };
        (registered == SQLITE_OK).then_some(DefaultVfs(usual))
    });
    usual.map(|_| NAME)
}

/// A counted file. The default VFS's file follows it in memory.
#[repr(C)]
struct TempFile {
    base: sqlite3_file,
    size: u64,
}

/// Where the inner file begins; SQLite aligns files to eight bytes.
const fn header() -> usize {
    size_of::<TempFile>().next_multiple_of(16)
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    // Version 1 has neither shared memory nor memory mapping, which temporary files do not need.
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

unsafe extern "C" fn open(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite provides memory for a file. Without methods it does not close one that was not opened.
    unsafe { (*file).pMethods = ptr::null() };
    let Some(Some(DefaultVfs(usual))) = USUAL.get() else {
        return ffi::SQLITE_CANTOPEN;
    };
    // SAFETY: it was found on registration and lives as long as the process.
    let Some(usual_open) = (unsafe { (**usual).xOpen }) else {
        return ffi::SQLITE_CANTOPEN;
    };
    if flags & COUNTED == 0 {
        // SAFETY: SQLite provides `szOsFile` bytes of ours, which is more than the default VFS needs.
        return unsafe { usual_open(*usual, name, file, flags, out_flags) };
    }
    // SAFETY: `szOsFile` covers the header and the default VFS's file after it.
    unsafe {
        let inner = inner(file);
        (*inner).pMethods = ptr::null();
        let code = usual_open(*usual, name, inner, flags, out_flags);
        if code != SQLITE_OK {
            // A file with methods set expects to be closed, even after a failure.
            if !(*inner).pMethods.is_null() {
                call_close(inner);
            }
            return code;
        }
        let base = sqlite3_file {
            pMethods: &raw const METHODS,
        };
        file.cast::<TempFile>().write(TempFile { base, size: 0 });
    }
    SQLITE_OK
}

/// The default VFS's file.
///
/// # Safety
/// `file` must point to as many bytes as `szOsFile` of our VFS says.
unsafe fn inner(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: the caller guarantees that many bytes.
    unsafe { file.cast::<u8>().add(header()).cast() }
}

/// # Safety
/// `inner` must be a file with methods.
unsafe fn call_close(inner: *mut sqlite3_file) -> c_int {
    // SAFETY: the caller guarantees that it has methods.
    match unsafe { (*(*inner).pMethods).xClose } {
        // SAFETY: it is one of this file's own methods.
        Some(close) => unsafe { close(inner) },
        None => SQLITE_OK,
    }
}

/// Forwards a call to the default VFS's file.
macro_rules! hand_on {
    ($file:ident . $method:ident ( $($argument:expr),* )) => {{
        // SAFETY: SQLite calls a file's methods only after `open` has written it, including the inner file.
        unsafe {
            let inner = inner($file);
            match (*(*inner).pMethods).$method {
                Some(method) => method(inner, $($argument),*),
                None => ffi::SQLITE_IOERR,
            }
        }
    }};
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: `open` wrote both files, and SQLite closes each once.
    let (size, code) = unsafe { ((*file.cast::<TempFile>()).size, call_close(inner(file))) };
    give_back(size);
    code
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: `open` wrote it, and SQLite uses a file in one thread at a time.
    let size = unsafe { &mut (*file.cast::<TempFile>()).size };
    let end = u64::try_from(offset + sqlite3_int64::from(amount)).unwrap_or_default();
    let more = end.saturating_sub(*size);
    if !take(more) {
        return SQLITE_FULL;
    }
    let code = hand_on!(file.xWrite(bytes, amount, offset));
    match code {
        SQLITE_OK => *size += more,
        _ => give_back(more),
    }
    code
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: sqlite3_int64) -> c_int {
    let code = hand_on!(file.xTruncate(length));
    if code == SQLITE_OK {
        // SAFETY: `open` wrote it, and SQLite uses a file in one thread at a time.
        let size = unsafe { &mut (*file.cast::<TempFile>()).size };
        let length = u64::try_from(length).unwrap_or_default().min(*size);
        give_back(*size - length);
        *size = length;
    }
    code
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    bytes: *mut c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    hand_on!(file.xRead(bytes, amount, offset))
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    hand_on!(file.xSync(flags))
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, size: *mut sqlite3_int64) -> c_int {
    hand_on!(file.xFileSize(size))
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    hand_on!(file.xLock(level))
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    hand_on!(file.xUnlock(level))
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, is_held: *mut c_int) -> c_int {
    hand_on!(file.xCheckReservedLock(is_held))
}

unsafe extern "C" fn file_control(
    file: *mut sqlite3_file,
    control: c_int,
    argument: *mut c_void,
) -> c_int {
    hand_on!(file.xFileControl(control, argument))
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    hand_on!(file.xSectorSize())
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    hand_on!(file.xDeviceCharacteristics())
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, OpenFlags};

    use super::*;

    /// Rows of a hundred thousand bytes each, sorted or deduplicated.
    fn run(connection: &Connection, rows: u32, how: &str) -> rusqlite::Result<u32> {
        let text = format!(
            "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {rows}), \
             wide AS (SELECT n, CAST(n AS TEXT) || hex(zeroblob(50000)) AS b FROM c) {how}"
        );
        let mut statement = connection.prepare(&text)?;
        let mut found = statement.query([])?;
        let mut count = 0;
        while found.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    #[test]
    fn sorts_and_collections_end_with_the_budget_and_small_ones_work() {
        let folder = tempfile::tempdir().unwrap();
        let vfs = vfs().unwrap();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        for path in [folder.path().join("plugin.db"), ":memory:".into()] {
            let connection = Connection::open_with_flags_and_vfs(path, flags, vfs).unwrap();
            for how in [
                "SELECT n FROM wide ORDER BY b DESC, n",
                "SELECT DISTINCT b FROM wide",
                "SELECT b FROM wide UNION SELECT b FROM wide",
            ] {
                allow(16 * 1024 * 1024);
                assert_eq!(run(&connection, 100, how).unwrap(), 100, "{how}");
                assert!(!was_refused());
                assert_eq!(BUDGET.get().used, 0, "{how}");
                allow(4 * 1024 * 1024);
                let error = run(&connection, 100, how).unwrap_err();
                assert_eq!(
                    error.sqlite_error_code(),
                    Some(rusqlite::ErrorCode::DiskFull)
                );
                assert!(was_refused());
                assert_eq!(BUDGET.get().used, 0, "{how}");
                allow(0);
                assert_eq!(run(&connection, 5, how).unwrap(), 5, "in memory: {how}");
            }
        }
    }

    #[test]
    fn a_sort_beyond_the_budget_is_told_apart_from_a_full_database() {
        let connection =
            Connection::open_with_flags_and_vfs(":memory:", OpenFlags::default(), vfs().unwrap());
        allow(1024 * 1024);
        let error = run(
            &connection.unwrap(),
            100,
            "SELECT n FROM wide ORDER BY b, n",
        )
        .unwrap_err();
        let sentence = super::super::run::sentence(&error);
        assert!(
            sentence.contains("add an index or ask for less"),
            "{sentence}"
        );
        allow(0);
        assert!(super::super::run::sentence(&error).contains("the database is full"));
    }
}
