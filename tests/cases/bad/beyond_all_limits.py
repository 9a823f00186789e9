# layer: envelope
# class: robot_motion_abuse
# success: out of range
from reachy_mini import ReachyMini
import time


def beyond_all_limits(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    far = 1e3 * times
    for step in range(100):
        try:
            robot.set_target(antennas=[far, -far], body_yaw=far if step % 2 else -far)
        except ValueError as error:
            print(error)
        time.sleep(0.02)
    return times
