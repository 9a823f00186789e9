//! Runs Python line by line in one sandboxed guest, on the simulated robot.
//!
//! The policy checks nothing here, so the sandbox is the only barrier. Every host call passes capability, budget and
//! envelope checks, with the limits of an unapproved tool. A guest that dies, loops or breaks the protocol is replaced,
//! and the reply says so. The robot keeps its state.

mod metered;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use minismith_wire::{Job, Limits};
use serde::Serialize;

use self::metered::Metered;
use crate::guest::{CagedGuest, GuestFault, Killer, LazyHost};
use crate::performance::{Lines, Outcome, Permit, Said};
use crate::workshop::rehearsal::Conditions;
use minismith_analysis::manifest::Capability;
use minismith_control::stage::Stage;
use minismith_runtime::outcome::{PostureView, Step, tidy};

/// The capabilities of a line: all that the simulated robot supports.
const CAPABILITIES: [Capability; 5] =
    [Capability::Motion, Capability::Motors, Capability::Camera, Capability::Tracking, Capability::Sound];

/// Maximum length of a line, bytes.
pub const LONGEST_LINE: usize = 64 << 10;

/// Limit for a guest's whole life. It has no effect in practice, since each line has its own limits.
const UNLIMITED: u64 = 1 << 40;

/// An interactive session.
pub struct Repl {
    host: LazyHost,
    stage: Stage,
    conditions: Conditions,
    lines: Lines,
    guest: Option<CagedGuest>,
    running: Arc<Mutex<Running>>,
    /// The lines so far of an unfinished statement.
    pending: String,
    count: u64,
}

/// The guest whose line is running, for [`Interrupter`].
#[derive(Debug, Default)]
struct Running {
    killer: Option<Killer>,
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
    pub shown: Option<String>,
    /// The exception, or the error of a command.
    pub trouble: Option<String>,
    /// Whether the statement continues in the next line.
    pub more: bool,
    /// The reason why all variables are lost, if they are.
    pub lost: Option<String>,
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
        self.trouble.is_some() || self.lost.is_some()
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
Python runs here in a tool's cage, on a mock robot. At hand: robot (a ReachyMini), np (numpy).
A block ends with an empty line. Ctrl-C ends a line that runs; the variables are gone then.
  :state   where the robot is, and its clock
  :limits  what a line may use
  :reset   a fresh Python; the robot stays as it is
  :help    this
  :quit    the end";

impl Repl {
    /// Creates a session on an execution context, with the conditions of a tool's rehearsal.
    #[must_use]
    pub fn new(host: LazyHost, stage: Stage, conditions: Conditions) -> Self {
        let permit = Permit {
            capabilities: BTreeSet::from(CAPABILITIES),
            stage_seconds: conditions.stage_seconds,
            ..Permit::default()
        };
        let lines = Lines::new(permit);
        Repl {
            host,
            stage,
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
        tidy(self.lines.now().seconds())
    }

    /// Discards the lines of an unfinished statement.
    pub fn forget(&mut self) {
        self.pending.clear();
    }

    /// Starts a guest in advance, so that the first line does not have to wait for it.
    ///
    /// # Errors
    /// Returns an error if no guest can start here.
    pub fn warm_up(&mut self) -> Result<(), GuestFault> {
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
    /// Printed output goes to `tell` as it arrives, and also into the reply.
    ///
    /// # Errors
    /// Returns an error if no guest can start here.
    pub fn hear(&mut self, line: &str, tell: &mut dyn FnMut(&str)) -> Result<Heard, GuestFault> {
        self.count += 1;
        let mut reply = self.reply(line);
        if let Some(command) = line.trim().strip_prefix(':') {
            match self.command(command.trim()) {
                Ok(Some(told)) => {
                    tell(&told);
                    reply.printed = told;
                }
                Ok(None) => return Ok(Heard::Quit),
                Err(complaint) => reply.trouble = Some(complaint),
            }
            reply.more = !self.pending.is_empty();
            return Ok(Heard::Reply(Box::new(reply)));
        }
        if self.pending.len() + line.len() > LONGEST_LINE || line.contains('\0') {
            self.forget();
            reply.trouble = Some(format!("a statement must be text of at most {LONGEST_LINE} bytes"));
            reply.more = false;
            return Ok(Heard::Reply(Box::new(reply)));
        }
        self.pending.push_str(line);
        self.warm_up()?;
        let Some(guest) = &mut self.guest else { return Ok(Heard::Quit) };
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) =
            Running { killer: guest.killer().ok(), interrupted: false };
        let mut guest = Metered::new(guest, self.conditions.guest, tell);
        let said = self.lines.line(&mut guest, &self.pending, &mut self.stage);
        let interrupted = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.killer = None;
            running.interrupted
        };
        let Said { shown, trouble, more, performance } = said;
        if more {
            self.pending.push('\n');
        } else {
            self.forget();
        }
        if let Outcome::Stopped { reason, .. } = &performance.outcome {
            self.guest = None;
            let why = if interrupted { "interrupted".into() } else { reason.clone() };
            reply.lost = Some(format!("{why}; a fresh Python begins, the variables are gone"));
        } else if interrupted {
            // The interrupt came too late for the line, but it has killed the guest.
            self.guest = None;
            reply.lost = Some("interrupted; a fresh Python begins, the variables are gone".into());
        }
        reply.printed = performance.printed;
        reply.steps = performance.steps;
        reply.notes = performance.notes;
        reply.clock_s = self.clock();
        Ok(Heard::Reply(Box::new(Reply { shown, trouble, more, ..reply })))
    }

    fn reply(&self, line: &str) -> Reply {
        Reply {
            line: self.count,
            source: line.to_owned(),
            printed: String::new(),
            shown: None,
            trouble: None,
            more: !self.pending.is_empty(),
            lost: None,
            steps: Vec::new(),
            notes: Vec::new(),
            clock_s: self.clock(),
        }
    }

    /// Runs a command and returns its text, or `None` for `:quit`.
    fn command(&mut self, command: &str) -> Result<Option<String>, String> {
        let told = match command {
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
        Ok(Some(told + "\n"))
    }

    fn state(&self) -> String {
        let snapshot = self.stage.conductor.snapshot();
        let motors = if snapshot.state.is_driven() { "on" } else { "off" };
        let clock = format!("clock {} s, motors {motors}", self.clock());
        let Some(at) = self.stage.posture().as_ref().map(PostureView::from) else {
            return format!("{clock}, position not known");
        };
        let PostureView { x_mm, y_mm, z_mm, roll_deg, pitch_deg, yaw_deg, body_yaw_deg, antennas_deg } = at;
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
            self.conditions.stage_seconds,
            memory_bytes >> 20,
        )
    }
}

/// Returns the system time that corresponds to a guest's clock at zero, seconds.
fn epoch() -> f64 {
    firmware_bridge::clock::unix_seconds() as f64
}
