from reachy_mini import ReachyMini
import time


def deadline_loop(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    deadline = time.monotonic() + 1.0
    while True:
        if time.monotonic() >= deadline:
            break
        robot.set_target(body_yaw=0.1)
        time.sleep(0.02)
    return times
