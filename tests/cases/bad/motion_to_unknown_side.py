# rule: unknown-argument
# success: none
from motion import head, perform, repeat
from reachy_mini import ReachyMini


def motion_to_unknown_side(robot: ReachyMini, times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What was done.
    """
    return perform(robot, repeat(times, head(roll=15), head()))
