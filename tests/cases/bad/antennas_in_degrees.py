# rule: out-of-range
# success: none
from reachy_mini import ReachyMini


def antennas_in_degrees(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.set_target(antennas=[45, -45])
    return times
