//! Protocol between the controller and sandboxed guests: message types and their framing, without behaviour.
//!
//! Reading order: [`Job`] (what a guest runs), [`GuestMessage`] (messages from a guest), [`HostCall`] (host calls), [`HostReply`] (messages to
//! a guest), [`frame`] (framing), [`shared_frames`] (shared memory for images), [`exceeded`] (budgets that a guest detects itself),
//! [`zygote`] (messages between the tool host and its supervisor), [`trace_format`] (the trace format),
//! [`old_names`] (spellings of earlier versions).
//!
//! The two sides alternate strictly: the controller sends one [`HostReply`], the guest sends one [`GuestMessage`]. Everything that comes
//! from a guest is untrusted.

pub mod app_sandbox;
pub mod confinement;
pub mod exceeded;
pub mod frame;
pub mod old_names;
pub mod shared_frames;
pub mod trace_format;
pub mod zygote;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What a guest runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Exact source of the tool, or of a toolkit's main module.
    pub source: String,
    /// The other modules of a toolkit, by name without `.py`. Empty for a tool of one file.
    #[serde(default)]
    pub modules: BTreeMap<String, String>,
    /// Module name for `__name__`, without `.py`.
    pub module: String,
    /// Function to call.
    pub entry: String,
    /// Whether the first parameter is the robot.
    pub takes_robot: bool,
    /// Keyword arguments of the call.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// Seed of `random` and `numpy.random`. The same seed gives the same trace.
    pub seed: u64,
    /// Whether to record executed lines (rehearsal).
    pub coverage: bool,
    /// Robot time at the guest's start, in nanoseconds.
    pub now: u64,
    /// Value of `time.time()` at robot time zero: seconds since 1970.
    pub epoch: f64,
    /// Resource limits of the guest.
    pub limits: Limits,
    /// Input files. After [`HostReply::Start`] one raw frame follows for each, in this order.
    #[serde(default)]
    pub files: Vec<InputFile>,
    /// Parameter that receives the output files, if any.
    #[serde(rename = "outputs")]
    #[serde(default)]
    pub output_parameter: Option<String>,
    /// Whether there is no tool, but a user who sends lines with [`HostReply::Line`].
    #[serde(default)]
    pub interactive: bool,
    /// Whether exactly these sources were already compared with the policy's parser. They are then not parsed again, and the
    /// first message has no facts.
    #[serde(rename = "compared")]
    #[serde(default)]
    pub skip_comparison: bool,
}

/// Default seed of jobs, which the tool host sets before it forks.
pub const DEFAULT_SEED: u64 = 0x6d69_6e69;

/// An input file for a guest. Its bytes are sent separately, because the sandbox opens no files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Parameter whose argument it is.
    pub parameter: String,
    /// Its name, without a folder.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Detected properties: `type`, `encoding`, `columns`, `rows`, `width`, ...
    pub about: serde_json::Map<String, serde_json::Value>,
    /// Its content. It is never sent as JSON, but as a raw frame after [`HostReply::Start`].
    #[serde(skip)]
    pub content: Content,
}

/// The bytes of a file, shared and immutable.
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

/// Resource limits of a guest, enforced by the kernel and the supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// CPU seconds over the guest's whole life.
    pub cpu_seconds: u64,
    /// Bytes of address space in addition to the interpreter's own.
    pub memory_bytes: u64,
    /// Bytes that may be printed.
    pub output_bytes: u64,
    /// Wall-clock seconds from a reply to the guest's next message.
    pub turn_seconds: f64,
    /// Wall-clock seconds for all computation over the guest's whole life.
    pub wall_seconds: f64,
    /// Number of camera frames.
    pub frames: u64,
    /// Number of camera frames in any one second of robot time. Data from before this limit has the default.
    #[serde(default = "default_frames_per_second")]
    pub frames_per_second: u64,
    /// Number of motions in any one second of robot time. Each streamed target counts as one.
    pub motions_per_second: u64,
    /// Number of open files.
    pub open_files: u64,
    /// Number of processes and threads besides its own.
    pub processes: u64,
}

