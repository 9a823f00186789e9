from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def search_for_object(robot: ReachyMini, name: str = "cup", reach: float = 40.0) -> dict[str, float] | None:
    """Look for an object from the left to the right, stop at the first direction in which it is in view, and come back.

    Args:
        robot: The robot.
        name: What to look for, a class of the COCO data set such as "cup" or "person".
        reach: How far the head turns to each side in degrees, between 10 and 50.

    Returns:
        The yaw of the head in degrees, positive to the left, and the certainty from 0 to 1; nothing if it was not seen.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not 10.0 <= reach <= 50.0:
        raise ValueError("reach must be between 10 and 50")
    if not 1 <= len(name) <= 40:
        raise ValueError("name must have 1 to 40 characters")
    found: dict[str, float] | None = None
    for step in range(5):
        yaw = reach * (1.0 - step / 2.0)
        robot.goto_target(head=create_head_pose(yaw=yaw), duration=1.6 if step == 0 else 0.9, body_yaw=None)
        scores = [float(it["score"]) for it in robot.media.get_detections() if it["label"] == name.lower()]
        if scores:
            found = {"yaw": round(yaw, 1), "score": round(max(scores), 2)}
            break
    robot.goto_target(head=create_head_pose(), duration=1.5, body_yaw=None)
    return found
