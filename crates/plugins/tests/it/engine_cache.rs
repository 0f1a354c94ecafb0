//! The folder with compiled code: used only when nobody else can have written there.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use plugins::engine::{Cache, Source, SourceError};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// The smallest component there is.
const SMALLEST: &[u8] = b"\0asm\x0d\0\x01\0";

fn smallest(folder: &Path) -> Source {
    let file = folder.join("smallest.wasm");
    fs::write(&file, SMALLEST).unwrap();
    Source::from_file(&file).unwrap()
}

#[test]
fn compiled_code_is_kept_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let source = smallest(folder.path());
    let cache = Cache::open(&folder.path().join("cache")).unwrap();
    let file = cache.compile(&source).unwrap();
    let written = file.metadata().unwrap().modified().unwrap();
    assert_eq!(cache.compile(&source).unwrap(), file);
    assert_eq!(file.metadata().unwrap().modified().unwrap(), written);
    assert_eq!((mode(file.parent().unwrap()), mode(&file)), (0o700, 0o600));
}

#[test]
fn the_engine_inside_the_program_is_inflated_to_be_compiled() {
    let mut deflated = ZlibEncoder::new(Vec::new(), Compression::best());
    deflated.write_all(SMALLEST).unwrap();
    let source = Source::from_deflated(deflated.finish().unwrap().leak());
    let folder = tempfile::tempdir().unwrap();
    Cache::open(folder.path())
        .unwrap()
        .compile(&source)
        .unwrap();
    let damaged = Source::from_deflated(b"no engine");
    let error = Cache::open(folder.path()).unwrap().compile(&damaged);
    assert!(error.unwrap_err().to_string().contains("damaged"));
}

#[test]
fn damaged_code_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let source = smallest(folder.path());
    let cache = Cache::open(&folder.path().join("cache")).unwrap();
    let file = cache.compile(&source).unwrap();
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    cache.compile(&source).unwrap();
    assert_eq!(fs::read(&file).unwrap(), whole);
    fs::remove_file(file.with_extension("sha256")).unwrap();
    cache.compile(&source).unwrap();
    assert!(file.with_extension("sha256").exists());
}

#[test]
fn a_folder_that_others_may_write_to_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for bad in [0o770, 0o707, 0o777] {
        set_mode(folder.path(), bad);
        let error = Cache::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("may be written by others"), "{error}");
    }
}

#[test]
fn a_file_that_others_may_write_to_or_a_link_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = smallest(folder.path());
    let cache = Cache::open(&folder.path().join("cache")).unwrap();
    let file = cache.compile(&source).unwrap();
    set_mode(&file, 0o666);
    assert!(
        cache
            .compile(&source)
            .unwrap_err()
            .to_string()
            .contains("may be written by others")
    );
    fs::remove_file(&file).unwrap();
    symlink(folder.path().join("smallest.wasm"), &file).unwrap();
    assert!(
        cache
            .compile(&source)
            .unwrap_err()
            .to_string()
            .contains("is a link")
    );
}

#[test]
fn old_code_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path()).unwrap();
    for old in 0..9 {
        fs::write(folder.path().join(format!("engine-{old}.cwasm")), "old").unwrap();
    }
    let file = cache.compile(&smallest(folder.path())).unwrap();
    let kept: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "cwasm"))
        .collect();
    assert!(kept.len() == 4 && kept.contains(&file), "{kept:?}");
}

#[test]
fn a_missing_engine_is_told_with_the_command_that_makes_it() {
    let error = Source::from_file(Path::new("/nowhere/engine.wasm")).unwrap_err();
    assert!(matches!(error, SourceError::File { .. }));
    assert!(
        error.to_string().contains("scripts/engine.py build"),
        "{error}"
    );
}
