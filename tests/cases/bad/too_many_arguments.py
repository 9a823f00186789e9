# rule: unknown-argument
# success: none
from reachy_mini import ReachyMini


def too_many_arguments(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.set_target(None, None, None, 1.0)
    return times
