# asks: wrong-unit
from reachy_mini.utils import create_head_pose
from reachy_mini import ReachyMini


def lint_metres_as_millimetres(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    lift_metres = times * 0.5
    robot.set_target(head=create_head_pose(z=lift_metres, mm=True))
    return times
