//! Follows a live LL-HLS stream as many viewers would, in one thread, and prints what they saw as JSON:
//! a line when measuring begins, a line with the report when it ends.
//!
//! A viewer has one keep-alive connection per playlist. On each it asks for the playlist with the next part
//! (blocking reload), then fetches every part it has not got, then asks again. The lag of a part for a viewer is the
//! time from the moment the first viewer learned of the part until this one has all its bytes.
#![allow(clippy::disallowed_methods)] // It measures time, and there is no clock to take.

mod arguments;
mod connection;
mod crowd;
mod playlist;
mod report;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("viewers: {problem}\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    match crowd::follow(&arguments) {
        Ok(report) => {
            println!("{}", report.into_json());
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("viewers: {problem}");
            ExitCode::FAILURE
        }
    }
}
