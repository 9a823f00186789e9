//! The words between the controller and a caged guest, and how they are framed. Nothing here acts.
//!
//! Reading order: [`Job`] (what a guest is asked to run), [`Turn`] (what a guest says), [`Cue`] (what it may ask of
//! the stage), [`Answer`] (what the stage says), [`frame`] (how they travel), [`window`] (where pictures lie),
//! [`exceeded`] (budgets of which a guest itself learns first), [`zygote`] (the host program's own words with its
//! supervisor), [`recording`] (what the recorder is told).
//!
//! The two sides alternate strictly: the controller sends one [`Answer`], the guest sends one [`Turn`]. Everything
//! that comes from a guest is presumed forged.

pub mod exceeded;
pub mod frame;
pub mod old_names;
pub mod recording;
pub mod window;
pub mod zygote;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What a guest is asked to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The tool's exact source text; of a toolkit, that of its main module.
    pub source: String,
    /// The other modules of a toolkit, by name without `.py`; a tool of one file has none.
    #[serde(default)]
    pub modules: BTreeMap<String, String>,
    /// The module name the tool sees as `__name__`, without `.py`.
    pub module: String,
    /// The function to call.
    pub entry: String,
    /// Whether the first parameter is the robot.
    pub takes_robot: bool,
    /// Keyword arguments for the call.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// Seeds `random` and `numpy.random`: the same seed, the same trace.
    pub seed: u64,
    /// Whether executed lines are recorded (rehearsal).
    pub coverage: bool,
    /// The stage's time when the guest starts, in nanoseconds.
    pub now: u64,
    /// What `time.time()` returns at stage time zero: seconds since 1970.
    pub epoch: f64,
    /// What the guest may use of the machine.
    pub limits: Limits,
    /// Input files: after [`Answer::Start`] one raw frame follows for each, in this order.
    #[serde(default)]
    pub files: Vec<FileGiven>,
    /// The parameter that is given the output files, if there is one.
    #[serde(default)]
    pub outputs: Option<String>,
    /// Whether there is no tool, but a person who gives line after line by [`Answer::Line`].
    #[serde(default)]
    pub interactive: bool,
    /// Whether these very sources were compared with the policy's reading before: their facts are not read again, and
    /// the first word holds none.
    #[serde(default)]
    pub compared: bool,
}

/// The seed of jobs where nothing else is said: the tool host has begun with it before it forks.
pub const USUAL_SEED: u64 = 0x6d69_6e69;

/// An input file as its guest sees it. The bytes come apart; nothing is opened in the cage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileGiven {
    /// The parameter that it is the argument of.
    pub parameter: String,
    /// Its name, without any folder.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
    /// What was found out about it beforehand: `type`, `encoding`, `columns`, `rows`, `width`, ...
    pub about: serde_json::Map<String, serde_json::Value>,
    /// What is in it. It never travels as JSON, but as a raw frame after [`Answer::Start`].
    #[serde(skip)]
    pub content: Content,
}

/// The bytes of a file, shared and never changed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Content(pub Arc<Vec<u8>>);

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Content(Arc::new(bytes))
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// What a guest may use of the machine. Enforced by the kernel and by the supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Processor seconds over the guest's whole life.
    pub cpu_seconds: u64,
    /// Bytes of address space beyond what the interpreter itself holds.
    pub memory_bytes: u64,
    /// Bytes that may be printed.
    pub output_bytes: u64,
    /// Wall seconds that one turn may take.
    pub turn_seconds: f64,
    /// Wall seconds that the guest may think over its whole life: all its turns together.
    pub wall_seconds: f64,
    /// Pictures that it may take.
    pub frames: u64,
    /// Pictures that it may take in any one second of stage time. What was written down before there was this limit has
    /// the usual one.
    #[serde(default = "usual_frames_per_second")]
    pub frames_per_second: u64,
    /// Motions that it may ask for in any one second of stage time; each streamed target is one.
    pub motions_per_second: u64,
    /// Files that it may hold open.
    pub open_files: u64,
    /// Processes and threads that it may have besides itself.
    pub processes: u64,
}

