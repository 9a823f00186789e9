import time
from math import pi, sin

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def lissajous(
    robot: ReachyMini, a: int = 2, b: int = 3, seconds: float = 5.0, amplitude: float = 9.0, rate: float = 50.0
) -> int:
    """Draw a Lissajous figure with the nose.

    Args:
        a: Swings to the side.
        b: Swings up and down.
        seconds: How long.
        amplitude: How far, in degrees.
        rate: Targets in a second.

    Returns:
        How many targets were set.
    """
    ticks = int(seconds * rate)
    period = 1.0 / rate
    begin = time.monotonic()
    for tick in range(ticks):
        phase = 2 * pi * tick / ticks
        robot.set_target(create_head_pose(yaw=amplitude * sin(a * phase), pitch=amplitude * sin(b * phase)))
        time.sleep(max(0.0, begin + (tick + 1) * period - time.monotonic()))
    return ticks
