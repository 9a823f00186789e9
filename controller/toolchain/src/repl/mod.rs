//! Runs Python line by line in one sandboxed guest, on the simulated robot.
//!
//! The policy checks nothing here, so the sandbox is the only barrier. Every host call passes capability, budget and
//! envelope checks, with the limits of an unapproved tool. A guest that dies, loops or breaks the protocol is replaced,
//! and the reply says so. The robot keeps its state.

mod line_limits;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use minismith_protocol::{Job, Limits};
use serde::Serialize;

use self::line_limits::LineLimits;
use crate::guest::{GuestError, KillHandle, LazyHost, SandboxedGuest};
use crate::tool_run::{LineResult, Outcome, Permissions, ReplSession};
use crate::workshop::rehearsal::RehearsalOptions;
use minismith_analysis::manifest::Capability;
use minismith_control::execution::ExecutionContext;
use minismith_runtime::report::{PostureReport, Step, round_for_display};

/// The capabilities of a line: all that the simulated robot supports.
const CAPABILITIES: [Capability; 6] = [
    Capability::Motion,
    Capability::Motors,
    Capability::Camera,
    Capability::Tracking,
    Capability::Sound,
    Capability::Microphone,
];

/// Maximum length of a line, bytes.
pub const MAX_LINE_BYTES: usize = 64 << 10;

/// Limit for a guest's whole life. It has no effect in practice, since each line has its own limits.
const UNLIMITED: u64 = 1 << 40;

/// An interactive session.
pub struct Repl {
    host: LazyHost,
    context: ExecutionContext,
    conditions: RehearsalOptions,
    lines: ReplSession,
    guest: Option<SandboxedGuest>,
    running: Arc<Mutex<Running>>,
    /// The lines so far of an unfinished statement.
    pending: String,
    count: u64,
}

/// The guest whose line is running, for [`Interrupter`].
#[derive(Debug, Default)]
struct Running {
    killer: Option<KillHandle>,
    interrupted: bool,
}

/// Ends the running line from another thread.
#[derive(Clone, Debug)]
pub struct Interrupter(Arc<Mutex<Running>>);

impl Interrupter {
    /// Ends the running line. Returns false if none is running.
    #[must_use]
    pub fn interrupt(&self) -> bool {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match running.killer.take() {
            Some(killer) => {
                running.interrupted = true;
                killer.kill();
                true
            }
            None => false,
        }
    }
}

/// The result of a line.
#[derive(Debug, Serialize)]
pub struct Reply {
    /// Number of the line, from 1.
    pub line: u64,
    /// The input.
    pub source: String,
    /// Printed output.
    pub printed: String,
    /// Value of the last expression.
    #[serde(rename = "shown")]
    pub repr: Option<String>,
    /// The exception, or the error of a command.
    #[serde(rename = "trouble")]
    pub error: Option<String>,
    /// Whether the statement continues in the next line.
    #[serde(rename = "more")]
    pub incomplete: bool,
    /// The reason why all variables are lost, if they are.
    #[serde(rename = "lost")]
    pub is_restarted: Option<String>,
    /// Motions of the line.
    pub steps: Vec<Step>,
    /// Requests that the simulated robot does not support.
    pub notes: Vec<String>,
    /// Robot time at the end of the line, seconds.
    pub clock_s: f64,
}

impl Reply {
    /// Returns whether the line failed.
    #[must_use]
    pub const fn failed(&self) -> bool {
        self.error.is_some() || self.is_restarted.is_some()
    }
}

/// The response to an input line.
#[derive(Debug)]
pub enum Heard {
    /// The result of a line or a command.
    Reply(Box<Reply>),
    /// The session is over.
    Quit,
}

const HELP: &str = "\
Python runs here in a tool's sandbox, on a mock robot. At hand: robot (a ReachyMini), np (numpy).
A block ends with an empty line. Ctrl-C ends a line that runs; the variables are gone then.
  :state   where the robot is, and its clock
  :limits  what a line may use
  :reset   a fresh Python; the robot stays as it is
  :help    this
  :quit    the end";

impl Repl {
    /// Creates a session on an execution context, with the conditions of a tool's rehearsal.
    #[must_use]
    pub fn new(host: LazyHost, context: ExecutionContext, conditions: RehearsalOptions) -> Self {
        let permit = Permissions {
            capabilities: BTreeSet::from(CAPABILITIES),
            robot_time_s: conditions.robot_time_s,
            ..Permissions::default()
        };
        let lines = ReplSession::new(permit);
        Repl {
            host,
            context,
            conditions,
            lines,
            guest: None,
            running: Arc::default(),
            pending: String::new(),
            count: 0,
        }
    }