impl Limits {
    /// What a tool gets where nothing else is said.
    pub const USUAL: Limits = Limits {
        cpu_seconds: 10,
        memory_bytes: 256 << 20,
        output_bytes: 64 << 10,
        turn_seconds: 3.0,
        wall_seconds: 30.0,
        frames: 1_000,
        frames_per_second: 30,
        motions_per_second: 1_000,
        open_files: 0,
        processes: 0,
    };
}

const fn usual_frames_per_second() -> u64 {
    Limits::USUAL.frames_per_second
}

impl Default for Limits {
    fn default() -> Self {
        Limits::USUAL
    }
}

/// What CPython's own parser found in a source: compared with what the policy's parser saw.
///
/// Every node of the tree counts, wherever it stands: defaults, decorators, annotations, the insides of f-strings,
/// comprehensions, `with` items, `match` cases. Texts are never parsed again (a string annotation is a text).
/// Identifiers are as CPython holds them, that is in Unicode's form NFKC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// What is imported.
    ///
    /// * `import a.b as c` gives `a.b`.
    /// * `from a.b import c as d` gives `a.b.c`; `from a import *` gives `a.*`.
    /// * A relative import has its dots in front: `from . import c` gives `.c`, `from ..a import c` gives `..a.c`.
    pub imports: BTreeSet<String>,
    /// Every identifier that stands for itself:
    ///
    /// * the `id` of every `Name`;
    /// * the names of functions, classes, arguments (`arg`), keywords of calls and of class headers (`keyword.arg`,
    ///   where there is one), `global` and `nonlocal`, `except ... as name`;
    /// * in patterns: `MatchAs.name`, `MatchStar.name`, `MatchMapping.rest`, where there is one;
    /// * the name that an import binds: the `as` name if there is one, else the part before the first dot
    ///   (`import a.b` gives `a`, `from a import c` gives `c`, `from a import *` gives `*`).
    pub names: BTreeSet<String>,
    /// The `attr` of every `Attribute`, and every keyword of a class pattern (`MatchClass.kwd_attrs`).
    pub attributes: BTreeSet<String>,
    /// For every `Call` whose function is a `Name`, or a chain of `Attribute`s that begins with a `Name`: the dotted
    /// name (`a.b.c`). For every other call nothing: `f().g()` gives `f` alone. A decorator without brackets is no
    /// call.
    pub calls: BTreeSet<String>,
    /// The hash of the whole tree: every node in order, with its names, operators, constants and the lines of
    /// statements. Both sides write the tree in one normal form first, so that what means the same hashes the same.
    pub tree: String,
}

/// What the stage tells a guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// The first word: parse this, do not run it yet. Answered by [`Turn::Parsed`].
    Start {
        /// The job.
        job: Box<Job>,
    },
    /// The tree is what the policy saw: load the module and call the entry.
    Proceed,
    /// The cue is done (or the print was taken).
    Done {
        /// Stage time, nanoseconds.
        now: u64,
    },
    /// The answer to [`Cue::State`].
    State {
        /// Stage time, nanoseconds.
        now: u64,
        /// What the body does.
        state: Box<State>,
    },
    /// The answer to [`Cue::Frame`]: `height * width * 3` bytes (BGR) lie in a slot of the [`window`], or follow as one
    /// raw frame; none when there is no camera (both zero).
    Frame {
        /// Stage time, nanoseconds.
        now: u64,
        /// Rows.
        height: u32,
        /// Columns.
        width: u32,
        /// The slot that was named, when the picture lies there.
        slot: Option<u8>,
    },
    /// The answer to [`Cue::Face`].
    Face {
        /// Stage time, nanoseconds.
        now: u64,
        /// What the tracker sees.
        face: Face,
    },
    /// The answer to [`Cue::Exec`].
    Value {
        /// Stage time, nanoseconds.
        now: u64,
        /// What the other tool returned.
        value: serde_json::Value,
    },
    /// The next statement of a person, in an interactive job, as far as it is said. Answered by [`Turn::Result`], after
    /// whatever it asks.
    Line {
        /// Stage time, nanoseconds.
        now: u64,
        /// Its lines.
        source: String,
    },
    /// The cue was refused; the guest raises `kind` with `message`.
    Refused {
        /// Stage time, nanoseconds.
        now: u64,
        /// Which Python exception.
        kind: RefusalKind,
        /// For the tool's author.
        message: String,
    },
}

