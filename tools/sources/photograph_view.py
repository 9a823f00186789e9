import math

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def photograph_view(robot: ReachyMini, yaw: float = 0.0, pitch: float = 0.0) -> dict[str, float]:
    """Look in a direction, take one photo, and report its size and brightness.

    Args:
        robot: The robot.
        yaw: How far the head turns to the left in degrees, negative to the right, between -45 and 45.
        pitch: How far the head looks down in degrees, negative up, between -20 and 20.

    Returns:
        Width and height in pixels and the brightness from 0 to 255; all are 0 without an image.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not -45.0 <= yaw <= 45.0:
        raise ValueError("yaw must be between -45 and 45")
    if not -20.0 <= pitch <= 20.0:
        raise ValueError("pitch must be between -20 and 20")
    seconds = max(0.6, math.hypot(yaw, pitch) / 25.0)
    robot.goto_target(head=create_head_pose(yaw=yaw, pitch=pitch), duration=seconds, body_yaw=None)
    frame = robot.media.get_frame()
    photo = {"width": 0.0, "height": 0.0, "brightness": 0.0}
    if frame is not None:
        photo = {
            "width": float(frame.shape[1]),
            "height": float(frame.shape[0]),
            "brightness": round(float(frame.mean()), 1),
        }
    robot.goto_target(head=create_head_pose(), duration=seconds, body_yaw=None)
    return photo