impl Limits {
    /// Default limits.
    pub const DEFAULT: Limits = Limits {
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

const fn default_frames_per_second() -> u64 {
    Limits::DEFAULT.frames_per_second
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

/// Facts that CPython's parser found in a source, for comparison with the policy's parser.
///
/// Every node of the tree counts: defaults, decorators, annotations, the insides of f-strings, comprehensions, `with` items,
/// `match` cases. Strings are never parsed again (a string annotation is a string). Identifiers are in Unicode's form NFKC, as
/// CPython stores them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyntaxFacts {
    /// Imports:
    ///
    /// * `import a.b as c` gives `a.b`.
    /// * `from a.b import c as d` gives `a.b.c`; `from a import *` gives `a.*`.
    /// * A relative import begins with its dots: `from . import c` gives `.c`, `from ..a import c` gives `..a.c`.
    pub imports: BTreeSet<String>,
    /// Identifiers:
    ///
    /// * the `id` of every `Name`
    /// * the names of functions, classes, arguments (`arg`), keywords of calls and class headers (`keyword.arg`, if any),
    ///   `global` and `nonlocal`, `except ... as name`
    /// * in patterns: `MatchAs.name`, `MatchStar.name`, `MatchMapping.rest`, if any
    /// * the name that an import binds: the `as` name if there is one, else the part before the first dot (`import a.b` gives
    ///   `a`, `from a import c` gives `c`, `from a import *` gives `*`)
    pub names: BTreeSet<String>,
    /// The `attr` of every `Attribute`, and every keyword of a class pattern (`MatchClass.kwd_attrs`).
    pub attributes: BTreeSet<String>,
    /// The dotted name (`a.b.c`) of every `Call` whose function is a `Name`, or a chain of `Attribute`s that begins with a
    /// `Name`. Other calls give nothing: `f().g()` gives `f` alone. A decorator without brackets is not a call.
    pub calls: BTreeSet<String>,
    /// Hash of the whole tree: every node in order, with its names, operators, constants and the lines of statements. Both
    /// sides normalise the tree first, so that equivalent sources have the same hash.
    pub tree: String,
}

/// The most samples that a tool may play with one call: two seconds.
pub const MAX_PLAYED_SAMPLES: usize = 32_000;

/// A message to a guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub enum HostReply {
    /// First message: parse the job without running it. The guest replies with [`GuestMessage::Parsed`].
    Start {
        /// The job.
        job: Box<Job>,
    },
    /// The facts match the policy's: load the module and call the entry.
    Proceed,
    /// The host call is complete, or the printed text was received.
    Done {
        /// Robot time in nanoseconds.
        now: u64,
    },
    /// Reply to [`HostCall::State`].
    State {
        /// Robot time in nanoseconds.
        now: u64,
        /// State of the robot.
        state: Box<State>,
    },
    /// Reply to [`HostCall::Frame`]. The `height * width * 3` bytes (BGR) are in a slot of the [`shared_frames`], or follow as one raw
    /// frame. Without a camera both sizes are zero and no bytes follow.
    Frame {
        /// Robot time in nanoseconds.
        now: u64,
        /// Number of rows.
        height: u32,
        /// Number of columns.
        width: u32,
        /// The requested slot, if the image is there.
        slot: Option<u8>,
    },
    /// Reply to [`HostCall::Heard`]. The `bytes` follow as one raw frame, if there are any: samples of 32-bit floats, little-endian,
    /// mono.
    Heard {
        /// Robot time in nanoseconds.
        now: u64,
        /// Length in bytes.
        bytes: u32,
    },
    /// Reply to [`HostCall::Face`].
    Face {
        /// Robot time in nanoseconds.
        now: u64,
        /// Result of face tracking.
        face: Face,
    },
    /// Reply to [`HostCall::Exec`] and other host calls that return a value.
    Value {
        /// Robot time in nanoseconds.
        now: u64,
        /// The returned value.
        value: serde_json::Value,
    },
    /// The next statement of the user in an interactive job, possibly incomplete. The guest replies with [`GuestMessage::Result`],
    /// after any host calls.
    Line {
        /// Robot time in nanoseconds.
        now: u64,
        /// Source lines.
        source: String,
    },
    /// The host call was rejected. The guest raises `kind` with `message`.
    Refused {
        /// Robot time in nanoseconds.
        now: u64,
        /// Python exception to raise.
        kind: RefusalKind,
        /// Message for the tool's author.
        message: String,
    },
}

/// Python exception for a rejected host call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// `ValueError`: an argument is out of range.
    Value,
    /// `RuntimeError`: the host call is not possible now.
    Runtime,
    /// `PermissionError`: the tool lacks the capability.
    Permission,
    /// `TimeoutError`: a budget is exceeded.
    Timeout,
}

