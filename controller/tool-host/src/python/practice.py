"""The tool that the zygote runs for warm-up before its first fork."""

import math
import time
from dataclasses import dataclass

import motion
import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

HEIGHTS = {"low": -0.12, "high": 0.12}


@dataclass
class Place:
    height: float
    name: str = "ahead"


def practice(robot: ReachyMini, times: int = 2, pace: float = 1.0, *, lively: bool = True) -> dict[str, float]:
    """Does a few typical things.

    Args:
        robot: The robot, which is not connected here.
        times: Number of repetitions.
        pace: Speed factor.
        lively: Whether the antennas move.

    Returns:
        Statistics.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not 1 <= times <= 10:
        raise ValueError(f"times must be from 1 to 10, not {times}")
    duration = max(0.3, 0.5 / pace)
    began = time.monotonic()
    places = [Place(height, name) for name, height in HEIGHTS.items()]
    asked, angles = 0, []
    for place in places * times:
        head = create_head_pose(z=3.0, pitch=10.0 * math.sin(place.height), mm=True, degrees=True)
        antennas = [0.4, -0.4] if lively else None
        for ask in (
            lambda head=head: robot.goto_target(head=head, antennas=antennas, duration=duration, body_yaw=0.1),
            lambda head=head: robot.set_target(head=head, antennas=antennas, body_yaw=None),
            lambda place=place: robot.look_at_world(x=0.5, y=0.0, z=place.height, duration=duration),
            lambda: robot.get_current_head_pose(),
            lambda: robot.get_current_joint_positions(),
            lambda: time.sleep(0.05),
        ):
            try:
                ask()
            except RuntimeError:
                # No host is connected during warm-up.
                asked += 1
        angles.append(float(np.degrees(np.arctan2(head[1, 0], head[0, 0]))))
    try:
        nods = motion.repeat(times, motion.head(down=15), motion.head())
        motion.perform(robot, motion.together(nods, motion.antennas(both=30)), motion.neutral(), speed=pace)
    except RuntimeError:
        asked += 1
    passed = time.monotonic() - began
    print(f"{asked} asked", round(passed, 2))
    return {"asked": asked, "mean": float(np.mean(angles)), "passed": passed}
