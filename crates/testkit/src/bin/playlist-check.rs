//! `playlist-check URL`: follows a live stream and reports which rules of HLS and LL-HLS it breaks.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use testkit::playlist::live;

const HELP: &str = "\
Follows a live HLS or LL-HLS stream and says which rules it breaks.

Usage: playlist-check URL [--live URL] [--seconds N] [--json]

  URL          the multivariant playlist, http:// only
  --live URL   the same stream for those who stay live: the lists of the first
               one go further back and must end alike
  --seconds N  how long to follow it (default 20); rules on what leaves the
               window need longer than the window is
  --json       print the result as JSON
  --help       print this text

Every rendition is followed by a low-latency player (blocking reloads, preload
hints, delta updates, all bytes once) and by an old one (plain reloads). The
table shows how often each rule was checked and broken: S syntax, I identity,
1 to 18 playlists, H1 to H9 HTTP, M1 to M3 media, R1 to R5 lists that go far
back. A rule with 0 checks was not
tried: the stream gave no occasion for it.

A recording is read once, all its lists and all their bytes; V1 to V8 are the
rules for its lists.

Exit code: 0 no rule is broken, 1 some are, 2 there was nothing to check.
";

/// Long enough to see a window of six two-second segments slide.
const DEFAULT_SECONDS: u64 = 20;

#[derive(Debug, PartialEq, Eq)]
enum CliCommand {
    Help,
    Check {
        url: String,
        live: Option<String>,
        length: Duration,
        is_json: bool,
    },
}

fn main() -> ExitCode {
    let command = match parse(std::env::args().skip(1)) {
        Ok(command) => command,
        Err(error) => return fail(&format!("{error}\n\n{HELP}")),
    };
    let CliCommand::Check {
        url,
        live,
        length,
        is_json,
    } = command
    else {
        return print(HELP, ExitCode::SUCCESS);
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("no runtime: {error}\n")),
    };
    match runtime.block_on(live::check_beside(&url, live.as_deref(), length)) {
        Ok(outcome) => {
            let code = ExitCode::from(u8::from(!outcome.is_clean()));
            let text = if is_json {
                format!("{:#}\n", outcome.to_json())
            } else {
                outcome.to_string()
            };
            print(&text, code)
        }
        Err(error) => fail(&format!("{url}: {error}\n")),
    }
}

fn parse(arguments: impl Iterator<Item = String>) -> Result<CliCommand, String> {
    let (mut url, mut seconds, mut is_json) = (None, DEFAULT_SECONDS, false);
    let mut live = None;
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(CliCommand::Help),
            "--json" => is_json = true,
            "--live" => live = Some(arguments.next().ok_or("--live needs a URL")?),
            "--seconds" => {
                let value = arguments.next().and_then(|value| value.parse().ok());
                seconds = value.ok_or("--seconds needs a whole number")?;
            }
            other if other.starts_with('-') => return Err(format!("unknown option {other}")),
            _ if url.is_some() => return Err(format!("one URL is enough: {argument}")),
            _ => url = Some(argument),
        }
    }
    Ok(CliCommand::Check {
        url: url.ok_or("the URL is missing")?,
        live,
        length: Duration::from_secs(seconds),
        is_json,
    })
}

/// A closed pipe, as with `head`, is not a failure of the check.
fn print(text: &str, code: ExitCode) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) | Err(_) => code,
    }
}

fn fail(text: &str) -> ExitCode {
    match std::io::stderr().write_all(text.as_bytes()) {
        Ok(()) | Err(_) => ExitCode::from(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<CliCommand, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn reads_its_arguments_in_any_order() {
        let expected = CliCommand::Check {
            url: "http://h/s.m3u8".to_owned(),
            live: None,
            length: Duration::from_secs(5),
            is_json: true,
        };
        assert_eq!(parsed("--json http://h/s.m3u8 --seconds 5"), Ok(expected));
        let beside = parsed("http://h/s.m3u8 --live http://h/l.m3u8").unwrap();
        assert!(matches!(beside, CliCommand::Check { live: Some(_), .. }));
        assert_eq!(parsed("--help"), Ok(CliCommand::Help));
    }

    #[test]
    fn rejects_arguments_it_does_not_know() {
        for line in [
            "",
            "--secure http://h",
            "http://h --seconds",
            "http://h --live",
            "http://h --seconds x",
            "a b",
        ] {
            assert!(parsed(line).is_err(), "{line:?}");
        }
    }
}
