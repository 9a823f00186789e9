//! Rules about how a tool behaves: with the robot, with time, and with resources.

use super::{
    Rule,
    Verdict::{Ask, Refuse},
};

/// In reading order.
pub(super) const RULES: &[Rule] = &[
    ROBOT_CONSTRUCTED,
    UNKNOWN_ROBOT_METHOD,
    UNKNOWN_ARGUMENT,
    OUT_OF_RANGE,
    BUSY_LOOP,
    ENDLESS_LOOP,
    LONG_SLEEP,
    BLOCKING_SLEEP,
    SWALLOWED_EXCEPTION,
    HUGE_NUMBER,
    TOO_COMPLEX,
];

/// `ReachyMini()`.
pub const ROBOT_CONSTRUCTED: Rule = Rule {
    id: "robot-constructed",
    verdict: Refuse,
    reason: "The stage supplies the robot: the mock in rehearsal, the real one in performance.",
    advice: "take it as the first parameter: `robot: ReachyMini`",
    good: "robot.wake_up()",
    bad: "with ReachyMini() as other:\n    other.wake_up()",
};

/// A robot attribute that the official SDK does not have, or that is not offered here.
pub const UNKNOWN_ROBOT_METHOD: Rule = Rule {
    id: "unknown-robot-method",
    verdict: Refuse,
    reason: "The robot has the official SDK's methods and no others.",
    advice: "use a method of the official Reachy Mini SDK",
    good: "robot.goto_target(antennas=[0.1, 0.1], duration=0.5, body_yaw=None)",
    bad: "robot.go_to_target(antennas=[0.1, 0.1])",
};

/// An argument that the method does not have.
pub const UNKNOWN_ARGUMENT: Rule = Rule {
    id: "unknown-argument",
    verdict: Refuse,
    reason: "A misspelt argument fails in the middle of a motion.",
    advice: "use the official SDK's argument names",
    good: "robot.look_at_world(0.5, 0.0, 0.1, duration=1.0)",
    bad: "robot.look_at_world(0.5, 0.0, 0.1, time=1.0)",
};

/// A literal that the body cannot reach.
pub const OUT_OF_RANGE: Rule = Rule {
    id: "out-of-range",
    verdict: Refuse,
    reason: "The body cannot do it: the motion would be trimmed or refused.",
    advice: "stay within reach: roll and pitch 40 degrees, body 160 degrees, antennas 180 degrees, duration above 0",
    good: "from reachy_mini.utils import create_head_pose\nrobot.goto_target(head=create_head_pose(pitch=30))",
    bad: "from reachy_mini.utils import create_head_pose\nrobot.goto_target(head=create_head_pose(pitch=75))",
};

/// `while True` that neither ends nor waits.
pub const BUSY_LOOP: Rule = Rule {
    id: "busy-loop",
    verdict: Refuse,
    reason: "A loop without an end and without a pause uses a whole processor for nothing.",
    advice: "count, or loop until a deadline, and sleep in between",
    good: "while n > 0:\n    n -= 1",
    bad: "while True:\n    n += 1",
};

/// `while True` that waits but does not end.
pub const ENDLESS_LOOP: Rule = Rule {
    id: "endless-loop",
    verdict: Ask,
    reason: "Nothing ends this loop but the budget or a stop.",
    advice: "loop until a deadline: `while time.monotonic() < deadline:`",
    good: "import time\ndeadline = time.monotonic() + 1.0\nwhile time.monotonic() < deadline:\n    time.sleep(0.1)",
    bad: "import time\nwhile True:\n    time.sleep(0.1)",
};

/// A sleep longer than a tool may take.
pub const LONG_SLEEP: Rule = Rule {
    id: "long-sleep",
    verdict: Refuse,
    reason: "The sleep alone is over the budget of a tool (120 seconds).",
    advice: "sleep less, or call the tool again later",
    good: "import time\ntime.sleep(0.5)",
    bad: "import time\ntime.sleep(3600)",
};

/// `time.sleep` in a coroutine.
pub const BLOCKING_SLEEP: Rule = Rule {
    id: "blocking-sleep",
    verdict: Ask,
    reason: "It stops every other coroutine of the tool as well.",
    advice: "await asyncio.sleep(...)",
    good: "import asyncio\nasync def pause() -> None:\n    await asyncio.sleep(0.1)\nprint(pause)",
    bad: "import time\nasync def pause() -> None:\n    time.sleep(0.1)\nprint(pause)",
};

/// A handler that catches everything and says nothing.
pub const SWALLOWED_EXCEPTION: Rule = Rule {
    id: "swallowed-exception",
    verdict: Ask,
    reason: "The tool would report success after a refused motion or an error.",
    advice: "catch the exception that you expect, and return or raise what happened",
    good: "try:\n    robot.wake_up()\nexcept ValueError as error:\n    print(error)",
    bad: "try:\n    robot.wake_up()\nexcept Exception:\n    pass",
};

/// Numbers that mean hours or gigabytes.
pub const HUGE_NUMBER: Rule = Rule {
    id: "huge-number",
    verdict: Ask,
    reason: "That many rounds, items or digits use up the time or memory of a tool.",
    advice: "use a smaller number, or a deadline",
    good: "for i in range(1000):\n    n += i",
    bad: "for i in range(10 ** 9):\n    n += i",
};

/// A function that nobody can review.
pub const TOO_COMPLEX: Rule = Rule {
    id: "too-complex",
    verdict: Ask,
    reason: "A reviewer cannot follow a function with so many branches or such depth.",
    advice: "split it into helpers whose names start with an underscore",
    good: "if n > 1:\n    n -= 1",
    bad: "if n:\n if n:\n  if n:\n   if n:\n    if n:\n     if n:\n      if n:\n       if n:\n        n = 0",
};
