# rule: out-of-range
# success: none
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def far_pitch(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_target(head=create_head_pose(pitch=-55))
    return times
