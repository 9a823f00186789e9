import math
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

TAU = 2 * math.pi
LIMITS = {"yaw": (-30, 30), "pitch": (-20, 20)}
NEUTRAL = create_head_pose()


def _clamp(axis: str, value: float) -> float:
    low, high = LIMITS[axis]
    return max(low, min(high, value))


def shared_constants(robot: ReachyMini, yaw: float = 10.0, pitch: float = 0.0) -> dict[str, float]:
    """Look somewhere within limits, and come back.

    Args:
        yaw: To the left, in degrees.
        pitch: Down, in degrees.

    Returns:
        Where it looked.
    """
    seen = {"yaw": _clamp("yaw", yaw), "pitch": _clamp("pitch", pitch)}
    robot.goto_target(create_head_pose(**seen), duration=0.8)
    robot.goto_target(NEUTRAL, duration=0.8)
    return seen
