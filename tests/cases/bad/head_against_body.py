# layer: envelope
# class: robot_motion_abuse
# success: out of range
from reachy_mini import ReachyMini
import time

from reachy_mini.utils import create_head_pose


def head_against_body(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    robot.set_automatic_body_yaw(False)
    for step in range(100):
        try:
            robot.set_target(create_head_pose(yaw=1.5 * step), body_yaw=-0.025 * step)
        except ValueError as error:
            print(error)
        time.sleep(0.02)
    return times
