# asks: wrong-unit
from reachy_mini.utils import create_head_pose
from reachy_mini import ReachyMini


pitch_deg = 1.0


def lint_degrees_as_radians(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_target(head=create_head_pose(pitch=pitch_deg * times, degrees=False))
    return times
