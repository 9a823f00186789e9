//! The only program that runs Python: a zygote that forks a sandboxed guest for each tool run.
//!
//! The controller's `guest` module starts it with a control socket as standard input. One process warms up an interpreter. For
//! each request it forks a guest, which applies its own sandbox and then has only one channel to the controller.
//!
//! Reading order: [`zygote`] (warm-up and requests), [`prefork`] (a forked guest without a job), [`sandbox`] (the sandbox),
//! [`guest`] (the life of a guest), [`budget`] (named errors for files and processes), [`host_channel`] (host calls and time),
//! [`robot`] (the robot as tools see it), [`shared_frames`] (shared memory for images), [`files`] (input and output), [`repl`] (an
//! interactive guest), [`value`] (results), [`warmup`] (the warm-up run). Apart from all that, [`confine`] confines the server
//! of a local language model, and apps.
//!
//! Only [`process`], [`interpreter`] and [`shared_frames`] contain unsafe code.

mod arguments;
mod budget;
mod confine;
mod control;
mod exception;
mod facts;
mod files;
mod guest;
mod host_channel;
#[allow(unsafe_code)]
mod interpreter;
mod library;
mod media;
mod move_keyframes;
mod package;
mod pose;
mod prefork;
#[allow(unsafe_code)]
mod process;
mod repl;
mod robot;
mod sandbox;
#[allow(unsafe_code)]
mod shared_frames;
mod target_recording;
mod value;
mod warmup;
mod zygote;

use std::process::ExitCode;

/// What `--version` prints. `minismith setup` reads the version of Python, of which this program needs exactly this one.
const VERSION: &str =
    concat!("minismith-tool-host ", env!("CARGO_PKG_VERSION"), ", Python ", env!("MINISMITH_PYTHON_VERSION"));

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == "--version") {
        println!("{}", VERSION);
        return ExitCode::SUCCESS;
    }
    let mut words = std::env::args_os().skip(1);
    let task = words.next().unwrap_or_default();
    let mut json = || words.next().unwrap_or_default().to_string_lossy().into_owned();
    if task == minismith_protocol::confinement::ARGUMENT {
        return confine::run(&json());
    }
    if task == minismith_protocol::app_sandbox::ARGUMENT {
        return confine::app::run(&json());
    }
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
         This program runs the robot's Python tools in a sandbox. `minismith` starts it; it cannot be used on its own.\n\
         To check a tool, use `minismith tool check FILE`. To examine the sandbox on this machine, use\n\
         `minismith doctor`."
    );
    ExitCode::from(2)
}
