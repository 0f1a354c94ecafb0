//! Thousands of clients of a chat, or hundreds of bots that call the API beside them, in one thread. Prints JSON: a line
//! when measuring begins, a line with the report when it ends. Clients are raw TCP with the least of a frame parser, since
//! they share the cores with the server they measure.
#![allow(clippy::disallowed_methods)] // It measures time, and there is no clock to take.

mod arguments;
mod bots;
mod client;
mod crowd;
mod register;
mod report;
mod tally;
mod wire;

use std::process::ExitCode;

use arguments::Task;

fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("chatters: {problem}\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    let done = match arguments.task {
        Task::Register => {
            register::register(arguments.server, arguments.sockets).map(|tokens| tokens.join("\n"))
        }
        Task::Bots => bots::call(&arguments).map(bots::Report::into_json),
        _ => crowd::gather(&arguments).map(report::Report::into_json),
    };
    match done {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("chatters: {problem}");
            ExitCode::FAILURE
        }
    }
}
