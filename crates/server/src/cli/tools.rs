//! The same program under other names: plugin tools look for programs whose names end in `plugin-test` and
//! `plugin-serve`, and a link to this one is enough for them.

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;

use super::{Cli, Command, Options, PluginCommand, ServePlugin, TestPlugin};

/// Run the tests of a plugin.
#[derive(Debug, Parser)]
#[command(name = "service-plugin-test", version, max_term_width = 100)]
struct TestTool {
    #[command(flatten)]
    arguments: TestPlugin,
}

/// Try a plugin out: its pages, a chat for it, and a server in memory around it.
#[derive(Debug, Parser)]
#[command(name = "service-plugin-serve", version, max_term_width = 100)]
struct ServeTool {
    #[command(flatten)]
    arguments: ServePlugin,
}

/// What is wanted, if this program was started under the name of a tool.
pub(super) fn called_by_name() -> Option<Cli> {
    read(std::env::args_os().collect()).map(|read| read.unwrap_or_else(|error| error.exit()))
}

fn read(arguments: Vec<OsString>) -> Option<Result<Cli, clap::Error>> {
    let name = Path::new(arguments.first()?).file_name()?.to_str()?;
    let command = if name.ends_with("plugin-test") {
        TestTool::try_parse_from(arguments).map(|tool| PluginCommand::Test(tool.arguments))
    } else if name.ends_with("plugin-serve") {
        ServeTool::try_parse_from(arguments).map(|tool| PluginCommand::Serve(tool.arguments))
    } else {
        return None;
    };
    Some(command.map(|command| Cli {
        options: Options::default(),
        command: Some(Command::Plugin(command)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Option<Result<PluginCommand, String>> {
        let words = line.split(' ').map(OsString::from).collect();
        let read = read(words)?;
        Some(match read {
            Ok(Cli {
                command: Some(Command::Plugin(command)),
                ..
            }) => Ok(command),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        })
    }

    #[test]
    fn the_name_of_the_program_says_which_tool_it_is() {
        let Some(Ok(PluginCommand::Test(arguments))) =
            command("/opt/bin/service-plugin-test --load-only here")
        else {
            panic!();
        };
        assert!(arguments.load_only);
        assert_eq!(arguments.folder, Path::new("here"));
        let Some(Ok(PluginCommand::Test(arguments))) =
            command("x-plugin-test --filter ring --junit a.xml -j 3 --watch")
        else {
            panic!();
        };
        assert_eq!(arguments.filter.as_deref(), Some("ring"));
        assert_eq!(arguments.junit.as_deref(), Some(Path::new("a.xml")));
        assert!(arguments.watch && arguments.jobs.is_some_and(|jobs| jobs.get() == 3));
        let Some(Ok(PluginCommand::Serve(arguments))) = command("x-plugin-serve -p 9 a.ocpkg")
        else {
            panic!();
        };
        assert_eq!(
            (arguments.port, arguments.path.as_path()),
            (9, Path::new("a.ocpkg"))
        );
        assert!(command("rillcast plugin test").is_none());
        assert!(command("/usr/bin/plugin-tests").is_none());
    }

    #[test]
    fn a_tool_says_its_version_and_refuses_what_it_does_not_know() {
        let version = command("service-plugin-test --version")
            .unwrap()
            .unwrap_err();
        assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
        for wrong in [
            "--loadonly",
            "--jobs 0",
            "--jobs 65",
            "--load-only --filter x",
        ] {
            let line = format!("service-plugin-test {wrong}");
            assert!(command(&line).unwrap().is_err(), "{wrong}");
        }
    }
}
