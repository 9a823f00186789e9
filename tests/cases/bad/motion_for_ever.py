# rule: out-of-range
# success: none
from motion import face, head, perform, repeat, until
from reachy_mini import ReachyMini


def motion_for_ever(robot: ReachyMini, times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What was done.
    """
    return perform(robot, repeat(1_000_000, head(down=10), head()), until(face(), head(left=times), at_most=100_000))
