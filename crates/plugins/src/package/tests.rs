use std::io::Write;

use testkit::archive::{ZipEntry, zip, zip_of};

use super::*;

const GOOD: &str = r#"{"api":"1","name":"Door Bell","version":"1","permissions":["ui.modify"],"styles":["a.css"]}"#;

/// A valid package with these entries added, or replaced if the name exists.
fn with(more: Vec<ZipEntry>) -> Vec<u8> {
    let mut entries = vec![
        ZipEntry::new("plugin.manifest.json", GOOD.as_bytes()),
        ZipEntry::new("plugin.py", b"print('hello')\n"),
    ];
    entries.retain(|entry| !more.iter().any(|other| other.name == entry.name));
    entries.extend(more);
    zip(&entries)
}

fn refusal(bytes: Vec<u8>) -> String {
    match Package::from_bytes(bytes) {
        Ok(package) => package.check_every_entry().unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_package_is_read_from_memory_and_from_a_file() {
    let bytes = with(vec![
        ZipEntry::new("icon.png", b"\x89PNG"),
        ZipEntry::new("INSTRUCTIONS.md", "# Ring é\n".as_bytes()),
        ZipEntry {
            unpacked: 0,
            ..ZipEntry::new("public/", b"")
        },
        ZipEntry::new("public/index.html", b"<p>hi</p>"),
        ZipEntry::new("assets/raw.bin", b"\xff\0\x80"),
    ]);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&bytes).unwrap();
    for package in [
        Package::from_bytes(bytes).unwrap(),
        Package::open(file.path()).unwrap(),
    ] {
        package.check_every_entry().unwrap();
        assert_eq!(package.manifest().slug.as_str(), "door-bell");
        assert_eq!(package.code().unwrap(), "print('hello')\n");
        assert_eq!(package.icon().unwrap().unwrap(), &b"\x89PNG"[..]);
        assert_eq!(package.instructions().unwrap().unwrap(), "# Ring é\n");
        assert_eq!(
            package.public("index.html").unwrap().unwrap(),
            &b"<p>hi</p>"[..]
        );
        assert!(package.has_public("index.html") && !package.has_public(""));
        assert_eq!(
            package.asset("raw.bin").unwrap().unwrap(),
            &b"\xff\0\x80"[..]
        );
        assert_eq!(package.asset("../plugin.py").unwrap(), None);
        assert_eq!(package.public("no.html").unwrap(), None);
        let remarks = package.remarks();
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].contains("assets/a.css"));
    }
}

#[test]
fn stored_entries_and_comments_are_understood() {
    let stored = ZipEntry {
        packed: b"x = 1\n".to_vec(),
        method: 0,
        ..ZipEntry::new("plugin.py", b"x = 1\n")
    };
    let mut bytes = with(vec![stored]);
    let comment = b"made with PK\x05\x06 care";
    let at = bytes.len() - 2;
    bytes[at] = u8::try_from(comment.len()).unwrap();
    bytes.extend(comment);
    assert_eq!(
        Package::from_bytes(bytes).unwrap().code().unwrap(),
        "x = 1\n"
    );
}

#[test]
fn what_an_upload_lacks_is_said_in_order() {
    let manifest: (&str, &[u8]) = ("plugin.manifest.json", GOOD.as_bytes());
    let bad: (&str, &[u8]) = ("plugin.manifest.json", b"{\"api\":\"2\"}");
    let code: (&str, &[u8]) = ("plugin.py", b"");
    let js: (&str, &[u8]) = ("plugin.js", b"");
    let cases = [
        (Vec::new(), "empty"),
        (vec![b'P'; 100], "not a ZIP"),
        (zip_of(&[]), "no plugin.manifest.json"),
        (zip_of(&[code]), "no plugin.manifest.json"),
        (zip_of(&[bad]), "api: is another version"),
        (zip_of(&[manifest]), "no plugin.py"),
        (
            zip_of(&[manifest, js]),
            "plugin.js, which this server does not run",
        ),
        (
            zip_of(&[manifest, ("plugin.wasm", b"\0asm")]),
            "plugin.wasm, which this server does not run",
        ),
        (zip_of(&[manifest, code, js]), "only one code file"),
    ];
    for (bytes, why) in cases {
        let text = refusal(bytes);
        assert!(text.contains(why), "{text:?} does not say {why:?}");
    }
    let large = vec![0; usize::try_from(MAX_PACKAGE_BYTES).unwrap() + 1];
    assert!(refusal(large).contains("50 MiB"));
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let named = |name: &[u8]| {
        with(vec![ZipEntry {
            name: name.to_vec(),
            ..ZipEntry::new("x", b"x")
        }])
    };
    let long = "x".repeat(MAX_NAME_BYTES + 1);
    let cases: &[(&[u8], &str)] = &[
        (b"/etc/passwd", "absolute"),
        (b"../x", ".."),
        (b"public/../../x", ".."),
        (b"public/./x", ". or .."),
        (b"public//x", "empty part"),
        (b"", "empty part"),
        (b"public\\x", "backslash"),
        (b"pub\0lic", "control"),
        (b"a\xff", "UTF-8"),
        (long.as_bytes(), "512"),
    ];
    for (name, why) in cases {
        let text = refusal(named(name));
        assert!(text.contains(why), "{name:?} gave {text:?}");
    }
    let twice = with(vec![ZipEntry::new("a", b"1"), ZipEntry::new("a", b"2")]);
    assert!(refusal(twice).contains("\"a\" is there twice"));
    let both = with(vec![
        ZipEntry::new("a", b"1"),
        ZipEntry {
            unpacked: 0,
            ..ZipEntry::new("a/", b"")
        },
    ]);
    assert!(refusal(both).contains("a file and a folder"));
    let other = ZipEntry {
        local_name: Some(b"b".to_vec()),
        ..ZipEntry::new("a", b"1")
    };
    assert!(refusal(with(vec![other])).contains("another name"));
}

