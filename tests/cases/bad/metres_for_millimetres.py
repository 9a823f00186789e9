# rule: out-of-range
# success: none
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def metres_for_millimetres(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_target(head=create_head_pose(z=10))
    return times
