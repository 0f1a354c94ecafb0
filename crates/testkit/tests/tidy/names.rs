//! Type names: each says what its values are, and stands for one thing, or for two where both are obvious.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{self, File};

/// Words without a clear meaning: participles without a noun, and metaphors that the field does not use.
const SAYS_NOTHING: [&str; 44] = [
    "Answered",
    "Asked",
    "Asking",
    "Board",
    "Case",
    "Cutter",
    "Desk",
    "Door",
    "Ear",
    "Ended",
    "Farewell",
    "Fittings",
    "Found",
    "Furniture",
    "Given",
    "Greeted",
    "Guest",
    "Hall",
    "Heard",
    "Held",
    "House",
    "Keeper",
    "Kept",
    "Knock",
    "Known",
    "Letter",
    "Listening",
    "Loan",
    "Pace",
    "Place",
    "Said",
    "Seen",
    "Shelf",
    "Stance",
    "Straight",
    "Thread",
    "Told",
    "Waiting",
    "Wanted",
    "Way",
    "What",
    "Which",
    "Wish",
    "Wishes",
];

/// The most files of `crates/*/src` that define types of one name.
const MOST_FILES: usize = 2;

/// Names that every Rust program defines many times.
const GENERIC: [&str; 4] = ["Builder", "Config", "Error", "Row"];

/// The types that a file defines at the top level, outside any function, module or implementation.
fn types_in(file: &File) -> impl Iterator<Item = &str> {
    file.text.lines().filter_map(|line| {
        let item = line.strip_prefix("pub ").unwrap_or(line);
        let item = match item.strip_prefix("pub(") {
            Some(rest) => rest.split_once(") ")?.1,
            None => item,
        };
        let kinds = ["struct ", "enum ", "trait ", "type "];
        let name = kinds.iter().find_map(|kind| item.strip_prefix(kind))?;
        name.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
    })
}

fn sources(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| {
        let mut parts = file.path.split('/');
        parts.next() == Some("crates") && parts.nth(1) == Some("src") && file.has_extension(&["rs"])
    })
}

fn names_that_say_nothing(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in sources(files) {
        for name in types_in(file).filter(|name| SAYS_NOTHING.contains(name)) {
            let path = &file.path;
            complaints.push(format!(
                "{path}: say what a {name} is: use the word of the field"
            ));
        }
    }
    complaints
}

fn names_of_many_things(files: &[File]) -> Vec<String> {
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in sources(files) {
        for name in types_in(file).filter(|name| !GENERIC.contains(name)) {
            places.entry(name).or_default().insert(&file.path);
        }
    }
    places.retain(|_, files| files.len() > MOST_FILES);
    let complaint = |(name, files): (&str, BTreeSet<&str>)| {
        let files = files.into_iter().collect::<Vec<_>>().join(", ");
        format!("{name} is defined in more than {MOST_FILES} files: {files}")
    };
    places.into_iter().map(complaint).collect()
}

#[test]
fn every_name_of_a_type_says_what_it_is() {
    crate::assert_no_complaints(&names_that_say_nothing(&tree::files()));
}

#[test]
fn no_name_of_a_type_is_given_a_third_time() {
    crate::assert_no_complaints(&names_of_many_things(&tree::files()));
}

#[test]
fn rejects_a_name_that_says_nothing() {
    for definition in [
        "struct Wish;",
        "pub struct Told<'a> {",
        "pub(crate) enum Known {",
        "pub(in crate::room) trait Desk: Send {",
        "type Place = u8;",
    ] {
        let file = File::new("crates/chat/src/room.rs", definition);
        assert_eq!(names_that_say_nothing(&[file]).len(), 1, "{definition}");
    }
}

#[test]
fn takes_names_with_a_noun_variants_and_what_is_inside() {
    for text in [
        "struct KnownNetwork;",
        "enum Answer {\n    Known,\n}",
        "impl Trait for Thing {\n    type Place = u8;\n}",
        "// struct Wish",
    ] {
        let file = File::new("crates/chat/src/room.rs", text);
        assert!(names_that_say_nothing(&[file]).is_empty(), "{text}");
    }
    let test = File::new("crates/chat/tests/it/main.rs", "struct House;");
    assert!(names_that_say_nothing(&[test]).is_empty());
}

#[test]
fn rejects_the_third_file_that_defines_a_name() {
    let file = |name: &str, text: &str| File::new(&format!("crates/{name}/src/lib.rs"), text);
    let mut files = vec![
        file("chat", "pub struct State;\nstruct Error;"),
        file("media", "enum State {}\nenum Error {}"),
        // A second definition in the same file, for another system, does not count as a third file.
        file("web", "struct Other;\nstruct Error;"),
    ];
    assert!(names_of_many_things(&files).is_empty());
    files.push(file("store", "type State = u8;"));
    let complaints = names_of_many_things(&files);
    assert_eq!(complaints.len(), 1);
    assert!(
        complaints[0].starts_with("State is defined in more than 2 files: crates/chat/src/lib.rs")
    );
}
