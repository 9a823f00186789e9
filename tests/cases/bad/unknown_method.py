# rule: out-of-range
# success: none
from reachy_mini import ReachyMini


def unknown_method(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_target(body_yaw=0.1, method="cubic")
    return times
