import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def scan_and_report(robot: ReachyMini, steps: int = 5, half_angle: float = 40.0) -> list[dict[str, float]]:
    """Look from one side to the other and note where the head really was.

    Args:
        steps: At how many places to stop.
        half_angle: How far to each side, in degrees.

    Returns:
        Asked and measured yaw of each place, in degrees.
    """
    import math

    places = []
    for index in range(max(2, steps)):
        yaw = -half_angle + 2 * half_angle * index / (max(2, steps) - 1)
        robot.goto_target(create_head_pose(yaw=yaw), duration=0.5)
        time.sleep(0.1)
        pose = robot.get_current_head_pose()
        measured = math.degrees(math.atan2(pose[1][0], pose[0][0]))
        places.append({"asked": round(yaw, 1), "measured": round(measured, 1)})
    robot.goto_target(create_head_pose(), duration=0.6)
    return places
