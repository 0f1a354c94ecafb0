//! Entry point: run the command, say in one line what went wrong.

use std::process::ExitCode;

/// The system's own never gave back what hours of parts and lists had left between each other (ADR 0036).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // What whoever started us has left open is nobody's business, least of all that of an ffmpeg.
    close_fds::set_fds_cloexec(3, &[]);
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
