# rule: invalid-step
# success: none
from motion import head, neutral, perform
from reachy_mini import ReachyMini


def motion_of_no_step(robot: ReachyMini, times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What was done.
    """
    return perform(robot, head(down=times), "nod", neutral)
