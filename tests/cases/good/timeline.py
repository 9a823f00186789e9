import time
from dataclasses import dataclass
from typing import Protocol

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


class Action(Protocol):
    def __call__(self, robot: ReachyMini) -> None: ...


@dataclass(order=True)
class Cue:
    at: float
    label: str


def _perk(robot: ReachyMini) -> None:
    robot.set_target(antennas=[0.3, -0.3])


def _settle(robot: ReachyMini) -> None:
    robot.set_target(antennas=[0.0, 0.0], head=create_head_pose())


def _lean(robot: ReachyMini) -> None:
    robot.set_target(head=create_head_pose(roll=6))


ACTIONS: dict[str, Action] = {"perk": _perk, "lean": _lean, "settle": _settle}


def timeline(robot: ReachyMini) -> list[str]:
    """Play a timeline of cues.

    Returns:
        When each cue was really played.
    """
    cues = sorted([Cue(1.5, "settle"), Cue(0.2, "perk"), Cue(0.8, "lean")])
    start = time.monotonic()
    log = []
    for cue in cues:
        delay = cue.at - (time.monotonic() - start)
        if delay > 0:
            time.sleep(delay)
        ACTIONS[cue.label](robot)
        log.append(f"{time.monotonic() - start:4.1f} {cue.label:>8}")
    time.sleep(0.5)
    return log
