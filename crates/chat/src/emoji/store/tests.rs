mod uploads;

use std::fs::File;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::thread;

use image::{DynamicImage, ImageFormat, RgbaImage};
use testkit::ManualClock;

use super::*;
use crate::emoji::builtin::DRAWINGS;
use crate::emoji::disk::UNFINISHED;
use crate::emoji::scan::MAX_FILE_BYTES;

struct World {
    root: tempfile::TempDir,
    clock: ManualClock,
    store: EmojiStore,
}

impl World {
    fn new() -> Self {
        Self::with(|_| {})
    }

    /// A store over a folder that was filled beforehand.
    fn with(fill: impl FnOnce(&Path)) -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("emoji");
        fs::create_dir(&folder).unwrap();
        fill(&folder);
        let clock = ManualClock::default();
        let store = EmojiStore::open(folder, Arc::new(clock.clone())).unwrap();
        Self { root, clock, store }
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("emoji")
    }

    fn own(&self) -> Vec<String> {
        let list = self.store.list();
        let own = list.iter().filter(|emoji| !emoji.builtin);
        own.map(|emoji| emoji.path.clone()).collect()
    }

    fn refresh(&self) {
        self.clock.advance(LOOK_INTERVAL);
        self.store.refresh();
    }

    /// Every file below the temporary folder, to check that none was added or removed.
    fn everything(&self) -> Vec<PathBuf> {
        let mut waiting = vec![self.root.path().to_owned()];
        let mut found = Vec::new();
        while let Some(path) = waiting.pop() {
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                waiting.extend(
                    fs::read_dir(&path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
            }
            found.push(path);
        }
        found.sort();
        found
    }
}

fn png() -> Vec<u8> {
    encoded(ImageFormat::Png)
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut bytes = io::Cursor::new(Vec::new());
    DynamicImage::from(RgbaImage::new(4, 4))
        .write_to(&mut bytes, format)
        .unwrap();
    bytes.into_inner()
}

/// What people try in order to leave a folder.
const TRAVERSAL: [&str; 28] = [
    "..",
    ".",
    "/",
    "",
    "../secret.png",
    "../../etc/passwd",
    "/etc/passwd",
    "pack/../../secret.png",
    "pack/../party.png",
    "pack//party.png",
    "./party.png",
    "party.png/",
    "/party.png",
    "pack\\..\\secret.png",
    "..\\secret.png",
    "%2e%2e/secret.png",
    "..%2fsecret.png",
    "..%252fsecret.png",
    "%2fetc%2fpasswd",
    "....//secret.png",
    "party.png\0",
    "party.png\0.gif",
    "..\u{2215}secret.png",
    "\u{ff0e}\u{ff0e}/secret.png",
    "C:\\secret.png",
    "file:///etc/passwd",
    "link.png",
    "~/secret.png",
];

#[test]
fn the_folder_is_made_for_the_owner_alone() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("data/emoji");
    let clock = Arc::new(ManualClock::default());
    let store = EmojiStore::open(folder.clone(), clock).unwrap();
    let mode = fs::metadata(&folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(store.list().iter().all(|emoji| emoji.builtin));
    assert_eq!(store.list().len(), DRAWINGS.len());
}

#[test]
fn packs_are_folders_and_names_are_found_in_any_case() {
    let world = World::with(|folder| {
        fs::create_dir_all(folder.join("animals/Cats")).unwrap();
        fs::write(folder.join("Party.png"), png()).unwrap();
        fs::write(
            folder.join("animals/Cats/tom.GIF"),
            encoded(ImageFormat::Gif),
        )
        .unwrap();
    });
    let list = world.store.list();
    assert_eq!(list[0].name, "Party");
    assert_eq!(list[0].pack, None);
    assert_eq!(list[1].path, "animals/Cats/tom.GIF");
    assert_eq!(list[1].pack.as_deref(), Some("animals/Cats"));
    let find = |name| world.store.find(name);
    assert_eq!(find("party").as_deref(), Some("/img/emoji/Party.png"));
    assert_eq!(find("PARTY").as_deref(), Some("/img/emoji/Party.png"));
    assert_eq!(
        find("Tom").as_deref(),
        Some("/img/emoji/animals/Cats/tom.GIF")
    );
    assert_eq!(find("nobody"), None);
    assert_eq!(find("Party.png"), None);
    assert_eq!(find(&"a".repeat(100_000)), None);
}

