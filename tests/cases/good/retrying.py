import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def retrying(robot: ReachyMini, attempts: int = 3) -> str:
    """Try to reach a far pose, and take a nearer one where it can't be reached.

    Args:
        attempts: How often to try.

    Returns:
        What was reached.
    """
    angle = 50.0
    for attempt in range(1, attempts + 1):
        try:
            robot.goto_target(create_head_pose(pitch=angle), duration=1.0)
        except ValueError as error:
            print(f"attempt {attempt}: {error}")
            angle *= 0.6
            time.sleep(0.1)
        else:
            return f"reached {angle:.1f} degrees in attempt {attempt}"
    return "not reached"