#[test]
fn links_devices_encryption_and_other_packings_are_refused() {
    let entry = || ZipEntry::new("a", b"content");
    let cases = [
        (
            ZipEntry {
                mode: 0o120_777,
                ..entry()
            },
            "symbolic link",
        ),
        (
            ZipEntry {
                mode: 0o010_644,
                ..entry()
            },
            "neither a file nor a folder",
        ),
        (
            ZipEntry {
                flags: 1,
                ..entry()
            },
            "encrypted",
        ),
        (
            ZipEntry {
                method: 93,
                ..entry()
            },
            "deflate",
        ),
        (
            ZipEntry {
                name: b"a/".to_vec(),
                ..entry()
            },
            "folder with content",
        ),
    ];
    for (entry, why) in cases {
        let text = refusal(with(vec![entry]));
        assert!(text.contains(why), "{text:?} does not say {why:?}");
    }
}

#[test]
fn sizes_that_lie_are_found_out_while_unpacking() {
    let entry = || ZipEntry::new("assets/a", &[7; 1000]);
    let cases = [
        (
            ZipEntry {
                unpacked: 999,
                ..entry()
            },
            "larger than it says",
        ),
        (
            ZipEntry {
                unpacked: 1001,
                ..entry()
            },
            "smaller than it says",
        ),
        (
            ZipEntry {
                checksum: 1,
                ..entry()
            },
            "checksum",
        ),
        (
            ZipEntry {
                method: 0,
                ..entry()
            },
            "two different sizes",
        ),
        (
            ZipEntry {
                packed: vec![0xff; 20],
                ..entry()
            },
            "cannot be unpacked",
        ),
    ];
    for (entry, why) in cases {
        let text = refusal(with(vec![entry]));
        assert!(text.contains(why), "{text:?} does not say {why:?}");
    }
}

#[test]
fn bombs_are_refused_before_they_are_unpacked() {
    let empty = |index: usize| ZipEntry {
        unpacked: 0,
        ..ZipEntry::new(&format!("public/{index}"), b"")
    };
    assert!(Package::from_bytes(with((0..MAX_ENTRIES - 2).map(empty).collect())).is_ok());
    let many = with((0..MAX_ENTRIES - 1).map(empty).collect());
    assert!(refusal(many).contains("2001 entries"));

    let claims = |name: &str, unpacked| ZipEntry {
        unpacked,
        ..ZipEntry::new(name, b"x")
    };
    let one = with(vec![claims("a", 64 * 1024 * 1024 + 1)]);
    assert!(refusal(one).contains("64 MiB"));
    let all = ["a", "b", "c", "d", "e"].map(|name| claims(name, 64 * 1024 * 1024));
    assert!(refusal(with(all.to_vec())).contains("256 MiB"));
    let code = with(vec![claims("plugin.py", 8 * 1024 * 1024 + 1)]);
    assert!(refusal(code).contains("8 MiB"));
}

#[test]
fn an_archive_whose_parts_do_not_fit_together_is_refused() {
    let good = with(Vec::new());
    let before = [b"#!/bin/sh\n".to_vec(), good.clone()].concat();
    assert!(refusal(before).contains("not where its end record says"));
    let mut fewer = good.clone();
    let end = fewer.len() - 22;
    (fewer[end + 8], fewer[end + 10]) = (1, 1);
    assert!(refusal(fewer).contains("more than it says"));
    for length in 0..good.len() {
        assert!(
            Package::from_bytes(good[..length].to_vec()).is_err(),
            "cut at {length}"
        );
    }
}

proptest::proptest! {
    #[test]
    fn a_changed_byte_is_refused_or_changes_nothing_that_matters(at: proptest::sample::Index, value: u8) {
        let mut bytes = with(vec![ZipEntry::new("assets/a.css", b"body { color: red }")]);
        let at = at.index(bytes.len());
        bytes[at] = value;
        if let Ok(package) = Package::from_bytes(bytes)
            && let Ok(Some(content)) = package.asset("a.css")
        {
            proptest::prop_assert_eq!(content, &b"body { color: red }"[..]);
        }
    }
}
