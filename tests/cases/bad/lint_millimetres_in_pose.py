# asks: wrong-unit
from reachy_mini.utils import create_head_pose
from reachy_mini import ReachyMini


def lint_millimetres_in_pose(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    lift_mm = times * 2
    robot.set_target(head=create_head_pose(z=lift_mm))
    return times
