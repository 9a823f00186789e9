import time
from typing import Callable

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

Step = Callable[[float], dict[str, float]]


def closures_dance(robot: ReachyMini, bars: int = 2, tempo: float = 100.0) -> int:
    """Dance by mixing small movements.

    Args:
        bars: How many bars of four beats.
        tempo: Beats per minute.

    Returns:
        How many targets were set.
    """
    from math import pi, sin

    def sway(axis: str, amount: float, per_beat: float) -> Step:
        return lambda beat: {axis: amount * sin(2 * pi * per_beat * beat)}

    steps = [sway("roll", 8, 0.5), sway("yaw", 10, 0.25), sway("pitch", 4, 1.0)]
    targets = 0
    start = time.monotonic()
    while (beat := (time.monotonic() - start) * tempo / 60) < 4 * bars:
        pose: dict[str, float] = {}
        for step in steps:
            pose |= step(beat)
        robot.set_target(create_head_pose(**pose), antennas=[pose["roll"] / 20, -pose["roll"] / 20])
        targets += 1
        time.sleep(0.02)
    return targets
