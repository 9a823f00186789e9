# rule: out-of-range
# success: none
from motion import head, perform, repeat, ramp
from reachy_mini import ReachyMini


def motion_by_sign(robot: ReachyMini, times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What was done.
    """
    return perform(robot, repeat(times, head(up=ramp(5, 20)), head(up=-15)))
