//! Database URLs as operators write them.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use store::DatabaseUrl;

#[test]
fn a_file_is_named_with_or_without_slashes() {
    for text in ["sqlite:a folder/db", "sqlite://a folder/db"] {
        let url = DatabaseUrl::parse(text).unwrap();
        assert_eq!(url.sqlite_path(), Some(Path::new("a folder/db")), "{text}");
    }
    for text in ["postgres://u:p@host/db", "postgresql:///db"] {
        assert_eq!(DatabaseUrl::parse(text).unwrap().sqlite_path(), None);
    }
}

#[test]
fn no_password_of_a_database_is_ever_shown() {
    for text in [
        "postgres://me:sesame@host/db",
        "postgresql://me:sesame@host/db",
    ] {
        let shown = format!("{:?}", DatabaseUrl::parse(text).unwrap());
        assert!(!shown.contains("sesame"), "{shown}");
    }
    for text in [
        "postgress://me:sesame@host/db",
        "mysql://me:sesame@host/db",
        "sqlite:",
        "me:sesame@host",
        "",
    ] {
        let problem = DatabaseUrl::parse(text).unwrap_err().to_string();
        assert!(!problem.contains("sesame"), "{problem}");
    }
}
