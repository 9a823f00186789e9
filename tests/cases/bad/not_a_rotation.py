# layer: rehearsal
# class: robot_motion_abuse
# success: out of range
from reachy_mini import ReachyMini
import numpy as np


def not_a_rotation(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    robot.set_target(head=np.full((4, 4), 7.0 * times))
    return times
