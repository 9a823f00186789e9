import math
import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def body_follows_head(robot: ReachyMini, yaw: float = 60.0, gain: float = 0.08) -> float:
    """Turn the head first and let the body follow, as people do.

    Args:
        yaw: Where to look, in degrees.
        gain: How eagerly the body follows, between 0 and 1.

    Returns:
        The body's angle at the end, in degrees.
    """
    body = 0.0
    for step in range(120):
        head = min(abs(yaw), step * 1.0) * math.copysign(1.0, yaw)
        body += gain * (head - body)
        robot.set_target(head=create_head_pose(yaw=head), body_yaw=math.radians(body))
        time.sleep(0.02)
    robot.goto_target(create_head_pose(), body_yaw=0.0, duration=1.5)
    return round(body, 1)
