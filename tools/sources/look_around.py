from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def look_around(robot: ReachyMini, reach: float = 40.0, stops: int = 3) -> list[dict[str, float]]:
    """Turn the head from the right to the left and measure how bright it is in each direction.

    Args:
        robot: The robot.
        reach: The farthest yaw to either side in degrees, between 5 and 60.
        stops: In how many directions to look, between 2 and 9.

    Returns:
        Yaw in degrees and brightness from 0 to 255, direction by direction; -1 where there is no picture.

    Raises:
        ValueError: If an argument is out of range.
    """
    if not 5.0 <= reach <= 60.0:
        raise ValueError("reach must be between 5 and 60")
    if not 2 <= stops <= 9:
        raise ValueError("stops must be between 2 and 9")
    seen: list[dict[str, float]] = []
    for stop in range(stops):
        yaw = reach * (2.0 * stop / (stops - 1) - 1.0)
        robot.goto_target(head=create_head_pose(yaw=yaw), duration=0.8, body_yaw=None)
        frame = robot.media.get_frame()
        brightness = float(frame.mean()) if frame is not None else -1.0
        seen.append({"yaw": round(yaw, 1), "brightness": round(brightness, 1)})
    robot.goto_target(head=create_head_pose(), duration=0.8, body_yaw=None)
    return seen
