# asks: wrong-unit
from reachy_mini.utils import create_head_pose
import numpy as np
from reachy_mini import ReachyMini


def lint_radians_as_degrees(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_target(head=create_head_pose(pitch=np.deg2rad(20)), duration=1.0)
    return times
