# rule: unknown-robot-method
# success: none
from reachy_mini import ReachyMini


def media_release(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.release_media()
    return times
