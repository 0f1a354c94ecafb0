//! The command line.

mod options;
mod tools;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use plugin_tools::scenario::MOST_JOBS;

use crate::config::{Config, ConfigSources};
use crate::{commands, logging, serve};

pub use options::Options;

/// A live-streaming server of your own: one binary, one data folder.
#[derive(Debug, Parser)]
#[command(
    name = "rillcast",
    version,
    about = "A live-streaming server of your own: one binary, one data folder.",
    after_help = "Without a command, rillcast serves: viewers on http://HOST:8080, broadcasters on rtmp://HOST/live.\n\
                  The first start prints a setup link; nothing has a default password.\n\n\
                  Every flag has a twin in the environment (--rtmp-listen: RILLCAST_RTMP_LISTEN) and in the\n\
                  configuration file (rtmp_listen = \"…\"). Flags win over the environment, the environment over the\n\
                  file, the file over what was set in the admin pages.",
    max_term_width = 100
)]
struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve viewers and receive a stream (the default)
    Serve,
    /// Serve a built-in moving test stream: nothing else is needed to see a picture
    Demo,
    /// Check ports, address, disk, certificate and tools, and say what to do
    Doctor,
    /// Ask the server that runs with this data folder whether it is ready; the exit code tells
    Health,
    /// Copy the whole data folder into one file, while the server may be running
    Backup {
        /// The file to write [default: rillcast-backup-DATE.zip]
        file: Option<PathBuf>,
        /// Save the recordings too, which may be large
        #[arg(long)]
        with_recordings: bool,
    },
    /// Put a backup back; the server must be stopped
    Restore {
        /// The file a backup wrote
        file: PathBuf,
        /// Replace an existing database (it is kept aside, not deleted)
        #[arg(long)]
        force: bool,
    },
    /// Tools for plugin authors
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// Manage the operator's account
    #[command(subcommand)]
    Admin(AdminCommand),
}

#[derive(Debug, Subcommand)]
enum PluginCommand {
    /// Run the tests of a plugin
    Test(TestPlugin),
    /// Try a plugin out: its pages, a chat for it, and a server in memory around it
    Serve(ServePlugin),
    /// Check a plugin and make the package that servers install
    Package(PackagePlugin),
}

#[derive(Debug, Args)]
#[command(after_help = TEST_HELP)]
struct TestPlugin {
    /// The plugin's folder
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Only load it, and check that code and manifest agree
    #[arg(long, conflicts_with_all = ["filter", "junit"])]
    load_only: bool,
    /// Run only scenarios with this in their name or in that of their file
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Also write the results to this file, as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// How many scenarios run at once [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,
    /// Run them again whenever a file of the plugin or a test changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

/// How many scenarios may be played at once.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let read = text.parse().ok();
    read.filter(|jobs: &NonZeroUsize| jobs.get() <= MOST_JOBS)
        .ok_or_else(|| format!("it must be a number from 1 to {MOST_JOBS}"))
}

#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
struct ServePlugin {
    /// The plugin's folder, or a package
    #[arg(default_value = ".", value_name = "FOLDER|FILE.ocpkg")]
    path: PathBuf,
    /// The port on 127.0.0.1; 0 takes a free one, and the first line of output says which
    #[arg(short, long, env = "PORT", default_value_t = 8080)]
    port: u16,
}

#[derive(Debug, Args)]
struct PackagePlugin {
    /// The plugin's folder; <slug>.ocpkg is written there
    #[arg(default_value = ".")]
    folder: PathBuf,
}

const TEST_HELP: &str = "\
Scenarios are in __tests__/*.test.json. Each runs in an instance of its own, on a server in
memory, where time stands still until a step advances it.

The exit code is 0 when everything went as expected, 1 when not, and 2 when there is nothing
to run; with --watch, Ctrl-C ends it with 0.";

const SERVE_HELP: &str = "\
The plugin runs as on a server, with everything its manifest asks for, and sample data around it.
What it stores is gone when this ends, except for its files, which are in .service-dev-data beside
it. What it does is written to standard error. When its files change it is reloaded; if the new
code does not start, the old version keeps running.

  /plugins/<slug>/    its pages; those for the operator ask for no password here
  POST /_dev/chat     send a message: {\"user\": \"alice\", \"body\": \"hi\"}
  GET  /_dev/chat     the messages in the chat, the plugin's too
  POST /_dev/event    trigger an event: {\"type\": \"stream.started\", \"payload\": {}}

Send `Authorization: Bearer admin` to act as the operator, `Bearer user:<name>` as a viewer.";

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Print a link that signs one browser in as the operator; it works once, within ten minutes
    Session,
    /// Set a new admin password and end all sessions
    ResetPassword {
        /// The new password [default: a random one, printed]
        #[arg(long, value_name = "PASSWORD")]
        password: Option<String>,
    },
}

/// The whole command line, for those who describe it.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs what the command line asks for.
pub fn run() -> anyhow::Result<ExitCode> {
    let cli = tools::called_by_name().unwrap_or_else(Cli::parse);
    let mut config = Config::read(&ConfigSources::from_process(cli.options)?)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let command = cli.command.unwrap_or(Command::Serve);
    let code = match command {
        Command::Serve | Command::Demo => {
            config.is_demo = matches!(command, Command::Demo);
            let (logs, _last_lines) = logging::start(&config)?;
            runtime.block_on(serve::until_signal(config, logs))?;
            ExitCode::SUCCESS
        }
        Command::Doctor => runtime.block_on(commands::doctor(&config))?,
        Command::Health => {
            runtime.block_on(commands::health(&config))?;
            ExitCode::SUCCESS
        }
        Command::Backup {
            file,
            with_recordings,
        } => {
            runtime.block_on(commands::backup(&config, file, with_recordings))?;
            ExitCode::SUCCESS
        }
        Command::Restore { file, force } => {
            commands::restore(&config, &file, force)?;
            ExitCode::SUCCESS
        }
        Command::Plugin(PluginCommand::Test(test)) => {
            let options = commands::TestOptions {
                folder: test.folder,
                only_load: test.load_only,
                filter: test.filter,
                junit: test.junit,
                jobs: test.jobs,
                is_watching: test.watch,
            };
            runtime.block_on(commands::test_plugin(&config, options))?
        }
        Command::Plugin(PluginCommand::Serve(serve)) => {
            runtime.block_on(commands::serve_plugin(&config, serve.path, serve.port))?
        }
        Command::Plugin(PluginCommand::Package(package)) => {
            runtime.block_on(commands::package_plugin(&config, &package.folder))?
        }
        Command::Admin(AdminCommand::Session) => {
            runtime.block_on(commands::admin_session(&config))?;
            ExitCode::SUCCESS
        }
        Command::Admin(AdminCommand::ResetPassword { password }) => {
            runtime.block_on(commands::reset_password(&config, password))?;
            ExitCode::SUCCESS
        }
    };
    // Blocking work that nobody waits for any more must not delay the exit.
    runtime.shutdown_background();
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_are_understood_before_and_after_the_command() {
        for line in [
            ["rillcast", "--listen", "127.0.0.1:0", "serve"],
            ["rillcast", "serve", "--listen", "127.0.0.1:0"],
        ] {
            let cli = Cli::try_parse_from(line).unwrap();
            assert_eq!(cli.options.listen.as_deref(), Some("127.0.0.1:0"));
        }
    }
}
