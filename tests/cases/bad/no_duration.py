# rule: out-of-range
# success: none
from reachy_mini import ReachyMini


def no_duration(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_target(duration=0)
    return times
