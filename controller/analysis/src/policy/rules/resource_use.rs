//! Rules about how a tool uses the robot, time and resources.

use super::{
    Rule,
    Verdict::{NeedsApproval, Pass, Reject},
};

/// The rules, in reading order.
pub(super) const RULES: &[Rule] = &[
    ROBOT_CONSTRUCTED,
    UNKNOWN_ROBOT_METHOD,
    UNKNOWN_ARGUMENT,
    OUT_OF_RANGE,
    WRONG_UNIT,
    DOUBTFUL_UNIT,
    INVALID_STEP,
    BUSY_LOOP,
    ENDLESS_LOOP,
    ENDLESS_RECURSION,
    LONG_SLEEP,
    BLOCKING_SLEEP,
    BLOCKING_CALL,
    BLOCKING_MOTION,
    FORGOTTEN_AWAIT,
    SWALLOWED_EXCEPTION,
    HIDDEN_FAILURE,
    HUGE_NUMBER,
    TOO_COMPLEX,
    UNREACHABLE_CODE,
    UNUSED_PARAMETER,
    SHADOWED_PARAMETER,
    MUTABLE_DEFAULT,
    EXACT_COMPARISON,
];

/// `ReachyMini()`.
pub const ROBOT_CONSTRUCTED: Rule = Rule {
    id: "robot-constructed",
    verdict: Reject,
    reason: "The execution context supplies the robot: a simulated one in rehearsal, the real one in a live run.",
    advice: "take it as the first parameter: `robot: ReachyMini`",
    good: "robot.wake_up()",
    bad: "with ReachyMini() as other:\n    other.wake_up()",
};

/// A robot attribute that the official SDK does not have, or that Minismith does not support.
pub const UNKNOWN_ROBOT_METHOD: Rule = Rule {
    id: "unknown-robot-method",
    verdict: Reject,
    reason: "The robot has the official SDK's methods and no others.",
    advice: "use a method of the official Reachy Mini SDK",
    good: "robot.goto_target(antennas=[0.1, 0.1], duration=0.5, body_yaw=None)",
    bad: "robot.go_to_target(antennas=[0.1, 0.1])",
};

/// An argument that the method does not have.
pub const UNKNOWN_ARGUMENT: Rule = Rule {
    id: "unknown-argument",
    verdict: Reject,
    reason: "A misspelt argument fails in the middle of a motion.",
    advice: "use the official SDK's argument names",
    good: "robot.look_at_world(0.5, 0.0, 0.1, duration=1.0)",
    bad: "robot.look_at_world(0.5, 0.0, 0.1, time=1.0)",
};

/// A literal beyond the robot's range.
pub const OUT_OF_RANGE: Rule = Rule {
    id: "out-of-range",
    verdict: Reject,
    reason: "The robot cannot do it: the motion would be clamped or rejected.",
    advice: "stay within range: roll and pitch 40 degrees, body 160 degrees, antennas 180 degrees, duration above 0",
    good: "from reachy_mini.utils import create_head_pose\nrobot.goto_target(head=create_head_pose(pitch=30))",
    bad: "from reachy_mini.utils import create_head_pose\nrobot.goto_target(head=create_head_pose(pitch=75))",
};

/// Degrees instead of radians, millimetres instead of metres, or the reverse.
pub const WRONG_UNIT: Rule = Rule {
    id: "wrong-unit",
    verdict: NeedsApproval,
    reason: "The motion would be sixty or a thousand times too large or too small.",
    advice: "create_head_pose takes degrees (unless degrees=False) and metres (unless mm=True); antennas and body_yaw are \
             radians: math.radians(...); look_at_world takes metres; durations and sleeps are seconds",
    good: "import math\nangle_deg = 20.0\nrobot.set_target(body_yaw=math.radians(angle_deg))",
    bad: "import math\nfrom reachy_mini.utils import create_head_pose\nrobot.set_target(head=create_head_pose(pitch=math.radians(20)))",
};

/// A number so small or so large that another unit was probably meant.
pub const DOUBTFUL_UNIT: Rule = Rule {
    id: "doubtful-unit",
    verdict: Pass,
    reason: "A turn of a third of a degree is not visible, and a point twenty metres away is too far.",
    advice: "create_head_pose takes degrees and metres, unless degrees=False or mm=True; look_at_world takes metres",
    good: "from reachy_mini.utils import create_head_pose\nrobot.goto_target(head=create_head_pose(pitch=0.3, degrees=False))",
    bad: "from reachy_mini.utils import create_head_pose\nrobot.goto_target(head=create_head_pose(pitch=0.3))",
};