/// The Python exception that a refused cue raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// `ValueError`: an argument is out of range.
    Value,
    /// `RuntimeError`: the stage can't do it now.
    Runtime,
    /// `PermissionError`: the tool has no such capability.
    Permission,
    /// `TimeoutError`: a budget is used up.
    Timeout,
}

/// The body as a tool sees it. Radians and metres; matrices are row-major.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// `world_from_head`, relative to the neutral head.
    pub head: [f64; 16],
    /// Body yaw, then the six legs.
    pub head_joints: [f64; 7],
    /// Right, left.
    pub antennas: [f64; 2],
    /// Whether every motor's torque is on.
    pub torque: bool,
}

/// What face tracking sees, as the official SDK reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Face {
    /// Whether a face is seen.
    pub detected: bool,
    /// Horizontal place in the image, -1 left to 1 right.
    pub x: Option<f64>,
    /// Vertical place in the image, -1 top to 1 bottom.
    pub y: Option<f64>,
    /// The head's roll in the image, radians.
    pub roll: Option<f64>,
}

/// How a goto moves between two postures: the official SDK's four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Constant speed.
    Linear,
    /// Minimum jerk: `10 t^3 - 15 t^4 + 6 t^5`.
    #[default]
    Minjerk,
    /// Quadratic in and out.
    EaseInOut,
    /// Back ease: overshoots about ten percent.
    Cartoon,
}

/// What a guest asks of the stage. Each cue costs one millisecond of stage time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cue", rename_all = "snake_case", deny_unknown_fields)]
pub enum Cue {
    /// Move to a posture and wait for the end of the motion.
    Goto {
        /// `world_from_head`, row-major 4x4; none keeps the head.
        head: Option<[f64; 16]>,
        /// Right, left, radians; none keeps the antennas.
        antennas: Option<[f64; 2]>,
        /// Radians; none keeps the body.
        body_yaw: Option<f64>,
        /// Seconds.
        duration: f64,
        /// The interpolation.
        method: Method,
    },
    /// Follow this target from the next beat on; does not wait.
    SetTarget {
        /// As in `Goto`.
        head: Option<[f64; 16]>,
        /// As in `Goto`.
        antennas: Option<[f64; 2]>,
        /// As in `Goto`.
        body_yaw: Option<f64>,
    },
    /// Play a list of postures, each at its time, and wait for the end.
    Play {
        /// The keyframes, in order of time.
        keyframes: Vec<Keyframe>,
        /// Seconds to move from the present posture to the first keyframe.
        initial_goto: f64,
    },
    /// Turn the head's x axis towards a point, and wait; sends the centred head of the official `look_at_world`.
    LookAt {
        /// The point in the world frame, metres.
        point: [f64; 3],
        /// Seconds.
        duration: f64,
    },
    /// Let stage time pass.
    Sleep {
        /// Seconds.
        seconds: f64,
    },
    /// Sense the body.
    State,
    /// Take a picture.
    Frame {
        /// A free slot of the [`window`]; none when the tool holds pictures in all of them.
        #[serde(default)]
        slot: Option<u8>,
    },
    /// What the detectors find in the newest picture; answered by [`Answer::Value`], a list.
    Detections,
    /// In which direction of the world a pixel of the newest picture lies; answered by [`Answer::Value`], three numbers.
    Ray {
        /// The column, from the left.
        u: f64,
        /// The row, from the top.
        v: f64,
    },
    /// Start or stop following a face.
    Track {
        /// Start, or stop.
        on: bool,
        /// How much of the head's motion the tracker gets, 0 to 1.
        weight: f64,
    },
    /// Ask what the tracker sees.
    Face,
    /// Torque on or off.
    Motors {
        /// On, or off.
        on: bool,
        /// Motor names; none means all nine.
        ids: Option<Vec<String>>,
    },
    /// Let the body follow the head's yaw, or not.
    AutomaticBodyYaw {
        /// Whether it follows.
        on: bool,
    },
    /// Wake up: rise to the initial posture, with a small tilt.
    Wake,
    /// Go to the sleep posture.
    Rest,
    /// Play a sound file of the robot.
    Sound {
        /// Its file name.
        file: String,
    },
    /// Gravity compensation on or off.
    Gravity {
        /// On, or off.
        on: bool,
    },
    /// Call another tool of the registry, and wait for what it returns.
    Exec {
        /// The tool's name; a function of a toolkit as `toolkit.function`.
        name: String,
        /// Its arguments.
        arguments: serde_json::Map<String, serde_json::Value>,
    },
    /// Write a piece of an output file; pieces are joined in order.
    Write {
        /// The file's name, without any folder.
        file: String,
        /// The piece, in base64; at most [`MAX_PIECE`] bytes of text.
        piece: String,
    },
}

