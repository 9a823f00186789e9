"""A language for motion on the official Reachy Mini SDK: steps are values, and `perform` runs them.

    return perform(robot, head(left=20), wait(0.5), neutral(), speed=speed)

Nothing moves until `perform`. Angles are degrees, lengths millimetres, times seconds; all are absolute to the neutral posture
and never negative, because the direction is a word (left, right, up, down). An axis that is not named keeps its goal. Any
number but `times` may be a `ramp` inside `repeat`.

The file needs the standard library and `reachy_mini` only. Copy it beside a tool to run the tool with the official package.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose
from reachy_mini.utils.interpolation import InterpolationTechnique

try:
    import minismith  # type: ignore[import-not-found]
except ImportError:
    # The official package.
    minismith = None

__all__ = [
    "Event", "Ramp", "Step", "antennas", "as_long_as", "body", "clap", "face", "head", "neutral", "otherwise", "perform", "photo", "play", "ramp",
    "repeat", "sequence", "sound", "thing", "tilted", "together", "touch", "until", "voice", "wait", "when", "whenever",
]  # fmt: skip

# For each part: its words, with the axis, the sign and the largest value of each.
HEAD = {
    "left": ("head_turn", 1, 60), "right": ("head_turn", -1, 60),
    "up": ("head_pitch", -1, 35), "down": ("head_pitch", 1, 35),
    "tilt_left": ("head_tilt", -1, 30), "tilt_right": ("head_tilt", 1, 30),
    "forward_mm": ("head_forward", 1, 20), "back_mm": ("head_forward", -1, 20),
    "rise_mm": ("head_rise", 1, 20), "lower_mm": ("head_rise", -1, 40),
    "side_left_mm": ("head_side", 1, 15), "side_right_mm": ("head_side", -1, 15),
}  # fmt: skip
ANTENNAS = {
    "left": ("antenna_left", 1, 170), "left_inward": ("antenna_left", -1, 170),
    "right": ("antenna_right", 1, 170), "right_inward": ("antenna_right", -1, 170),
}  # fmt: skip
BODY = {"left": ("body_turn", 1, 160), "right": ("body_turn", -1, 160)}

HEAD_AXES = ("head_turn", "head_pitch", "head_tilt", "head_forward", "head_side", "head_rise")
ANTENNA_AXES = ("antenna_left", "antenna_right")
NEUTRAL: dict[str, float] = {**dict.fromkeys(HEAD_AXES, 0.0), "body_turn": 0.0, **dict.fromkeys(ANTENNA_AXES, -10.0)}

# Default duration of a move: degrees or millimetres per second, and the least seconds.
PACE = {
    **dict.fromkeys(HEAD_AXES[:3], (30.0, 0.4)),
    **dict.fromkeys(HEAD_AXES[3:], (20.0, 0.4)),
    "body_turn": (45.0, 0.6),
    **dict.fromkeys(ANTENNA_AXES, (90.0, 0.3)),
}
EASINGS = ("minjerk", "linear", "ease_in_out", "cartoon")

MAX_SECONDS = 120.0
MAX_STEPS = 5000
STREAM_PERIOD = 0.02
POLL_PERIOD = 0.1
# An event holds for so long after it was last seen, because detectors miss single images. The robot needs as long to come to
# rest after a motion.
HOLD_SECONDS = 0.5
# A measured axis this close to neutral counts as neutral, in degrees and millimetres.
CLOSE_DEG, CLOSE_MM = 3.0, 4.0
# Displacement of the head that counts as a touch, and inclination that counts as a tilt.
TOUCH_DEG, TOUCH_MM, TILT_DEG = 6.0, 6.0, 15.0
# A clap is a peak of the sound signal (full scale is 1) above this value and this multiple of the usual level.
CLAP_PEAK, CLAP_RATIO = 0.25, 6.0
# Seconds that the dry run assumes for what it cannot know.
PLAY_SECONDS = {"wake_up": 3.0, "go_to_sleep": 5.0}
MOVE_SECONDS = 10.0
PLAYED = {"wake_up": "woke up", "go_to_sleep": "went to sleep"}
_NOTICED = {
    "face": "a face", "voice": "a voice", "clap": "a clap", "touch": "a touch", "tilted": "that it was tilted"
}  # fmt: skip
# The weight of face tracking that observes and does not move the head.
OBSERVE_ONLY = 1e-6 if minismith is None else 0.0
MOVE_LIBRARIES = ("pollen-robotics/reachy-mini-emotions-library", "pollen-robotics/reachy-mini-dances-library")


@dataclass(frozen=True)
class Ramp:
    """A number that goes from `first` to `last` over the rounds of the nearest enclosing `repeat`."""

    first: float
    last: float


Amount = float | Ramp


@dataclass(frozen=True)
class Event:
    """Something that the robot can notice: `face()`, `thing(name)`, `voice()`, `clap()`, `touch()` or `tilted()`."""

    kind: str
    name: str = ""


@dataclass(frozen=True)
class Step:
    """One step. Only the functions of this module make steps."""

    kind: str
    # What it is called in messages; for `play` and `sound`, the name that they were given.
    name: str
    steps: tuple[Step, ...] = ()
    # Of a move: each axis with the sign and size of its target. Its seconds may be left to the pace.
    targets: tuple[tuple[str, int, Amount], ...] = ()
    seconds: Amount | None = None
    easing: str = "minjerk"
    times: int = 1
    event: Event | None = None


def _amount(what: str, value: object, low: float, high: float) -> Amount:
    """Checks a number, or both ends of a ramp."""
    for number in (value.first, value.last) if isinstance(value, Ramp) else (value,):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise TypeError(f"{what} must be a number, not {number!r}")
        if not low <= number <= high:
            raise ValueError(f"{what} must be between {low:g} and {high:g}, not {number:g}")
    return value  # type: ignore[return-value]


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a text, not {value!r}")
    if not re.fullmatch(r"[A-Za-z0-9_. -]{1,64}", value):
        raise ValueError(f"{what} must be 1 to 64 letters, digits, blanks, or `_`, `-` and `.`, not {value!r}")
    return value


def _steps(what: str, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    for step in steps:
        if not isinstance(step, Step):
            raise TypeError(f"{what}() takes steps such as head(down=15), not {step!r}")
    if not steps:
        raise ValueError(f"{what}() needs at least one step")
    if any(step.kind == "otherwise" for step in (steps[:-1] if what == "when" else steps)):
        raise ValueError("otherwise() stands at the end of a when()")
    return steps


def _move(
    part: str,
    words: dict[str, tuple[str, int, int]],
    given: dict[str, Amount | None],
    seconds: Amount | None,
    easing: str,
) -> Step:
    """A move of one part. Without any word, all its axes go to neutral."""
    targets: dict[str, tuple[str, int, Amount]] = {}
    said: dict[str, str] = {}
    for word, value in given.items():
        if value is None:
            continue
        axis, sign, high = words[word]
        if axis in targets:
            raise ValueError(f"{part}() takes one of {said[axis]} and {word}, not both")
        targets[axis], said[axis] = (axis, sign, _amount(f"{part}({word}=...)", value, 0, high)), word
    if not targets:
        targets = {axis: (axis, 1, NEUTRAL[axis]) for axis, _, _ in words.values()}
    label = f"{part}({', '.join(f'{word}={_shown(value)}' for word, value in given.items() if value is not None)})"
    return _moving(part, label, tuple(targets.values()), seconds, easing)


def _moving(part: str, label: str, targets: tuple[tuple[str, int, Amount], ...], seconds: Amount | None, easing: str) -> Step:
    if seconds is not None:
        _amount(f"{part}(seconds=...)", seconds, 0.1, 60)
    if easing not in EASINGS:
        raise ValueError(f"easing must be one of {', '.join(EASINGS)}, not {easing!r}")
    return Step("move", label, targets=targets, seconds=seconds, easing=easing)


def _shown(value: Amount) -> str:
    return f"ramp({value.first:g}, {value.last:g})" if isinstance(value, Ramp) else f"{value:g}"


def head(
    *,
    left: Amount | None = None,
    right: Amount | None = None,
    up: Amount | None = None,
    down: Amount | None = None,
    tilt_left: Amount | None = None,
    tilt_right: Amount | None = None,
    forward_mm: Amount | None = None,
    back_mm: Amount | None = None,
    rise_mm: Amount | None = None,
    lower_mm: Amount | None = None,
    side_left_mm: Amount | None = None,
    side_right_mm: Amount | None = None,
    seconds: Amount | None = None,
    easing: str = "minjerk",
) -> Step:
    """Moves the named axes of the head; `head()` moves all of them to neutral.

    Args:
        left: Turn to the left, relative to the body, 0 to 60 degrees. Also `right`.
        up: Look up, 0 to 35 degrees. Also `down`.
        tilt_left: Lean to the left shoulder, 0 to 30 degrees. Also `tilt_right`.
        forward_mm: Shift ahead, 0 to 20 mm. Also `back_mm`.
        rise_mm: Raise, 0 to 20 mm. Also `lower_mm`, 0 to 40 mm.
        side_left_mm: Shift to the left, 0 to 15 mm. Also `side_right_mm`.
        seconds: Duration, 0.1 to 60. Default: 1 s per 30 degrees or 20 mm of the largest change, at least 0.4.
        easing: `minjerk`, `linear`, `ease_in_out` or `cartoon`.
    """
    given = {
        "left": left, "right": right, "up": up, "down": down, "tilt_left": tilt_left, "tilt_right": tilt_right,
        "forward_mm": forward_mm, "back_mm": back_mm, "rise_mm": rise_mm, "lower_mm": lower_mm,
        "side_left_mm": side_left_mm, "side_right_mm": side_right_mm,
    }  # fmt: skip
    return _move("head", HEAD, given, seconds, easing)


def antennas(
    *,
    left: Amount | None = None,
    right: Amount | None = None,
    both: Amount | None = None,
    left_inward: Amount | None = None,
    right_inward: Amount | None = None,
    both_inward: Amount | None = None,
    seconds: Amount | None = None,
    easing: str = "minjerk",
) -> Step:
    """Moves the named antennas; `antennas()` moves both to neutral, 10 degrees inwards.

    Args:
        left: Left antenna outwards, away from the head; 0 is upright, 170 hangs down. Also `right` and `both`.
        left_inward: Left antenna inwards, over the head, 0 to 170 degrees. Also `right_inward` and `both_inward`.
        seconds: Duration, 0.1 to 60. Default: 1 s per 90 degrees of the largest change, at least 0.3.
        easing: `minjerk`, `linear`, `ease_in_out` or `cartoon`.
    """
    if both is not None or both_inward is not None:
        if [left, right, both, left_inward, right_inward, both_inward].count(None) < 5:
            raise ValueError("antennas() takes both or both_inward alone, or words for left and right")
        left = right = both
        left_inward = right_inward = both_inward
    given = {"left": left, "right": right, "left_inward": left_inward, "right_inward": right_inward}
    return _move("antennas", ANTENNAS, given, seconds, easing)


def body(
    *, left: Amount | None = None, right: Amount | None = None, seconds: Amount | None = None, easing: str = "minjerk"
) -> Step:
    """Turns the body, and the head with it; `body()` turns it straight ahead.

    Args:
        left: Angle to the left, 0 to 160 degrees. Also `right`.
        seconds: Duration, 0.1 to 60. Default: 1 s per 45 degrees, at least 0.6.
        easing: `minjerk`, `linear`, `ease_in_out` or `cartoon`.
    """
    return _move("body", BODY, {"left": left, "right": right}, seconds, easing)


def neutral(*, seconds: Amount | None = None, easing: str = "minjerk") -> Step:
    """Moves head, body and antennas to the neutral posture. The default duration is that of the slowest part."""
    return _moving("neutral", "neutral()", tuple((axis, 1, value) for axis, value in NEUTRAL.items()), seconds, easing)


def wait(seconds: Amount) -> Step:
    """Waits, 0 to 60 seconds. The `speed` of `perform` does not change it."""
    return Step("wait", "wait", seconds=_amount("wait(...)", seconds, 0, 60))


def repeat(times: int, *steps: Step) -> Step:
    """Runs the steps 1 to 50 times."""
    if isinstance(times, bool) or not isinstance(times, int):
        raise TypeError(f"repeat() takes a whole number of times, not {times!r}")
    _amount("the times of repeat()", times, 1, 50)
    return Step("repeat", "repeat", _steps("repeat", steps), times=times)


def together(*steps: Step) -> Step:
    """Runs the steps at the same time, each as a track of its own, until the longest ends. No two may name one axis."""
    taken: set[str] = set()
    for step in _steps("together", steps):
        axes = _axes(step)
        if both := taken & axes:
            raise ValueError(f"two tracks of together() name the same axis: {', '.join(sorted(both))}")
        taken |= axes
    return Step("together", "together", steps)


def sequence(*steps: Step) -> Step:
    """Runs the steps one after another; a track of `together` with several steps."""
    return Step("sequence", "sequence", _steps("sequence", steps))


def ramp(first: float, last: float) -> Ramp:
    """A number that goes linearly from `first` to `last` over the rounds of the nearest enclosing `repeat`."""
    for number in (first, last):
        _amount("ramp(...)", number, 0, math.inf)
    return Ramp(first, last)


def play(name: str, /) -> Step:
    """Plays `"wake_up"`, `"go_to_sleep"` or a recorded move: in Minismith a tool made from a recording, with the official
    package a move of its emotions or dances library."""
    return Step("play", _text("the name of play()", name))


def sound(name: str, /) -> Step:
    """Starts a sound file of the robot and does not wait for its end."""
    return Step("sound", _text("the name of sound()", name))


def photo() -> Step:
    """Takes a photo: in Minismith a file of the run, with the official package `photo-1.jpg` in the current folder."""
    return Step("photo", "photo")


def _react(how: str, event: Event, steps: tuple[Step, ...], what: str, seconds: Amount) -> Step:
    if not isinstance(event, Event):
        raise TypeError(f"{how}() takes an event such as face() first, not {event!r}")
    limit = _amount(f"{how}({what}=...)", seconds, 0.1, MAX_SECONDS)
    return Step(how, how, _steps(how, steps), seconds=limit, event=event)


def when(event: Event, *steps: Step, within: Amount = 20) -> Step:
    """Waits up to `within` seconds (0.1 to 120) for the event. If it comes, runs the steps once; if not, those of `otherwise`."""
    return _react("when", event, steps, "within", within)


def otherwise(*steps: Step) -> Step:
    """The last step of `when`: runs the steps if the event does not come in time."""
    return Step("otherwise", "otherwise", _steps("otherwise", steps))


def whenever(event: Event, *steps: Step, seconds: Amount = 20) -> Step:
    """For `seconds` (0.1 to 120): each time that the event is noticed, runs the steps."""
    return _react("whenever", event, steps, "seconds", seconds)


def as_long_as(event: Event, *steps: Step, at_most: Amount = 20) -> Step:
    """Repeats the steps while the event holds, for at most `at_most` seconds (0.1 to 120)."""
    return _react("as_long_as", event, steps, "at_most", at_most)


def until(event: Event, *steps: Step, at_most: Amount = 20) -> Step:
    """Repeats the steps until the event comes, for at most `at_most` seconds (0.1 to 120)."""
    return _react("until", event, steps, "at_most", at_most)


def face() -> Event:
    """A face is visible to the camera."""
    return Event("face")


def thing(name: str, /) -> Event:
    """An object of this COCO class, such as `"cup"`, is visible to the camera."""
    return Event("thing", _text("the name of thing()", name))


def voice() -> Event:
    """Somebody speaks."""
    return Event("voice")


def clap() -> Event:
    """A clap: a sudden loud sound."""
    return Event("clap")


def touch() -> Event:
    """The head, at rest, is displaced by more than 6 degrees or 6 mm."""
    return Event("touch")


def tilted() -> Event:
    """The robot, at rest, is inclined by more than 15 degrees. Never comes on a robot without an IMU."""
    return Event("tilted")


def _axes(step: Step) -> set[str]:
    """The axes that a step may move."""
    if step.kind == "play":
        return set(NEUTRAL)
    return {axis for axis, _, _ in step.targets}.union(*map(_axes, step.steps))


def _within(step: Step) -> Iterator[Step]:
    """A step and all steps inside it."""
    yield step
    for inner in step.steps:
        yield from _within(inner)


def _events(step: Step) -> set[Event]:
    """The events that a step waits for."""
    return ({step.event} if step.event else set()).union(*map(_events, step.steps))


def perform(robot: ReachyMini, *steps: Step, speed: float = 1.0) -> str:
    """Runs the steps one after another on the robot and returns a sentence about what was sent.

    It begins from the measured posture. The steps are tried without the robot first, so that a mistake in any of them moves
    nothing.

    Args:
        robot: The robot.
        steps: What to do.
        speed: The tempo of all moves, 0.1 to 4.

    Raises:
        ValueError: If the steps could take more than 120 s, are more than 5000, contain a `ramp` outside of `repeat`, or lead
            to a pose that the robot cannot reach.
        TypeError: If an argument is not a step.
        NotImplementedError: If the robot lacks the sense that an event needs.
    """
    _amount("speed", speed, 0.1, 4)
    whole = Step("sequence", "perform", _steps("perform", steps))
    _Player(None, {}, speed).run(whole)
    if any(step.kind == "otherwise" for step in _within(whole)):
        _Player(None, {}, speed, comes=False).run(whole)
    senses = {event: _Sense(robot, event) for event in sorted(_events(whole), key=repr)}
    player = _Player(robot, senses, speed)
    try:
        for sense in senses.values():
            sense.begin()
        player.run(whole)
    finally:
        for sense in senses.values():
            sense.end()
    return player.summary()


@dataclass(eq=False)
class _Piece:
    """A move in progress: from and to of each axis, and its times on the clock of the player."""

    step: Step
    ways: dict[str, tuple[float, float]]
    start: float
    end: float

    def at(self, now: float) -> dict[str, float]:
        done = 1.0 if now >= self.end else _eased(self.step.easing, (now - self.start) / (self.end - self.start))
        return {axis: first + (last - first) * done for axis, (first, last) in self.ways.items()}


def _eased(easing: str, t: float) -> float:
    """The fraction of the way after the fraction `t` of the time; the formulas of the official SDK."""
    if easing == "linear":
        return t
    if easing == "minjerk":
        return t**3 * (10 + t * (6 * t - 15))
    if easing == "ease_in_out":
        return 2 * t * t if t < 0.5 else 1 - 2 * (1 - t) ** 2
    over, u = 1.70158 * 1.525, 2 * t if t < 0.5 else 2 * t - 2
    return u * u * ((over + 1) * u - over) / 2 if t < 0.5 else (u * u * ((over + 1) * u + over) + 2) / 2


@dataclass(eq=False)
class _Scope:
    """A round of `until` or `as_long_as`, which can end early."""

    outer: _Scope | None = None
    ended: bool = False

    def over(self) -> bool:
        return self.ended or (self.outer is not None and self.outer.over())


@dataclass(eq=False)
class _Player:
    """Runs steps as generators that yield the time at which they need attention next. Without a robot it only counts."""

    robot: ReachyMini | None
    senses: dict[Event, _Sense]
    speed: float
    # Without a robot: whether events come, at the last moment.
    comes: bool = True
    now: float = 0.0
    lag: float = 0.0
    moved: float = -math.inf
    steps: int = 0
    goal: dict[str, float] = field(default_factory=lambda: dict(NEUTRAL))
    pieces: list[_Piece] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def run(self, step: Step) -> None:
        if self.robot is not None:
            self.goal = _posture(self.robot)
        self.lag = time.monotonic()
        for wake in self.step(step, _Scope(), None):
            if self.robot is None:
                self.now = max(self.now, wake)
            else:
                self.advance(wake)
            self.check()

    def check(self) -> None:
        if self.robot is None and self.now > MAX_SECONDS:
            raise ValueError(f"the steps may take more than {MAX_SECONDS:g} s; make them shorter or fewer")
        if self.steps > MAX_STEPS:
            raise ValueError(f"the steps are more than {MAX_STEPS}; repeat fewer times")

    def after(self, seconds: float) -> float:
        """The time so much later, in whole microseconds, so that tracks that end together end at the same number."""
        return round(self.now + seconds, 6)

    def step(self, step: Step, scope: _Scope, turn: float | None) -> Iterator[float]:
        """Runs a step. `turn` is the share of the rounds of the nearest repeat that are done, for ramps."""
        self.steps += 1
        self.check()
        match step.kind:
            case "move":
                yield from self.move(step, turn)
            case "wait":
                end = self.after(_value(step.seconds, turn))
                while self.now < end and not scope.over():
                    yield end
            case "play":
                yield self.now
                self.play(step.name)
                yield self.now
            case "sound":
                self.count("sound")
                if self.robot is not None:
                    self.robot.media.play_sound(step.name)
            case "photo":
                self.count("photo")
                if self.robot is not None:
                    _keep_photo(self.robot)
            case "sequence":
                yield from self.sequence(step.steps, scope, turn)
            case "repeat":
                for i in range(step.times):
                    yield from self.sequence(step.steps, scope, i / max(step.times - 1, 1))
            case "together":
                yield from self.together([self.step(track, scope, turn) for track in step.steps])
            case "until" | "as_long_as":
                yield from self.rounds(step, scope, turn)
            case _:
                yield from self.reaction(step, scope, turn)

    def sequence(self, steps: tuple[Step, ...], scope: _Scope, turn: float | None) -> Iterator[float]:
        for step in steps:
            if scope.over():
                return
            yield from self.step(step, scope, turn)

    def together(self, tracks: list[Iterator[float]]) -> Iterator[float]:
        while True:
            wakes = [(track, next(track, None)) for track in tracks]
            tracks = [track for track, wake in wakes if wake is not None]
            if not tracks:
                return
            yield min(wake for _, wake in wakes if wake is not None)

    def move(self, step: Step, turn: float | None) -> Iterator[float]:
        ways = {axis: (self.goal[axis], sign * _value(value, turn)) for axis, sign, value in step.targets}
        if step.seconds is not None:
            seconds = _value(step.seconds, turn)
        else:
            paces = [(abs(last - first), *PACE[axis]) for axis, (first, last) in ways.items()]
            seconds = max(max(change / pace, least) for change, pace, least in paces)
        piece = _Piece(step, ways, self.now, self.after(seconds / self.speed))
        self.pieces.append(piece)
        while self.now < piece.end:
            yield piece.end
        self.pieces.remove(piece)
        self.goal.update({axis: last for axis, (_, last) in ways.items()})
        for part, axes in (("head", HEAD_AXES), ("body", ("body_turn",)), ("antennas", ANTENNA_AXES)):
            if any(axis in ways for axis in axes):
                self.count(part)

    def play(self, name: str) -> None:
        self.count("move" if name not in PLAY_SECONDS else name)
        robot, began = self.robot, time.monotonic()
        if robot is None:
            self.now += PLAY_SECONDS.get(name, MOVE_SECONDS)
            self.goal = dict(NEUTRAL)
            return
        if name == "wake_up":
            robot.wake_up()
        elif name == "go_to_sleep":
            robot.goto_sleep()
        else:
            _play_recorded(robot, name)
        self.now = self.after(time.monotonic() - began)
        # Waking up ends at neutral; what is measured right after its last nudge is still on the way there.
        self.goal = dict(NEUTRAL) if name == "wake_up" else _posture(robot)

    def reaction(self, step: Step, scope: _Scope, turn: float | None) -> Iterator[float]:
        """Runs the steps of `when` or `whenever` when the event is noticed, and those of `otherwise` if it is not."""
        end = self.after(_value(step.seconds, turn))
        steps, others = step.steps, ()
        if steps[-1].kind == "otherwise":
            steps, others = steps[:-1], steps[-1].steps
        while not scope.over():
            if self.sees(step.event, end):
                yield from self.sequence(steps, scope, turn)
                if step.kind == "when":
                    return
            if self.now >= end:
                yield from self.sequence(others, scope, turn)
                return
            wake = min(self.after(POLL_PERIOD), end)
            while self.now < wake and not scope.over():
                yield wake

    def rounds(self, step: Step, scope: _Scope, turn: float | None) -> Iterator[float]:
        """Repeats the steps of `until` or `as_long_as`, and polls the event while they run."""
        end = self.after(_value(step.seconds, turn))
        seen, own, next_poll = -math.inf, _Scope(scope), self.now
        track: Iterator[float] | None = None
        least = self.now
        while True:
            if self.now >= next_poll and not own.over():
                next_poll = self.after(POLL_PERIOD)
                if step.kind == "until":
                    own.ended = self.sees(step.event, math.inf)
                else:
                    if self.robot is None or self.sees(step.event, math.inf):
                        seen = self.now
                    own.ended = self.now - seen > HOLD_SECONDS
            own.ended = own.ended or self.now >= end
            if track is None and not own.over() and self.now >= least:
                track, least = self.sequence(step.steps, own, turn), self.after(POLL_PERIOD)
            wake = next(track, None) if track is not None else None
            if wake is None:
                track = None
                if own.over():
                    return
                wake = max(least, self.now)
            yield wake if own.over() else min(wake, next_poll, end)

    def sees(self, event: Event | None, end: float) -> bool:
        """Polls an event. The dry run assumes that it comes at the last moment, or never."""
        if self.robot is None or event is None:
            return self.comes and self.now >= end
        sense = self.senses[event]
        before, found = sense.holds, sense.poll(self.now, self.goal, self.now - self.moved)
        if found and not before:
            self.count(f"noticed {_NOTICED.get(event.kind) or 'a ' + event.name}")
        return found

    def count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    def advance(self, wake: float) -> None:
        """Lets time pass until `wake`, and moves the robot along the pieces in progress."""
        pieces, begun = self.pieces, self.now
        if not pieces or wake <= begun:
            time.sleep(max(0.0, self.lag + wake - time.monotonic()))
        elif all(p.start == begun and p.end == wake and p.step.easing == pieces[0].step.easing for p in pieces):
            easing = InterpolationTechnique(pieces[0].step.easing)
            self.send("goto_target", **self.target(wake), duration=round(wake - begun, 6), method=easing)
            # The robot takes a little longer than asked for; what follows is not sent faster to catch up.
            self.lag = time.monotonic() - wake
        else:
            tick = 0
            while self.now < wake:
                late = int((time.monotonic() - self.lag - self.now) / STREAM_PERIOD)
                tick += max(late, 1)
                self.now = min(round(begun + tick * STREAM_PERIOD, 6), wake)
                time.sleep(max(0.0, self.lag + self.now - time.monotonic()))
                self.send("set_target", **self.target(self.now))
        self.now = max(self.now, wake)
        if pieces:
            self.moved = self.now

    def target(self, now: float) -> dict[str, Any]:
        """The arguments of `goto_target` and `set_target` at this time: the parts that move, and None for the others."""
        axes = dict(self.goal)
        moving: set[str] = set()
        for piece in self.pieces:
            axes.update(piece.at(now))
            moving.update(piece.ways)
        turns, swings = "body_turn" in moving, not moving.isdisjoint(ANTENNA_AXES)
        return {
            "head": _head_pose(axes) if turns or not moving.isdisjoint(HEAD_AXES) else None,
            "antennas": [math.radians(axes["antenna_right"]), -math.radians(axes["antenna_left"])] if swings else None,
            "body_yaw": math.radians(axes["body_turn"]) if turns else None,
        }

    def send(self, call: str, /, **arguments: Any) -> None:
        try:
            getattr(self.robot, call)(**arguments)
        except ValueError as error:
            raise ValueError(f"{' with '.join(piece.step.name for piece in self.pieces)}: {error}") from error

    def summary(self) -> str:
        """One sentence about what was sent."""

        def times(what: str) -> str:
            count = self.counts[what]
            return {1: "once", 2: "twice"}.get(count, f"{count} times")

        moved = [f"the {part} {times(part)}" for part in ("head", "body", "antennas") if part in self.counts]
        said = ["moved " + " and ".join(moved)] if moved else []
        for what, phrase in (("sound", "played a sound"), ("photo", "took a photo"), ("move", "played a move"), *PLAYED.items()):
            said += [f"{phrase} {times(what)}"] if what in self.counts else []
        said += [f"{what} {times(what)}" for what in self.counts if what.startswith("noticed ")]
        return f"{', '.join(said) or 'waited'} in {self.now:.1f} s"


@dataclass(eq=False)
class _Sense:
    """Notices one event."""

    robot: ReachyMini
    event: Event
    holds: bool = False
    polled: float = -math.inf
    begun: bool = False
    # Since when the robot rests, and what a touch or a tilt is measured against: known only after it has come to rest.
    resting: float = -math.inf
    settled: bool = False
    upright: tuple[float, ...] | None = None
    level: float = 0.0

    def begin(self) -> None:
        """Starts the sense.

        Raises:
            NotImplementedError: If the robot lacks it.
        """
        kind, media = self.event.kind, self.robot.media if self.event.kind in ("thing", "voice", "clap") else None
        if kind == "face":
            # The official daemon looks for faces only with a weight above zero; this one leaves the head where it is.
            self.robot.start_head_tracking(weight=OBSERVE_ONLY)
        elif kind == "thing" and not hasattr(media, "get_detections"):
            raise NotImplementedError(f"this robot recognises no objects; thing({self.event.name!r}) needs Minismith")
        elif kind == "voice" and (media is None or not hasattr(media, "get_DoA") or media.get_DoA() is None):
            raise NotImplementedError("voice() needs the microphone array of the robot")
        elif kind == "clap":
            if media is None or not hasattr(media, "get_audio_sample") or getattr(media, "audio", media) is None:
                raise NotImplementedError("this robot gives tools no sound; clap() needs a microphone")
            media.start_recording()
        self.begun = True

    def end(self) -> None:
        if self.begun and self.event.kind == "face":
            self.robot.stop_head_tracking()
        elif self.begun and self.event.kind == "clap":
            self.robot.media.stop_recording()

    def poll(self, now: float, goal: dict[str, float], rested: float) -> bool:
        """Returns whether the event holds now; `rested` is the time since the last motion in seconds."""
        if now == self.polled:
            return self.holds
        self.polled = now
        match self.event.kind:
            case "face":
                found = self.robot.get_tracked_face(wait=False)
                self.holds = bool(found is not None and found.detected)
            case "thing":
                media: Any = self.robot.media
                self.holds = any(it["label"] == self.event.name and it["score"] >= 0.5 for it in media.get_detections())
            case "voice":
                heard = self.robot.media.get_DoA()
                self.holds = bool(heard is not None and heard[1])
            case "clap":
                self.holds = self._clap()
            case _:
                if now - rested != self.resting:
                    self.resting, self.settled = now - rested, False
                if rested >= HOLD_SECONDS:
                    self.holds = self._touch(goal) if self.event.kind == "touch" else self._tilt()
        return self.holds

    def _clap(self) -> bool:
        found = False
        # One poll takes what was recorded since the last one.
        for _ in range(50):
            sample = self.robot.media.get_audio_sample()
            if sample is None or len(sample) == 0:
                break
            loudness = abs(sample)
            peak, mean = float(loudness.max()), float(loudness.mean())
            found = found or peak > CLAP_PEAK and peak > CLAP_RATIO * max(self.level, 1e-3)
            self.level += 0.1 * (mean - self.level)
        return found

    def _touch(self, goal: dict[str, float]) -> bool:
        measured, asked = self.robot.get_current_head_pose(), _head_pose(goal)
        trace = sum(float(measured[i][j]) * float(asked[i][j]) for i in range(3) for j in range(3))
        degrees = math.degrees(math.acos(max(-1.0, min(1.0, (trace - 1) / 2))))
        millimetres = 1000 * math.dist([float(measured[i][3]) for i in range(3)], [float(asked[i][3]) for i in range(3)])
        displaced = degrees > TOUCH_DEG or millimetres > TOUCH_MM
        self.settled = self.settled or not displaced
        return self.settled and displaced

    def _tilt(self) -> bool:
        imu: Any = self.robot.imu
        if imu is None:
            return False
        down = tuple(map(float, imu["accelerometer"]))
        if self.upright is None or not (self.settled or self.holds):
            self.upright = down
        self.settled = True
        lengths = math.hypot(*down) * math.hypot(*self.upright)
        cosine = sum(a * b for a, b in zip(down, self.upright, strict=True)) / max(lengths, 1e-9)
        return math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) > TILT_DEG


def _value(amount: Amount | None, turn: float | None) -> float:
    if not isinstance(amount, Ramp):
        return float(amount or 0)
    if turn is None:
        raise ValueError(f"{_shown(amount)} stands outside of repeat()")
    return amount.first + (amount.last - amount.first) * turn


def _head_pose(axes: dict[str, float]) -> Any:
    """The head pose in the world frame. What the axes say is relative to the body, which turns the head with it."""
    turn = math.radians(axes["body_turn"])
    ahead, side = axes["head_forward"], axes["head_side"]
    return create_head_pose(
        x=ahead * math.cos(turn) - side * math.sin(turn),
        y=ahead * math.sin(turn) + side * math.cos(turn),
        z=axes["head_rise"],
        roll=axes["head_tilt"],
        pitch=axes["head_pitch"],
        yaw=axes["body_turn"] + axes["head_turn"],
        mm=True,
        degrees=True,
    )


def _posture(robot: ReachyMini) -> dict[str, float]:
    """The measured posture. An axis close to neutral counts as neutral, because the robot sags a little."""
    pose, (joints, (right, left)) = robot.get_current_head_pose(), robot.get_current_joint_positions()
    m = [[float(pose[i][j]) for j in range(4)] for i in range(3)]
    turn = float(joints[0])
    yaw = math.remainder(math.atan2(m[1][0], m[0][0]) - turn, math.tau)
    axes = {
        "head_turn": math.degrees(yaw),
        "head_pitch": math.degrees(math.asin(max(-1.0, min(1.0, -m[2][0])))),
        "head_tilt": math.degrees(math.atan2(m[2][1], m[2][2])),
        "head_forward": 1000 * (m[0][3] * math.cos(turn) + m[1][3] * math.sin(turn)),
        "head_side": 1000 * (m[1][3] * math.cos(turn) - m[0][3] * math.sin(turn)),
        "head_rise": 1000 * m[2][3],
        "body_turn": math.degrees(turn),
        "antenna_left": -math.degrees(left),
        "antenna_right": math.degrees(right),
    }
    close = {axis: CLOSE_MM if axis in HEAD_AXES[3:] else CLOSE_DEG for axis in axes}
    return {axis: NEUTRAL[axis] if abs(at - NEUTRAL[axis]) <= close[axis] else at for axis, at in axes.items()}


def _keep_photo(robot: ReachyMini) -> None:
    if minismith is not None:
        minismith.keep_photo()
        return
    jpeg = robot.media.get_frame_jpeg()
    if jpeg is None:
        raise RuntimeError("the camera gives no image")
    number = 1
    while (path := Path(f"photo-{number}.jpg")).exists():
        number += 1
    path.write_bytes(jpeg)


def _play_recorded(robot: ReachyMini, name: str) -> None:
    if minismith is not None:
        minismith.exec_function(name)
        return
    from reachy_mini.motion.recorded_move import RecordedMoves

    for library in MOVE_LIBRARIES:
        moves = RecordedMoves(library)
        if name in moves.list_moves():
            robot.play_move(moves.get(name), initial_goto_duration=1.0)
            return
    raise ValueError(f"there is no recorded move {name!r}")
