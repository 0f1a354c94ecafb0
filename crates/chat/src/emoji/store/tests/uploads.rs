//! What is uploaded, served, removed and rejected.

use super::*;

#[test]
fn an_upload_is_written_anew_and_found_at_once() {
    let world = World::new();
    let emoji = world.store.add(None, "Party.gif", &png()).unwrap();
    assert_eq!(emoji.path, "Party.png", "the ending is that of the content");
    let packed = world
        .store
        .add(Some("cats"), "tom", &encoded(ImageFormat::WebP))
        .unwrap();
    assert_eq!(packed.path, "cats/tom.png");
    assert_eq!(packed.pack.as_deref(), Some("cats"));
    assert_eq!(world.own(), ["Party.png", "cats/tom.png"]);
    let file = world.store.read("cats/tom.png").unwrap();
    assert_eq!(file.content_type, "image/png");
    let on_disk = world.folder().join("cats/tom.png");
    assert_eq!(fs::read(&on_disk).unwrap(), file.bytes);
    let mode = fs::metadata(&on_disk).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let leftovers = world.everything().into_iter();
    assert_eq!(
        leftovers.filter(|path| path.ends_with(UNFINISHED)).count(),
        0
    );
}

#[test]
fn a_name_is_taken_in_any_case_and_pack() {
    let world = World::new();
    world.store.add(None, "party.png", &png()).unwrap();
    for (pack, name) in [
        (None, "party.png"),
        (None, "PARTY"),
        (Some("cats"), "Party.gif"),
    ] {
        match world.store.add(pack, name, &png()) {
            Err(EmojiError::Taken(path)) => assert_eq!(path, "party.png"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_file_that_is_no_emoji_is_not_overwritten() {
    let world = World::with(|folder| fs::write(folder.join("party.png"), "not a picture").unwrap());
    assert!(matches!(
        world.store.add(None, "party", &png()),
        Err(EmojiError::Taken(_))
    ));
    let kept = fs::read(world.folder().join("party.png")).unwrap();
    assert_eq!(kept, b"not a picture");
}

/// Notes what it gets, until it refuses everything.
#[derive(Debug, Default)]
struct NotingMirror {
    got: Mutex<Vec<String>>,
    is_away: std::sync::atomic::AtomicBool,
}

impl NotingMirror {
    fn note(&self, what: String) -> io::Result<()> {
        if self.is_away.load(std::sync::atomic::Ordering::SeqCst) {
            return Err(io::Error::other("the bucket is away"));
        }
        self.got.lock().unwrap().push(what);
        Ok(())
    }
}

impl EmojiMirror for NotingMirror {
    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        assert!(bytes.starts_with(b"\x89PNG"));
        self.note(format!("write {path}"))
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        self.note(format!("remove {path}"))
    }
}

#[test]
fn a_mirror_gets_each_change_first_and_one_it_refuses_is_not_made() {
    let World { root, clock, store } = World::new();
    let mirror = Arc::new(NotingMirror::default());
    let store = store.mirrored_to(Arc::<NotingMirror>::clone(&mirror));
    let world = World { root, clock, store };
    world.store.add(Some("cats"), "tom", &png()).unwrap();
    world.store.add(None, "party", &png()).unwrap();
    world.store.remove("cats/tom.png").unwrap();
    assert_eq!(
        *mirror.got.lock().unwrap(),
        [
            "write cats/tom.png",
            "write party.png",
            "remove cats/tom.png"
        ]
    );
    mirror
        .is_away
        .store(true, std::sync::atomic::Ordering::SeqCst);
    for refused in [
        world.store.add(None, "wave", &png()).map(drop),
        world.store.remove("party.png"),
    ] {
        let error = refused.unwrap_err();
        assert!(error.to_string().contains("the bucket is away"), "{error}");
    }
    assert_eq!(world.own(), ["party.png"]);
}

#[test]
fn of_two_uploads_with_one_name_at_once_one_wins() {
    let world = World::new();
    for round in 0..5 {
        let name = format!("race{round}");
        let outcomes: Vec<_> = thread::scope(|scope| {
            let racers: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| world.store.add(None, &name, &png())))
                .collect();
            racers
                .into_iter()
                .map(|racer| racer.join().unwrap())
                .collect()
        });
        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let told = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Err(EmojiError::Taken(_))))
            .count();
        assert_eq!((won, told), (1, 7));
    }
}

#[test]
fn an_own_emoji_hides_the_built_in_one_of_its_name() {
    let world = World::new();
    assert_eq!(
        world.store.find("wave").as_deref(),
        Some("/img/emoji/wave.svg")
    );
    world.store.add(None, "wave", &png()).unwrap();
    assert_eq!(
        world.store.find("wave").as_deref(),
        Some("/img/emoji/wave.png")
    );
    let list = world.store.list();
    assert_eq!(list.iter().filter(|emoji| emoji.name == "wave").count(), 1);
    assert!(
        world.store.read("wave.svg").is_some(),
        "old lines still show it"
    );
    world.store.remove("wave.png").unwrap();
    assert_eq!(
        world.store.find("wave").as_deref(),
        Some("/img/emoji/wave.svg")
    );
}