/// State of the robot as tools see it, in radians and metres. Matrices are row-major.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// `world_from_head`, relative to the neutral head.
    pub head: [f64; 16],
    /// Body yaw, then the six legs.
    pub head_joints: [f64; 7],
    /// Right, left.
    pub antennas: [f64; 2],
    /// Whether the torque of every motor is on.
    pub torque: bool,
}

/// Result of face tracking, as the official SDK reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Face {
    /// Whether a face is visible.
    pub detected: bool,
    /// Horizontal image position, -1 left to 1 right.
    pub x: Option<f64>,
    /// Vertical image position, -1 top to 1 bottom.
    pub y: Option<f64>,
    /// Roll of the head in the image, in radians.
    pub roll: Option<f64>,
}

/// Interpolation of a goto: the official SDK's four methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Constant velocity.
    Linear,
    /// Minimum jerk: `10 t^3 - 15 t^4 + 6 t^5`.
    #[default]
    Minjerk,
    /// Quadratic in and out.
    EaseInOut,
    /// Back ease: overshoots about ten percent.
    Cartoon,
}

/// A host call of a guest. Each costs one millisecond of robot time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cue", rename_all = "snake_case", deny_unknown_fields)]
pub enum HostCall {
    /// Moves to a posture and waits for the end of the motion.
    Goto {
        /// `world_from_head`, row-major 4x4. `None` keeps the head.
        head: Option<[f64; 16]>,
        /// Right and left in radians. `None` keeps the antennas.
        antennas: Option<[f64; 2]>,
        /// Body yaw in radians. `None` keeps the body.
        body_yaw: Option<f64>,
        /// Duration in seconds.
        duration: f64,
        /// Interpolation.
        method: Method,
    },
    /// Follows this target from the next control cycle on, without waiting.
    SetTarget {
        /// As in `Goto`.
        head: Option<[f64; 16]>,
        /// As in `Goto`.
        antennas: Option<[f64; 2]>,
        /// As in `Goto`.
        body_yaw: Option<f64>,
    },
    /// Plays keyframes and waits for the end.
    Play {
        /// Keyframes in order of time.
        keyframes: Vec<Keyframe>,
        /// Seconds for the motion from the present posture to the first keyframe.
        initial_goto: f64,
    },
    /// Turns the head's x axis towards a point and waits. It uses the centred head pose of the official `look_at_world`.
    LookAt {
        /// Point in the world frame in metres.
        point: [f64; 3],
        /// Duration in seconds.
        duration: f64,
    },
    /// Advances robot time.
    Sleep {
        /// Duration in seconds.
        seconds: f64,
    },
    /// Reads the state of the robot.
    State,
    /// Takes an image.
    Frame {
        /// A free slot of the [`shared_frames`], or `None` when the tool uses all of them.
        #[serde(default)]
        slot: Option<u8>,
    },
    /// Runs the detectors on the latest image. The reply is [`HostReply::Value`] with a list.
    Detections,
    /// Returns the world direction of a pixel of the latest image. The reply is [`HostReply::Value`] with three numbers.
    Ray {
        /// Column, from the left.
        u: f64,
        /// Row, from the top.
        v: f64,
    },
    /// Starts or stops following a face.
    Track {
        /// Whether to start.
        on: bool,
        /// Share of the head's motion for the tracker, 0 to 1.
        weight: f64,
    },
    /// Returns the result of face tracking.
    Face,
    /// Switches torque.
    Motors {
        /// Whether torque is on.
        on: bool,
        /// Motor names. `None` means all nine.
        ids: Option<Vec<String>>,
    },
    /// Selects whether the body follows the head's yaw.
    AutomaticBodyYaw {
        /// Whether it follows.
        on: bool,
    },
    /// Wakes up: rises to the initial posture, with a small tilt.
    Wake,
    /// Goes to the sleep posture.
    Rest,
    /// Plays a sound file of the robot.
    Sound {
        /// File name.
        file: String,
    },
    /// Plays these samples after those that were played before.
    PlaySamples {
        /// Samples per 32768, 16 kHz, mono; at most [`MAX_PLAYED_SAMPLES`].
        samples: Vec<i16>,
    },
    /// Starts or ends recording by the microphones.
    Record {
        /// Whether to start.
        on: bool,
    },
    /// Keeps the current camera image as a file of the run; the tool itself does not receive it.
    Photo,
    /// Returns what was recorded since the last call. The reply is [`HostReply::Heard`].
    Heard,
    /// Returns where the last voice came from. The reply is [`HostReply::Value`]: null, or the angle in radians and whether
    /// somebody speaks.
    VoiceDirection,
    /// Switches gravity compensation.
    Gravity {
        /// Whether it is on.
        on: bool,
    },
    /// Runs another registered tool and returns its result.
    Exec {
        /// Name of the tool. A function of a toolkit is `toolkit.function`.
        name: String,
        /// Arguments.
        arguments: serde_json::Map<String, serde_json::Value>,
    },
    /// Writes a chunk of an output file. Chunks are appended in order.
    Write {
        /// File name, without a folder.
        file: String,
        /// The chunk in base64, at most [`MAX_CHUNK_BYTES`] bytes of text.
        piece: String,
    },
}

