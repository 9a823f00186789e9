# rule: robot-constructed
# success: none
from reachy_mini import ReachyMini


def own_robot(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    with ReachyMini() as robot:
        robot.wake_up()
    return times
