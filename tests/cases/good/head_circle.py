import time

import numpy as np

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def head_circle(robot: ReachyMini, turns: int = 2, radius_deg: float = 10.0, period: float = 2.0) -> None:
    """Draw circles with the head at 50 Hz.

    Args:
        turns: How many circles.
        radius_deg: Radius in degrees.
        period: Seconds of one circle.
    """
    t0 = time.time()
    while True:
        t = time.time() - t0
        if t > turns * period:
            break
        angle = 2 * np.pi * t / period
        head = create_head_pose(yaw=radius_deg * np.sin(angle), pitch=radius_deg * np.cos(angle), degrees=True)
        robot.set_target(head=head)
        time.sleep(0.02)
    robot.goto_target(head=create_head_pose(), duration=0.5)