#[test]
fn built_in_emoji_are_served_and_cannot_be_removed() {
    let world = World::new();
    let file = world.store.read("heart.svg").unwrap();
    assert_eq!(file.content_type, "image/svg+xml");
    assert!(matches!(
        world.store.remove("heart.svg"),
        Err(EmojiError::BuiltIn)
    ));
    assert!(world.store.read("heart.svg").is_some());
}

#[test]
fn tags_follow_the_content() {
    let world = World::with(|folder| fs::write(folder.join("a.png"), png()).unwrap());
    let tag = |path| world.store.read(path).unwrap().etag;
    let before = tag("a.png");
    assert_eq!(before, tag("a.png"));
    assert_ne!(before, tag("heart.svg"));
    fs::write(world.folder().join("a.png"), encoded(ImageFormat::Gif)).unwrap();
    assert_ne!(before, tag("a.png"));
    assert_eq!(world.store.read("a.png").unwrap().content_type, "image/gif");
    assert!(before.starts_with('"') && before.ends_with('"'));
}

#[test]
fn a_file_that_turned_into_something_else_is_not_served() {
    let world = World::with(|folder| {
        fs::write(folder.parent().unwrap().join("secret.png"), png()).unwrap();
        for name in ["page.png", "large.png", "swapped.png"] {
            fs::write(folder.join(name), png()).unwrap();
        }
    });
    let file = |name: &str| world.folder().join(name);
    fs::write(file("page.png"), "<html>").unwrap();
    let mut large = png();
    large.resize(MAX_FILE_BYTES + 1, 0);
    fs::write(file("large.png"), large).unwrap();
    fs::remove_file(file("swapped.png")).unwrap();
    symlink(world.root.path().join("secret.png"), file("swapped.png")).unwrap();
    for name in ["page.png", "large.png", "swapped.png"] {
        assert!(world.store.read(name).is_none(), "{name}");
    }
}

#[test]
fn nothing_a_client_sends_leaves_the_folder() {
    let world = World::with(|folder| {
        let secret = folder.parent().unwrap().join("secret.png");
        fs::write(&secret, png()).unwrap();
        symlink(&secret, folder.join("link.png")).unwrap();
        fs::create_dir(folder.join("pack")).unwrap();
        fs::write(folder.join("party.png"), png()).unwrap();
    });
    let before = world.everything();
    for path in TRAVERSAL {
        assert!(world.store.read(path).is_none(), "read {path:?}");
        assert!(
            matches!(world.store.remove(path), Err(EmojiError::Unknown)),
            "remove {path:?}"
        );
        let as_name = world.store.add(None, path, &png());
        if path == "link.png" {
            // A valid name, but already taken.
            assert!(matches!(as_name, Err(EmojiError::Taken(_))));
        } else {
            assert!(matches!(as_name, Err(EmojiError::Name)), "add {path:?}");
        }
        if !path.is_empty() {
            let as_pack = world.store.add(Some(path), "new", &png());
            assert!(matches!(as_pack, Err(EmojiError::Pack)), "into {path:?}");
        }
    }
    assert_eq!(world.everything(), before);
}

#[test]
fn a_pack_that_is_a_link_is_not_written_through() {
    let world = World::with(|folder| {
        symlink(folder.parent().unwrap(), folder.join("up")).unwrap();
    });
    let before = world.everything();
    assert!(matches!(
        world.store.add(Some("up"), "party", &png()),
        Err(EmojiError::Disk(_))
    ));
    assert_eq!(world.everything(), before);
}

#[test]
fn hostile_pictures_leave_no_file_behind() {
    let world = World::new();
    let before = world.everything();
    for bytes in [
        b"".as_slice(),
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"GIF89a",
        b"\x89PNG\r\n\x1a\n",
        &png()[..40],
    ] {
        let refused = world.store.add(Some("new"), "party.png", bytes);
        assert!(
            matches!(refused, Err(EmojiError::Picture(_))),
            "{refused:?}"
        );
    }
    assert_eq!(world.everything(), before);
}

#[test]
fn an_upload_that_was_interrupted_is_cleaned_up() {
    let world = World::with(|folder| {
        fs::create_dir(folder.join("pack")).unwrap();
        fs::write(folder.join(UNFINISHED), "half").unwrap();
        fs::write(folder.join("pack").join(UNFINISHED), "half").unwrap();
    });
    let left = world.everything();
    assert!(!left.iter().any(|path| path.ends_with(UNFINISHED)));
}

#[test]
fn messages_are_sentences_without_capital_or_full_stop() {
    let world = World::new();
    let errors = [
        world.store.add(None, "a b", &png()).unwrap_err(),
        world.store.add(Some("a b"), "a", &png()).unwrap_err(),
        world.store.add(None, "a", b"<svg/>").unwrap_err(),
        world.store.remove("heart.svg").unwrap_err(),
        world.store.remove("nothing.png").unwrap_err(),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.starts_with(char::is_lowercase), "{text}");
        assert!(!text.ends_with('.') && text.len() < 200, "{text}");
    }
}
