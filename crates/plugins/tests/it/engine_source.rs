//! The engine's machine code: unpacked once, and used only if it is intact and nobody else can have written it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use plugins::engine::{EmbeddedEngine, Engine, EngineSource};

use crate::engine_kit::built_engine;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// An embedded engine.
fn carried() -> EmbeddedEngine {
    static CARRIED: OnceLock<EmbeddedEngine> = OnceLock::new();
    *CARRIED.get_or_init(|| EmbeddedEngine {
        deflated: fs::read(built_engine().with_extension("cwasm.zlib"))
            .unwrap()
            .leak(),
        sha256: fs::read_to_string(built_engine().with_extension("cwasm.sha256"))
            .unwrap()
            .leak(),
    })
}

fn open(carried: EmbeddedEngine, folder: &Path) -> Result<Engine, String> {
    Engine::open(&EngineSource::Embedded(carried), folder).map_err(|error| error.to_string())
}

/// The one unpacked engine in a folder.
fn unpacked(folder: &Path) -> PathBuf {
    folder.join(format!("engine-{}.cwasm", &carried().sha256[..16]))
}

#[test]
fn the_engine_inside_the_program_is_unpacked_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("engine");
    // Several programs may start at once.
    thread::scope(|scope| {
        let started: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| open(carried(), &place).unwrap()))
            .collect();
        for engine in started {
            engine.join().unwrap();
        }
    });
    let file = unpacked(&place);
    assert_eq!((mode(&place), mode(&file)), (0o700, 0o600));
    let written = file.metadata().unwrap().modified().unwrap();
    open(carried(), &place).unwrap();
    assert_eq!(file.metadata().unwrap().modified().unwrap(), written);
    assert!(!file.with_extension("unfinished").exists());
}

#[test]
fn what_is_not_the_code_that_was_built_is_unpacked_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = unpacked(folder.path());
    // A truncated file after a power cut, and leftovers of an interrupted start.
    fs::write(&file, "half").unwrap();
    fs::write(file.with_extension("unfinished"), "half").unwrap();
    open(carried(), folder.path()).unwrap();
    let mut code = fs::read(&file).unwrap();
    let middle = code.len() / 2;
    code[middle] ^= 1;
    fs::write(&file, &code).unwrap();
    open(carried(), folder.path()).unwrap();
    code[middle] ^= 1;
    assert!(fs::read(&file).unwrap() == code, "it is whole again");
}

#[test]
fn a_damaged_program_says_so_and_leaves_nothing_that_could_be_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = ZlibEncoder::new(Vec::new(), Compression::fast());
    other.write_all(b"something else").unwrap();
    for deflated in [b"no engine".as_slice(), other.finish().unwrap().leak()] {
        let sha256 = carried().sha256;
        let error = open(EmbeddedEngine { deflated, sha256 }, folder.path()).unwrap_err();
        assert!(error.contains("is damaged"), "{error}");
        assert!(!unpacked(folder.path()).exists());
    }
}

#[test]
fn a_folder_or_file_that_others_may_write_to_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for bad in [0o770, 0o707, 0o777] {
        set_mode(folder.path(), bad);
        let error = open(carried(), folder.path()).unwrap_err();
        assert!(error.contains("may be written by others"), "{error}");
    }
    set_mode(folder.path(), 0o700);
    let named = folder.path().join("own.cwasm");
    fs::copy(built_engine(), &named).unwrap();
    for path in [unpacked(folder.path()), named.clone()] {
        fs::write(&path, "anything").unwrap();
        set_mode(&path, 0o666);
    }
    let error = open(carried(), folder.path()).unwrap_err();
    assert!(error.contains("may be written by others"), "{error}");
    let error = Engine::open(&EngineSource::File(named), folder.path()).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("may be written by others"), "{error}");
}

#[test]
fn engines_of_older_programs_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    for old in 0..9 {
        for end in ["cwasm", "sha256"] {
            fs::write(folder.path().join(format!("engine-{old}.{end}")), "old").unwrap();
        }
    }
    open(carried(), folder.path()).unwrap();
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let count = |end: &str| {
        let has_end = |path: &&PathBuf| path.extension().is_some_and(|found| found == end);
        names.iter().filter(has_end).count()
    };
    assert_eq!((count("cwasm"), count("sha256")), (2, 1), "{names:?}");
    assert!(unpacked(folder.path()).exists());
}

#[test]
fn a_file_that_is_no_engine_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let told = |name: &str, content: Option<&[u8]>| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            fs::write(&path, content).unwrap();
        }
        let error = Engine::open(&EngineSource::File(path), folder.path()).unwrap_err();
        error.to_string()
    };
    let missing = told("missing.cwasm", None);
    assert!(missing.contains("missing.cwasm: "), "{missing}");
    assert!(missing.contains("scripts/engine.py build"), "{missing}");
    let component = told("engine.wasm", Some(b"\0asm\x0d\0\x01\0"));
    assert!(component.contains("scripts/engine.py build"), "{component}");
    let text = told("text.cwasm", Some(b"no engine"));
    assert!(text.contains("cannot be mapped"), "{text}");
}
