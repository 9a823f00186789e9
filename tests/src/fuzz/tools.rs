//! A tool's source, and the messages that a running tool may send.

use std::io::Cursor;

use minismith_analysis::draft::{Draft, MAX_BYTES};
use minismith_analysis::finding::{Finding, Verdict, most_severe};
use minismith_analysis::manifest::Capability;
use minismith_analysis::policy::vet;
use minismith_protocol::frame::{self, FrameError, MAX_FRAME_BYTES};
use minismith_protocol::zygote::{Hello, Reply};
use minismith_protocol::{GuestMessage, HostReply, Job};
use minismith_toolchain::guest::{Guest, GuestError};
use minismith_toolchain::tool_run::{Outcome, Permissions, execute};

use crate::cycles::{beyond, in_context};

/// The robot time limit of a fuzzed guest.
const ROBOT_TIME_S: f64 = 2.0;

/// Tokens of Python, for texts that get past the parser.
const WORDS: &str = "def tool(|robot: ReachyMini|n: int = 1|) -> int:\n    |\"\"\"Do it.\"\"\"\n    |return |\n|\n    |\n        |    |\
    import |from |numpy|math|asyncio|dataclasses|reachy_mini| import | as |ReachyMini|np|field|dataclass|class |A|(|)|[|]|{|}|\
    :|, |.|=|:=| = | == | in | is | not | and |*|**|@|->|lambda |lambda n: |if |else |elif |for | in range(|while True:|while n:|\
    break|continue|pass|try:|except |except Exception as e:|finally:|with |raise |yield |await |async |async def |match n:|\
    case |_|__class__|__init__|self|self.|type|type(n)|exec|eval|getattr|format|\"{0.a}\"|f\"{|}\"|'|\"|\"\"\"|global |nonlocal |del |\
    assert |True|None|1|0|1e999|10**9|99999999999999999999|0x|1j|b'x'|...|robot.|goto_target|set_target|head|antennas|duration|\
    time.sleep(|create_head_pose(|pitch|body_yaw|#|# coding: utf-7|\\\n|;|~|-|+|/|//|%|<<|>|!=|\u{e9}|\u{1d428}|\\u0041|\t|\r|\
    Literal[|Annotated[|Optional[|list[|dict[str, |tuple[|: |int|float|str|Enum|@dataclass\n|@property\n|@contextmanager\n";

/// Checks a tool: the file itself or, after a byte 1, the indices of its tokens.
///
/// # Panics
/// When the policy rejects without a finding, or has a finding and does not reject.
pub fn policy(data: &[u8]) {
    let text = match data.split_first() {
        Some((1, choices)) => spelled(choices),
        _ => data.to_vec(),
    };
    match Draft::read("tool", &text) {
        Err(findings) => refused(&findings),
        Ok(draft) => match vet(draft) {
            Err(no) => {
                assert_eq!(no.draft().source().as_bytes(), text);
                refused(no.findings());
            }
            Ok(vetted) => {
                assert_eq!(vetted.draft().source().as_bytes(), text);
                assert!(text.len() <= MAX_BYTES && most_severe(vetted.findings()) < Verdict::Reject);
                // The manifest's text must be serializable.
                serde_json::to_string(&vetted.manifest(Default::default())).unwrap();
            }
        },
    }
}

fn refused(findings: &[Finding]) {
    assert_eq!(most_severe(findings), Verdict::Reject);
    assert!(findings.len() <= 200 && findings.iter().all(|finding| finding.line >= 1));
}

fn spelled(choices: &[u8]) -> Vec<u8> {
    let words: Vec<&str> = WORDS.split('|').collect();
    let chosen = choices.iter().filter_map(|choice| words.get(usize::from(*choice) % words.len()));
    chosen.flat_map(|word| word.bytes()).collect()
}

/// Runs a guest's output: a stream of frames, or (if it begins with `{`) one frame per line.
///
/// # Panics
/// When the robot is sent anything beyond its limits, or the record differs from what was permitted.
pub fn wire(data: &[u8]) {
    let stream = if data.starts_with(b"{") { framed(data) } else { data.to_vec() };
    control(&stream);
    let (mut context, trace) = in_context();
    let mut guest = Said { stream: Cursor::new(stream), answers: 0 };
    let capabilities = {
        use Capability::{Camera, Exec, Files, Motion, Motors, Sound, Tracking};
        [Camera, Exec, Files, Motion, Motors, Sound, Tracking].into()
    };
    let permit = Permissions { capabilities, robot_time_s: ROBOT_TIME_S, ..Permissions::default() };
    let job = Job { module: "tool".into(), entry: "tool".into(), takes_robot: true, ..Job::default() };
    let tool_run = execute(&mut guest, job, &mut context, &permit);
    let switched = [&b"motors"[..], b"gravity"].iter().any(|word| holds(data, word));
    assert_eq!(beyond(&trace.take(), switched), None);
    assert!(tool_run.duration.as_secs_f64() <= ROBOT_TIME_S);
    if let Outcome::Raised { kind, message, .. } = &tool_run.outcome {
        assert!(kind.len() + message.len() <= 5_000);
    }
}

/// Reads the same bytes as messages on the control socket: each is understood or rejected.
fn control(stream: &[u8]) {
    let mut from = Cursor::new(stream);
    while let Ok(bytes) = frame::read_bytes(&mut from, MAX_FRAME_BYTES) {
        if let Ok(reply) = serde_json::from_slice::<Reply>(&bytes) {
            let again = serde_json::to_vec(&reply).unwrap();
            assert!(serde_json::from_slice::<Reply>(&again).is_ok());
        }
        if let Ok(hello) = serde_json::from_slice::<Hello>(&bytes) {
            let again = serde_json::to_vec(&hello).unwrap();
            assert_eq!(serde_json::from_slice::<Hello>(&again).unwrap(), hello);
        }
    }
}

fn framed(lines: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    for line in lines.split(|byte| *byte == b'\n') {
        // A line is never as long as a frame may be.
        let _ = frame::write_bytes(&mut stream, line, MAX_FRAME_BYTES);
    }
    stream
}

fn holds(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

/// A guest that sends the given messages in any order, and never reads.
struct Said {
    stream: Cursor<Vec<u8>>,
    answers: usize,
}

impl Guest for Said {
    fn turn(&mut self, answer: &HostReply, _: Option<&[u8]>) -> Result<GuestMessage, GuestError> {
        self.answers += 1;
        // The execution context's response must itself be serializable.
        frame::write(&mut std::io::sink(), answer).unwrap();
        frame::read(&mut self.stream).map_err(|error| match error {
            FrameError::Io(error) => GuestError::Died { how: error.to_string() },
            other => GuestError::ProtocolViolation { what: other.to_string() },
        })
    }
}
