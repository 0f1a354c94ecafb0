//! Entry point: run the command, say in one line what went wrong.

use std::process::ExitCode;

fn main() -> ExitCode {
    match server::cli::run() {
        Ok(code) => code,
        Err(error) => {
            // One line: the causes follow the fact, so that nobody has to read a stack.
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            eprintln!("rillcast: {}", causes.join(": ").replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}