/// A step of the module `motion` that it rejects when the tool runs.
pub const INVALID_STEP: Rule = Rule {
    id: "invalid-step",
    verdict: Reject,
    reason: "The steps contradict each other, or something that is no step stands in place of one.",
    advice: "write `perform(robot, STEP, ...)` with steps such as `head(down=15)`; one word for each axis, and each axis in \
             one track of `together` only",
    good: "from motion import antennas, head, perform, together\nperform(robot, together(head(left=20), antennas(both=30)))",
    bad: "from motion import head, perform, together\nperform(robot, together(head(left=20), head(right=20)))",
};

/// `while True` that neither ends nor waits.
pub const BUSY_LOOP: Rule = Rule {
    id: "busy-loop",
    verdict: Reject,
    reason: "A loop that neither ends nor waits uses a whole processor for nothing.",
    advice: "count, or loop until a deadline, and sleep in between",
    good: "while n > 0:\n    n -= 1",
    bad: "while True:\n    n += 1",
};

/// `while True` that waits but does not end.
pub const ENDLESS_LOOP: Rule = Rule {
    id: "endless-loop",
    verdict: NeedsApproval,
    reason: "Only the budget or a stop ends this loop.",
    advice: "loop until a deadline: `while time.monotonic() < deadline:`",
    good: "import time\ndeadline = time.monotonic() + 1.0\nwhile time.monotonic() < deadline:\n    time.sleep(0.1)",
    bad: "import time\nwhile True:\n    time.sleep(0.1)",
};

/// A function that always calls itself.
pub const ENDLESS_RECURSION: Rule = Rule {
    id: "endless-recursion",
    verdict: Reject,
    reason: "It calls itself before anything can end it, until the interpreter fails.",
    advice: "test for the last step first and return there, or use a loop",
    good: "def count(x: int) -> int:\n    if x <= 0:\n        return 0\n    return 1 + count(x - 1)\nn = count(n)",
    bad: "def count(x: int) -> int:\n    return 1 + count(x - 1)\nn = count(n)",
};

/// A sleep longer than the tool's time budget.
pub const LONG_SLEEP: Rule = Rule {
    id: "long-sleep",
    verdict: Reject,
    reason: "The sleep alone is over the budget of a tool (120 seconds).",
    advice: "sleep less, or call the tool again later",
    good: "import time\ntime.sleep(0.5)",
    bad: "import time\ntime.sleep(3600)",
};

/// `time.sleep` in a coroutine.
pub const BLOCKING_SLEEP: Rule = Rule {
    id: "blocking-sleep",
    verdict: NeedsApproval,
    reason: "It blocks every other coroutine of the tool.",
    advice: "await asyncio.sleep(...)",
    good: "import asyncio\nasync def pause() -> None:\n    await asyncio.sleep(0.1)\nprint(pause)",
    bad: "import time\nasync def pause() -> None:\n    time.sleep(0.1)\nprint(pause)",
};

/// A blocking call in a coroutine.
pub const BLOCKING_CALL: Rule = Rule {
    id: "blocking-call",
    verdict: NeedsApproval,
    reason: "A loop is running already, so the call fails at once.",
    advice: "await the coroutine: `await step()`; run it concurrently with `asyncio.create_task(step())`",
    good: "import asyncio\nasync def step() -> None:\n    await asyncio.sleep(0.1)\nasync def steps() -> None:\n    await step()\nprint(steps)",
    bad: "import asyncio\nasync def step() -> None:\n    await asyncio.sleep(0.1)\nasync def steps() -> None:\n    asyncio.run(step())\nprint(steps)",
};

/// A motion in a coroutine that blocks until it ends.
pub const BLOCKING_MOTION: Rule = Rule {
    id: "blocking-motion",
    verdict: Pass,
    reason: "No other coroutine of the tool runs until the motion ends.",
    advice: "that is fine if nothing else has to run; otherwise, stream `set_target` with `await asyncio.sleep(0.02)`, \
             or `await robot.async_play_move(...)`",
    good: "import asyncio\nasync def turn() -> None:\n    robot.set_target(body_yaw=0.1)\n    await asyncio.sleep(0.5)\nprint(turn)",
    bad: "async def turn() -> None:\n    robot.goto_target(body_yaw=0.1)\nprint(turn)",
};

/// A coroutine that is created and never awaited.
pub const FORGOTTEN_AWAIT: Rule = Rule {
    id: "forgotten-await",
    verdict: NeedsApproval,
    reason: "Calling a coroutine function does nothing until its result is awaited.",
    advice: "write `await` in front of it",
    good: "import asyncio\nasync def pause() -> None:\n    await asyncio.sleep(0.1)\nprint(pause)",
    bad: "import asyncio\nasync def pause() -> None:\n    asyncio.sleep(0.1)\nprint(pause)",
};

