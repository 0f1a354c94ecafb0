//! `rillcast plugin package`.

use plugins::package::Package;

use super::{BELL, Project, Workshop, program, rillcast, run};
use crate::http::get;

async fn package(project: &Project) -> (i32, String, String) {
    run(program(&rillcast(), project.path()).args(["plugin", "package"])).await
}

#[tokio::test]
async fn a_project_becomes_a_package_that_servers_take_and_the_workshop_serves() {
    let project = Project::new(BELL);
    project.put("INSTRUCTIONS.md", "# Ring");
    let (code, out, errors) = package(&project).await;
    assert_eq!(code, 0, "{errors}");
    assert!(out.starts_with("packaged bell.ocpkg: "), "{out}");
    assert!(out.trim_end().ends_with(" KB, 4 files"), "{out}");
    assert!(
        errors.contains("\"bells\" is not a known category"),
        "{errors}"
    );
    let file = project.path().join("bell.ocpkg");
    let made = std::fs::read(&file).unwrap();
    let read = Package::from_bytes(made.clone()).unwrap();
    assert_eq!(read.code().unwrap(), BELL);
    assert!(read.has_instructions() && read.has_public("index.html"));
    let (code, ..) = package(&project).await;
    assert_eq!((code, std::fs::read(&file).unwrap()), (0, made));

    let mut command = program(&rillcast(), project.path());
    command.args(["plugin", "serve", "bell.ocpkg", "--port", "0"]);
    let workshop = Workshop::started_by(command).await;
    assert_eq!(
        workshop.ask(get("/plugins/bell/")).await.body,
        "<p>ring</p>"
    );
}

#[tokio::test]
async fn what_does_not_load_or_wants_more_than_its_manifest_says_is_not_packed() {
    for (code, part) in [
        ("import nothing_like_this\n", "nothing_like_this"),
        (
            "from service_plugin import plugin\n@plugin.on_fediverse_follow\ndef f(x):\n    pass\n",
            "fediverse.inbound",
        ),
    ] {
        let project = Project::new(code);
        let (exit, _, why) = package(&project).await;
        assert_eq!(exit, 1, "{why}");
        assert!(why.contains(part), "{why}");
        assert!(!project.path().join("bell.ocpkg").try_exists().unwrap());
    }
}

#[tokio::test]
async fn a_folder_without_a_plugin_is_told_what_it_lacks() {
    let project = Project::new(BELL);
    std::fs::remove_file(project.path().join("src/plugin.py")).unwrap();
    let (code, _, why) = package(&project).await;
    assert_eq!(code, 2);
    assert!(why.contains("src/plugin.py"), "{why}");
    std::fs::remove_file(project.path().join("plugin.manifest.json")).unwrap();
    let (code, _, why) = package(&project).await;
    assert_eq!((code, why.lines().count()), (2, 1), "{why}");
}
