//! `docs/settings.md` is generated from the table; this keeps it in step.

#[test]
fn the_settings_page_is_in_step_with_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
    let made = model::settings::reference_page();
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &made).unwrap();
    } else {
        assert_eq!(
            committed, made,
            "run: UPDATE_DOCS=1 cargo test -p server settings_page"
        );
    }
}
