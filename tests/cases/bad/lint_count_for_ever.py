# asks: endless-loop
import itertools
import time
from reachy_mini import ReachyMini


def lint_count_for_ever(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    for step in itertools.count():
        robot.set_target(body_yaw=0.1 * (step % 2))
        time.sleep(0.02)
    return times
