# rule: unsupported-parameter
# success: none
from reachy_mini import ReachyMini


def robot_comes_last(times: int, robot: ReachyMini) -> int:
    """Count."""
    robot.wake_up()
    return times
