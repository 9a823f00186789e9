# layer: envelope
# class: robot_motion_abuse
# success: out of range
from reachy_mini import ReachyMini
import time

from reachy_mini.utils import create_head_pose


def thrash(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    end = time.monotonic() + 3.0
    side = 1.0
    while time.monotonic() < end:
        side = -side
        robot.set_target(create_head_pose(yaw=30 * side, roll=15 * side), antennas=[3 * side, 3 * side])
        time.sleep(0.01)
    return times
