# rule: unknown-argument
# success: none
from reachy_mini import ReachyMini


def misspelt_argument(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_target(antenas=[0.1, 0.1])
    return times
