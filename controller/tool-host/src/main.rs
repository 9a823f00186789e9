//! The only program that runs Python: a zygote that forks a caged guest for each performance.
//!
//! It is started by the controller's `guest` module with a control socket as its standard input, and it is of no use
//! by hand. One process warms an interpreter up; for each request it forks a guest, which closes its own cage and then
//! knows nothing but one channel to the controller.
//!
//! Reading order: [`zygote`] (what is warmed up, and how it serves), [`fresh`] (a guest to be),
//! [`cage`] (what a guest can't do), [`guest`] (a
//! guest's life), [`budget`] (files and processes by name), [`stage`] (how a guest asks and how time passes), [`robot`]
//! (what a tool sees of the robot), [`window`] (where pictures lie), [`files`] (what it reads and writes), [`repl`] (a guest that runs lines), [`value`]
//! (results), [`practice`] (what is done beforehand). [`process`], [`interpreter`] and
//! [`window`] are the only modules with unsafe code.

mod arguments;
mod budget;
mod cage;
mod control;
mod facts;
mod files;
mod fresh;
mod guest;
#[allow(unsafe_code)]
mod interpreter;
mod library;
mod media;
mod package;
mod play;
mod pose;
mod practice;
#[allow(unsafe_code)]
mod process;
mod raised;
mod repl;
mod robot;
mod stage;
mod value;
#[allow(unsafe_code)]
mod window;
mod zygote;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match arguments::Arguments::read(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(complaint) => return explain(&complaint),
    };
    let Some(control) = control::Control::from_stdin() else {
        return explain("standard input is not a control socket");
    };
    zygote::run(&arguments, control)
}

fn explain(complaint: &str) -> ExitCode {
    eprintln!(
        "minismith-tool-host: {complaint}.\n\
         This program runs the robot's Python tools in a cage. `minismith` starts it by itself; by hand it does\n\
         nothing. To check a tool use `minismith tool check FILE`, and to see what the cage is worth on this machine\n\
         `minismith doctor`."
    );
    ExitCode::from(2)
}
