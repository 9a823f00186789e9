import math
import time

from reachy_mini import ReachyMini


def wave(robot: ReachyMini, seconds: float = 1.0, per_second: float = 1.0, swing: float = 0.5) -> int:
    """Swing both antennas against each other in a stream of targets, 50 a second.

    Args:
        robot: The robot.
        seconds: How long.
        per_second: Swings per second.
        swing: How far to each side, in radians.

    Returns:
        How many targets were sent.
    """
    swing = min(abs(swing), 1.0)
    ends = min(max(seconds, 0.1), 20.0)
    began = time.monotonic()
    targets = 0
    while True:
        passed = time.monotonic() - began
        if passed >= ends:
            break
        angle = swing * math.sin(math.tau * per_second * passed)
        robot.set_target(antennas=[angle, -angle])
        targets += 1
        time.sleep(0.02)
    robot.goto_target(antennas=[-0.17, 0.17], duration=0.5, body_yaw=None)
    return targets
