//! The same migrations for both databases: both folders hold the same file names.

use std::collections::BTreeSet;
use std::fs;
use std::io;

use crate::tree;

fn differing_histories(sqlite: &BTreeSet<String>, postgres: &BTreeSet<String>) -> Vec<String> {
    let only = |side: &str, name: &String| format!("{name} exists for {side} alone");
    let mut complaints: Vec<String> = Vec::new();
    complaints.extend(sqlite.difference(postgres).map(|name| only("SQLite", name)));
    complaints.extend(
        postgres
            .difference(sqlite)
            .map(|name| only("PostgreSQL", name)),
    );
    if sqlite.is_empty() && postgres.is_empty() {
        complaints.push("there is no migration at all".to_owned());
    }
    complaints
}

fn names(database: &str) -> io::Result<BTreeSet<String>> {
    let folder = tree::root().join("crates/store/migrations").join(database);
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

#[test]
fn both_databases_have_the_same_migrations() {
    let sqlite = names("sqlite").expect("crates/store/migrations/sqlite can be read");
    let postgres = names("postgres").expect("crates/store/migrations/postgres can be read");
    crate::assert_no_complaints(&differing_histories(&sqlite, &postgres));
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn rejects_a_migration_for_one_database_alone() {
    let short = set(&["0001_init.sql"]);
    let long = set(&["0001_init.sql", "0002_chat.sql"]);
    assert_eq!(
        differing_histories(&short, &long),
        ["0002_chat.sql exists for PostgreSQL alone"]
    );
    assert_eq!(
        differing_histories(&long, &short),
        ["0002_chat.sql exists for SQLite alone"]
    );
    assert!(differing_histories(&long, &long).is_empty());
}

#[test]
fn rejects_two_empty_histories() {
    assert_eq!(differing_histories(&set(&[]), &set(&[])).len(), 1);
}
