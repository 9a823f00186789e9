import json
from datetime import timedelta
import time

from reachy_mini import ReachyMini


def sensor_log(robot: ReachyMini, seconds: float = 1.0) -> str:
    """Keep a log of the antennas.

    Args:
        seconds: How long.

    Returns:
        The log as JSON text.
    """
    start = time.monotonic()
    lines = []
    while time.monotonic() - start < seconds:
        right, left = robot.get_present_antenna_joint_positions()
        lines.append({"t": str(timedelta(seconds=round(time.monotonic() - start, 1))), "right": right, "left": left})
        time.sleep(0.2)
    return json.dumps(lines, indent=None)
