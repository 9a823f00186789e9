//! `tool_frame`: frames per second that reach a tool, through its window and through its channel.

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_protocol::{GuestMessage, HostCall, HostReply, Job, Limits};

use super::rounds::take_turns;
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_toolchain::guest::{Guest, ToolHost};

pub(super) const NAME: &str = "tool_frame";
const PEER: &str = "the same pictures through the pipe";

const HEIGHT: u32 = 480;
const WIDTH: u32 = 640;

/// A tool that takes frames, reads each and stores none.
const SOURCE: &str = "
def look(robot, times):
    return sum(int(robot.media.get_frame()[-1, -1, -1]) for _ in range(times))
";

pub(super) fn measure(context: &BenchContext<'_>) -> Row {
    (context.progress)("pictures: through the window, and through the pipe");
    let times = context.pick(200, 2_000);
    let image = vec![1; (HEIGHT * WIDTH * 3) as usize];
    let one = |by_window: bool| {
        let host = context.host()?;
        look(&host, context.config.workshop.budget.guest, &image, times, by_window)
    };
    let mut theirs = || one(false);
    let medians = take_turns(context, context.pick(1, 7), &mut || one(true), Some(&mut theirs));
    Row::alone(NAME, "1/s", medians.ours)
        .against(PEER, medians.theirs, Better::Higher)
        .noting("640 by 480 pixels, asked for one after another")
}

/// Returns the frames per second.
fn look(host: &ToolHost, limits: Limits, image: &[u8], times: u32, by_window: bool) -> Result<f64, Failed> {
    let at = Failed::at("a guest");
    let mut guest = host.fork(limits).map_err(|fault| at(&fault))?;
    let job = Job {
        source: SOURCE.into(),
        module: "look".into(),
        entry: "look".into(),
        takes_robot: true,
        arguments: [("times".to_owned(), times.into())].into_iter().collect(),
        limits,
        ..Job::default()
    };
    guest.turn(&HostReply::Start { job: Box::new(job) }, None).map_err(|fault| at(&fault))?;
    let mut turn = guest.turn(&HostReply::Proceed, None).map_err(|fault| at(&fault))?;
    let clock = MonotonicClock::start();
    loop {
        turn = match turn {
            GuestMessage::Asks { cue: HostCall::Frame { slot }, .. } => {
                let slot = slot.filter(|_| by_window);
                let answer = HostReply::Frame { now: 0, height: HEIGHT, width: WIDTH, slot };
                guest.turn(&answer, Some(image)).map_err(|fault| at(&fault))?
            }
            GuestMessage::Done { value, .. } if value == times => {
                return Ok(f64::from(times) / clock.now().seconds());
            }
            other => return Err(at(&format!("{other:?}"))),
        };
    }
}
