# asks: wrong-unit
import math
from reachy_mini import ReachyMini


def lint_converted_twice(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    angle = math.radians(20 + times)
    robot.set_target(body_yaw=math.radians(angle))
    return times