#[test]
fn every_url_is_one_that_rendered_lines_may_contain() {
    let world = World::with(|folder| {
        fs::create_dir(folder.join("pack")).unwrap();
        fs::write(folder.join("pack/a-b_C9.jpeg"), encoded(ImageFormat::Png)).unwrap();
    });
    for emoji in world.store.list().iter() {
        let url = emoji.url();
        let file = url.strip_prefix("/img/emoji/").unwrap();
        let (before, ending) = file.split_once('.').unwrap();
        assert!(!before.contains('%'), "{url}");
        assert!(ending.chars().all(|c| c.is_ascii_alphabetic()), "{url}");
        assert!(world.store.read(&emoji.path).is_some(), "{url}");
    }
}

#[test]
fn what_is_no_emoji_is_skipped_with_a_reason() {
    let world = World::with(|folder| {
        let secret = folder.parent().unwrap().join("secret.png");
        fs::write(&secret, png()).unwrap();
        symlink(&secret, folder.join("link.png")).unwrap();
        symlink(folder.parent().unwrap(), folder.join("up")).unwrap();
        fs::write(folder.join("two.dots.png"), png()).unwrap();
        fs::write(folder.join("with space.png"), png()).unwrap();
        fs::write(folder.join("logo.svg"), "<svg/>").unwrap();
        fs::write(folder.join("README"), "hello").unwrap();
        fs::write(folder.join("page.png"), "<html><script>").unwrap();
        fs::write(folder.join("empty.png"), "").unwrap();
        let mut large = png();
        large.resize(MAX_FILE_BYTES + 1, 0);
        fs::write(folder.join("large.png"), large).unwrap();
        fs::create_dir_all(folder.join("a/b/c/d")).unwrap();
        fs::write(folder.join("a/b/c/fine.png"), png()).unwrap();
        fs::write(folder.join("a/b/c/d/deep.png"), png()).unwrap();
        fs::create_dir(folder.join("not a pack")).unwrap();
        fs::write(folder.join(".hidden.png"), png()).unwrap();
    });
    assert_eq!(world.own(), ["a/b/c/fine.png"]);
    let mut skipped: Vec<String> = world
        .store
        .skipped()
        .into_iter()
        .inspect(|skipped| assert!(!skipped.why.is_empty()))
        .map(|skipped| skipped.path)
        .collect();
    skipped.sort();
    assert_eq!(
        skipped,
        [
            "README",
            "a/b/c/d",
            "empty.png",
            "large.png",
            "link.png",
            "logo.svg",
            "not a pack",
            "page.png",
            "two.dots.png",
            "up",
            "with space.png",
        ]
    );
}

#[test]
fn files_dropped_in_and_taken_out_by_hand_are_noticed() {
    let world = World::new();
    assert!(world.own().is_empty());
    fs::write(world.folder().join("party.png"), png()).unwrap();
    world.refresh();
    assert_eq!(world.own(), ["party.png"]);
    fs::create_dir(world.folder().join("pack")).unwrap();
    world.refresh();
    fs::write(world.folder().join("pack/late.png"), png()).unwrap();
    world.refresh();
    assert_eq!(world.own(), ["party.png", "pack/late.png"]);
    assert!(world.store.find("late").is_some());
    fs::remove_file(world.folder().join("party.png")).unwrap();
    world.refresh();
    assert_eq!(world.own(), ["pack/late.png"]);
    assert!(world.store.read("party.png").is_none());
}

#[test]
fn a_second_change_at_the_same_moment_is_noticed_too() {
    let world = World::new();
    fs::write(world.folder().join("one.png"), png()).unwrap();
    let moment = fs::metadata(world.folder()).unwrap().modified().unwrap();
    world.refresh();
    fs::write(world.folder().join("two.png"), png()).unwrap();
    let folder = File::open(world.folder()).unwrap();
    folder.set_modified(moment).unwrap();
    world.refresh();
    assert_eq!(world.own(), ["one.png", "two.png"]);
}

#[test]
fn the_folder_is_looked_at_once_a_second_at_most() {
    let world = World::new();
    fs::write(world.folder().join("party.png"), png()).unwrap();
    world.store.refresh();
    world.clock.advance(LOOK_INTERVAL / 2);
    world.store.refresh();
    assert!(world.own().is_empty());
    world.clock.advance(LOOK_INTERVAL / 2);
    world.store.refresh();
    assert_eq!(world.own(), ["party.png"]);
}

#[test]
fn the_emoji_stay_when_the_folder_cannot_be_read() {
    let world = World::with(|folder| fs::write(folder.join("party.png"), png()).unwrap());
    fs::rename(world.folder(), world.root.path().join("away")).unwrap();
    world.refresh();
    assert!(world.store.find("party").is_some());
    assert!(matches!(
        world.store.add(None, "other", &png()),
        Err(EmojiError::Disk(_))
    ));
    fs::rename(world.root.path().join("away"), world.folder()).unwrap();
    world.refresh();
    assert_eq!(world.own(), ["party.png"]);
}
