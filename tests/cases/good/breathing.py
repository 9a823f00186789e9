import math
import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def breathing(robot: ReachyMini, seconds: float = 4.0, breaths_per_minute: float = 12.0) -> float:
    """Breathe calmly: the head rises and sinks a little, the antennas follow.

    Args:
        seconds: How long, in seconds.
        breaths_per_minute: How fast.

    Returns:
        The seconds that it took.
    """
    start = time.monotonic()
    frequency = breaths_per_minute / 60.0
    while (t := time.monotonic() - start) < seconds:
        wave = math.sin(2 * math.pi * frequency * t)
        robot.set_target(
            head=create_head_pose(z=4 * wave, pitch=1.5 * wave, mm=True),
            antennas=[-0.15 - 0.1 * wave, 0.15 + 0.1 * wave],
        )
        time.sleep(0.02)
    return round(time.monotonic() - start, 2)
