//! Entry point: runs the command and reports a failure in one line.

use std::process::ExitCode;

/// The system's allocator never returned the fragmented memory left by hours of parts and playlists (ADR 0036).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // File descriptors that our parent left open must not leak to children, least of all to ffmpeg.
    close_fds::set_fds_cloexec(3, &[]);
    match server::cli::run() {
        Ok(code) => code,
        Err(error) => {
            // One line: the causes follow the error, so that nobody has to read a stack.
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            eprintln!("rillcast: {}", causes.join(": ").replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}