/// A handler that catches everything and reports nothing.
pub const SWALLOWED_EXCEPTION: Rule = Rule {
    id: "swallowed-exception",
    verdict: NeedsApproval,
    reason: "The tool would report success after a rejected motion or an error.",
    advice: "catch the exception that you expect, and return or raise the error",
    good: "try:\n    robot.wake_up()\nexcept ValueError as error:\n    print(error)",
    bad: "try:\n    robot.wake_up()\nexcept Exception:\n    pass",
};

/// A failure that is returned as a success.
pub const HIDDEN_FAILURE: Rule = Rule {
    id: "hidden-failure",
    verdict: NeedsApproval,
    reason: "The caller receives a success although the tool failed.",
    advice: "let the exception propagate, or return the error: `return f'failed: {error}'`; no `return` in `finally`",
    good: "def look() -> str:\n    try:\n        robot.look_at_world(0.5, 0.0, 0.0)\n    except ValueError as error:\n        return f'failed: {error}'\n    return 'looked'\nprint(look())",
    bad: "def look() -> str:\n    try:\n        robot.look_at_world(0.5, 0.0, 0.0)\n    except Exception:\n        return 'looked successfully'\n    return 'looked'\nprint(look())",
};

/// Numbers that stand for hours or gigabytes.
pub const HUGE_NUMBER: Rule = Rule {
    id: "huge-number",
    verdict: NeedsApproval,
    reason: "That many iterations, items or digits use up the time or memory of a tool.",
    advice: "use a smaller number, or a deadline",
    good: "for i in range(1000):\n    n += i",
    bad: "for i in range(10 ** 9):\n    n += i",
};

/// A function that is too complex to review.
pub const TOO_COMPLEX: Rule = Rule {
    id: "too-complex",
    verdict: NeedsApproval,
    reason: "A reviewer cannot follow a function with more than 30 branches, 120 statements, or blocks 6 deep.",
    advice: "split it into helpers whose names start with an underscore",
    good: "if n > 1:\n    n -= 1",
    bad: "if n:\n if n:\n  if n:\n   if n:\n    if n:\n     if n:\n      if n:\n       if n:\n        n = 0",
};

/// Statements after a `return`, `raise`, `break` or `continue`.
pub const UNREACHABLE_CODE: Rule = Rule {
    id: "unreachable-code",
    verdict: Pass,
    reason: "It never runs, so it is a mistake or dead code.",
    advice: "delete it, or move it before the exit",
    good: "if n > 3:\n    return 3",
    bad: "return 3\nprint(n)",
};

/// A parameter that nothing reads.
pub const UNUSED_PARAMETER: Rule = Rule {
    id: "unused-parameter",
    verdict: Pass,
    reason: "Callers expect the argument to have an effect.",
    advice: "use it or delete it; `_name` marks it as unused",
    good: "def twice(x: int) -> int:\n    return 2 * x\nprint(twice(n))",
    bad: "def twice(x: int) -> int:\n    return 2\nprint(twice(n))",
};

/// A parameter that is overwritten before it is read.
pub const SHADOWED_PARAMETER: Rule = Rule {
    id: "shadowed-parameter",
    verdict: Pass,
    reason: "The caller's argument is discarded before anything reads it.",
    advice: "use the argument, or give the other value another name",
    good: "def twice(x: int) -> int:\n    x = max(x, 0)\n    return 2 * x\nprint(twice(n))",
    bad: "def twice(x: int) -> int:\n    x = 4\n    return 2 * x\nprint(twice(n))",
};

/// A list, dict or set as a default.
pub const MUTABLE_DEFAULT: Rule = Rule {
    id: "mutable-default",
    verdict: Pass,
    reason: "All calls share the one object: a change in one call is visible in the next.",
    advice: "use `None` as the default, or a tuple",
    good: "def total(steps: tuple[int, ...] = ()) -> int:\n    return sum(steps)\nprint(total())",
    bad: "def total(steps: list[int] = []) -> int:\n    return sum(steps)\nprint(total())",
};

/// An exact comparison with a fraction.
pub const EXACT_COMPARISON: Rule = Rule {
    id: "exact-comparison",
    verdict: Pass,
    reason: "Measured positions and computed fractions are rarely exactly equal.",
    advice: "write `math.isclose(a, b, abs_tol=...)` or `abs(a - b) < ...`",
    good: "if abs(n - 0.3) < 0.01:\n    n = 1",
    bad: "if n == 0.3:\n    n = 1",
};
