import math
import time

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

REST = [-0.17, 0.17]


def look_about(robot: ReachyMini, rounds: int = 2, reach: float = 20.0, lively: bool = True) -> dict[str, float]:
    """Look to both sides, lean, nod along a stream of targets and come back, as a small idle behaviour.

    Args:
        robot: The robot.
        rounds: How often to both sides, 1 to 4.
        reach: How far to each side, in degrees, up to 30.
        lively: Whether the antennas follow.

    Returns:
        What was measured: the targets that were sent, and how far the head turned on average, in degrees.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not 1 <= rounds <= 4:
        raise ValueError("rounds must be from 1 to 4")
    if not 0.0 < reach <= 30.0:
        raise ValueError("reach must be more than 0 and up to 30 degrees")
    angles = []
    for place in range(rounds):
        lean = 6.0 * math.cos(place)
        for side in (1.0, -1.0):
            head = create_head_pose(z=4.0, roll=lean, yaw=side * reach, mm=True, degrees=True)
            antennas = [side * 0.4, side * 0.4] if lively else REST
            robot.goto_target(head=head, antennas=antennas, duration=1.0)
            angles.append(abs(measured_yaw(robot)))
            time.sleep(0.2)
    robot.goto_target(head=create_head_pose(), antennas=REST, duration=1.0)
    sent = nod_along(robot, seconds=3.4)
    robot.goto_target(head=create_head_pose(), antennas=REST, duration=0.8)
    return {"targets": float(sent), "mean_yaw": float(np.mean(angles))}


def measured_yaw(robot: ReachyMini) -> float:
    """How far the head is turned, in degrees."""
    pose = robot.get_current_head_pose()
    return math.degrees(math.atan2(pose[1, 0], pose[0, 0]))


def nod_along(robot: ReachyMini, seconds: float) -> int:
    """Nod gently in a stream of targets; how many there were."""
    began = time.monotonic()
    sent = 0
    while (passed := time.monotonic() - began) < seconds:
        pitch = 5.0 * math.sin(math.tau * 0.7 * passed)
        robot.set_target(head=create_head_pose(pitch=pitch, degrees=True))
        sent += 1
        time.sleep(0.02)
    return sent