/// The longest piece of an output file, as text in base64.
pub const MAX_PIECE: usize = 512 << 10;

/// One posture of a played motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Seconds from the start.
    pub time: f64,
    /// As in [`Cue::Goto`].
    pub head: Option<[f64; 16]>,
    /// As in [`Cue::Goto`].
    pub antennas: Option<[f64; 2]>,
    /// As in [`Cue::Goto`].
    pub body_yaw: Option<f64>,
}

/// What a guest says. `spent` is stage time that the guest used by reading clocks since the last answer (20
/// microseconds a read); `printed` is what it printed since its last turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case", deny_unknown_fields)]
pub enum Turn {
    /// CPython's reading of the source. Answered by [`Answer::Proceed`], or by death.
    Parsed {
        /// What it found, module by module; `Err` holds CPython's complaint.
        facts: Result<BTreeMap<String, Facts>, String>,
    },
    /// A cue. Answered by the cue's own answer, [`Answer::Done`] or [`Answer::Refused`].
    Asks {
        /// What is asked.
        cue: Cue,
        /// Stage nanoseconds used up by clock reads.
        spent: u64,
        /// Printed text.
        printed: String,
    },
    /// Printed text alone, when there is much of it. Answered by [`Answer::Done`].
    Printed {
        /// The text.
        printed: String,
        /// As above.
        spent: u64,
    },
    /// A line of an interactive job has been run, or is not complete yet; the first one says that the guest is ready.
    /// Answered by [`Answer::Line`].
    Result {
        /// What the line's last expression is, as Python writes it.
        shown: Option<String>,
        /// What was raised, as a short traceback.
        trouble: Option<String>,
        /// Whether the statement goes on in the next line.
        more: bool,
        /// As above.
        printed: String,
        /// As above.
        spent: u64,
    },
    /// The entry returned. The last word.
    Done {
        /// The value, as JSON.
        value: serde_json::Value,
        /// As above.
        printed: String,
        /// As above.
        spent: u64,
        /// The lines that ran, module by module, when the job asked for coverage.
        lines: BTreeMap<String, BTreeSet<u32>>,
    },
    /// The tool raised, or its result is not plain data. The last word.
    Raised {
        /// The exception's type name.
        kind: String,
        /// Its text.
        message: String,
        /// The line of the source where it was raised, if known.
        line: Option<u32>,
        /// As above.
        printed: String,
        /// As above.
        spent: u64,
        /// As above.
        lines: BTreeMap<String, BTreeSet<u32>>,
    },
}

/// The longest input file, bytes.
pub const MAX_FILE: usize = 50 << 20;

/// Stage nanoseconds that one clock read costs.
pub const CLOCK_READ_COST: u64 = 20_000;

/// Stage nanoseconds that one cue costs.
pub const CUE_COST: u64 = 1_000_000;