/// Maximum length of a chunk of an output file in bytes of base64 text.
pub const MAX_CHUNK_BYTES: usize = 512 << 10;

/// A posture of a played motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Seconds from the start.
    pub time: f64,
    /// As in [`HostCall::Goto`].
    pub head: Option<[f64; 16]>,
    /// As in [`HostCall::Goto`].
    pub antennas: Option<[f64; 2]>,
    /// As in [`HostCall::Goto`].
    pub body_yaw: Option<f64>,
}

/// A message from a guest. `spent` is the robot time that clock reads have cost since the last reply (20 microseconds each).
/// `printed` is the text printed since the last message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case", deny_unknown_fields)]
pub enum GuestMessage {
    /// Facts from CPython's parser. The controller replies with [`HostReply::Proceed`], or kills the guest.
    Parsed {
        /// Facts by module. `Err` contains CPython's error message.
        facts: Result<BTreeMap<String, SyntaxFacts>, String>,
    },
    /// A host call. The reply is its own variant, [`HostReply::Done`] or [`HostReply::Refused`].
    Asks {
        /// The host call.
        cue: HostCall,
        /// Cost of clock reads in nanoseconds of robot time.
        spent: u64,
        /// Printed text.
        printed: String,
    },
    /// Printed text alone, when it is long. The reply is [`HostReply::Done`].
    Printed {
        /// Printed text.
        printed: String,
        /// Cost of clock reads in nanoseconds of robot time.
        spent: u64,
    },
    /// Result of a line of an interactive job, which may be incomplete. The first one signals that the guest is ready. The
    /// reply is [`HostReply::Line`].
    Result {
        /// Representation of the last expression's value.
        #[serde(rename = "shown")]
        repr: Option<String>,
        /// Error as a short traceback.
        #[serde(rename = "trouble")]
        error: Option<String>,
        /// Whether the statement continues on the next line.
        #[serde(rename = "more")]
        incomplete: bool,
        /// Printed text.
        printed: String,
        /// Cost of clock reads in nanoseconds of robot time.
        spent: u64,
    },
    /// The entry function returned. This is the last message.
    Done {
        /// The value, as JSON.
        value: serde_json::Value,
        /// Printed text.
        printed: String,
        /// Cost of clock reads in nanoseconds of robot time.
        spent: u64,
        /// Executed lines by module, if the job requested coverage.
        lines: BTreeMap<String, BTreeSet<u32>>,
    },
    /// The tool raised an exception, or its result is not plain data. This is the last message.
    Raised {
        /// Type name of the exception.
        kind: String,
        /// Message of the exception.
        message: String,
        /// Source line where it was raised, if known.
        line: Option<u32>,
        /// Printed text.
        printed: String,
        /// Cost of clock reads in nanoseconds of robot time.
        spent: u64,
        /// Executed lines by module, if the job requested coverage.
        lines: BTreeMap<String, BTreeSet<u32>>,
    },
}

/// Maximum size of an input file in bytes.
pub const MAX_FILE_BYTES: usize = 50 << 20;

/// Cost of a clock read in nanoseconds of robot time.
pub const CLOCK_READ_COST: u64 = 20_000;

/// Cost of a host call in nanoseconds of robot time.
pub const HOST_CALL_COST: u64 = 1_000_000;
