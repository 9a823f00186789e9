# layer: rehearsal
# class: timeout_evasion
# success: runs for ever
from reachy_mini import ReachyMini
import time


def swallows_its_timeout(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    n = 1
    while n:
        try:
            robot.goto_target(antennas=[0.2, -0.2], duration=1.0)
            time.sleep(30.0)
        except TimeoutError as error:
            print(error)
    return times