    /// Returns a handle that ends a running line.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.running.clone())
    }

    /// Returns the robot time, seconds.
    #[must_use]
    pub fn clock(&self) -> f64 {
        round_for_display(self.lines.now().seconds())
    }

    /// Discards the lines of an unfinished statement.
    pub fn forget(&mut self) {
        self.pending.clear();
    }

    /// Starts a guest in advance, so that the first line does not have to wait for it.
    ///
    /// # Errors
    /// Returns an error if no guest can start here.
    pub fn warm_up(&mut self) -> Result<(), GuestError> {
        if self.guest.is_none() {
            let limits = Limits {
                cpu_seconds: UNLIMITED,
                output_bytes: UNLIMITED,
                wall_seconds: UNLIMITED as f64,
                frames: UNLIMITED,
                ..self.conditions.guest
            };
            let mut guest = self.host.host()?.fork(limits)?;
            let job = Job { module: "repl".into(), seed: 1, epoch: epoch(), limits, ..Job::default() };
            self.lines.begin(&mut guest, job)?;
            self.guest = Some(guest);
        }
        Ok(())
    }

    /// Runs a line: Python, or a command that begins with a colon.
    ///
    /// Printed output goes to `report` as it arrives, and also into the reply.
    ///
    /// # Errors
    /// Returns an error if no guest can start here.
    pub fn hear(&mut self, line: &str, report: &mut dyn FnMut(&str)) -> Result<Heard, GuestError> {
        self.count += 1;
        let mut reply = self.reply(line);
        if let Some(command) = line.trim().strip_prefix(':') {
            match self.command(command.trim()) {
                Ok(Some(reported)) => {
                    report(&reported);
                    reply.printed = reported;
                }
                Ok(None) => return Ok(Heard::Quit),
                Err(complaint) => reply.error = Some(complaint),
            }
            reply.incomplete = !self.pending.is_empty();
            return Ok(Heard::Reply(Box::new(reply)));
        }
        if self.pending.len() + line.len() > MAX_LINE_BYTES || line.contains('\0') {
            self.forget();
            reply.error = Some(format!("a statement must be text of at most {MAX_LINE_BYTES} bytes"));
            reply.incomplete = false;
            return Ok(Heard::Reply(Box::new(reply)));
        }
        self.pending.push_str(line);
        self.warm_up()?;
        let Some(guest) = &mut self.guest else { return Ok(Heard::Quit) };
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) =
            Running { killer: guest.kill_handle().ok(), interrupted: false };
        let mut guest = LineLimits::new(guest, self.conditions.guest, report);
        let said = self.lines.line(&mut guest, &self.pending, &mut self.context);
        let interrupted = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.killer = None;
            running.interrupted
        };
        let LineResult { repr: shown, error, incomplete: more, run: tool_run } = said;
        if more {
            self.pending.push('\n');
        } else {
            self.forget();
        }
        if let Outcome::Stopped { reason, .. } = &tool_run.outcome {
            self.guest = None;
            let why = if interrupted { "interrupted".into() } else { reason.clone() };
            reply.is_restarted = Some(format!("{why}; a fresh Python begins, the variables are gone"));
        } else if interrupted {
            // The interrupt came too late for the line, but it has killed the guest.
            self.guest = None;
            reply.is_restarted = Some("interrupted; a fresh Python begins, the variables are gone".into());
        }
        reply.printed = tool_run.printed;
        reply.steps = tool_run.steps;
        reply.notes = tool_run.notes;
        reply.clock_s = self.clock();
        Ok(Heard::Reply(Box::new(Reply { repr: shown, error, incomplete: more, ..reply })))
    }

    fn reply(&self, line: &str) -> Reply {
        Reply {
            line: self.count,
            source: line.to_owned(),
            printed: String::new(),
            repr: None,
            error: None,
            incomplete: !self.pending.is_empty(),
            is_restarted: None,
            steps: Vec::new(),
            notes: Vec::new(),
            clock_s: self.clock(),
        }
    }

    /// Runs a command and returns its text, or `None` for `:quit`.
    fn command(&mut self, command: &str) -> Result<Option<String>, String> {
        let reported = match command {
            "quit" | "q" | "exit" => return Ok(None),
            "help" | "h" | "?" => HELP.to_owned(),
            "state" => self.state(),
            "limits" => self.limits(),
            "reset" => {
                self.guest = None;
                self.forget();
                "a fresh Python; the robot stays as it is".to_owned()
            }
            other => {
                let other: String = other.chars().take(40).collect();
                return Err(format!("there is no command :{other}; see :help"));
            }
        };
        Ok(Some(reported + "\n"))
    }

    fn state(&self) -> String {
        let snapshot = self.context.control.snapshot();
        let motors = if snapshot.state.is_driven() { "on" } else { "off" };
        let clock = format!("clock {} s, motors {motors}", self.clock());
        let Some(at) = self.context.posture().as_ref().map(PostureReport::from) else {
            return format!("{clock}, position not known");
        };
        let PostureReport { x_mm, y_mm, z_mm, roll_deg, pitch_deg, yaw_deg, body_yaw_deg, antennas_deg } = at;
        format!(
            "{clock}\nhead: roll {roll_deg} pitch {pitch_deg} yaw {yaw_deg} deg, x {x_mm} y {y_mm} z {z_mm} mm\n\
             body: {body_yaw_deg} deg, antennas (right, left): {antennas_deg:?} deg"
        )
    }

    fn limits(&self) -> String {
        let Limits { cpu_seconds, memory_bytes, output_bytes, turn_seconds, wall_seconds, .. } =
            self.conditions.guest;
        format!(
            "a line: {} s of robot time, {cpu_seconds} s of processor, {wall_seconds} s of thinking, {turn_seconds} s \
             without asking the robot for anything, {output_bytes} bytes printed\n\
             all lines: {} MB of memory; no files, no network, no processes\n\
             the body moves at the speeds of a tool that nobody has approved",
            self.conditions.robot_time_s,
            memory_bytes >> 20,
        )
    }
}

/// Returns the system time that corresponds to a guest's clock at zero, seconds.
fn epoch() -> f64 {
    firmware_bridge::clock::unix_seconds() as f64
}
