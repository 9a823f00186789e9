# rule: unknown-robot-method
# success: none
from reachy_mini import ReachyMini


def misspelt_method(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_targets(duration=1.0)
    return times
