# layer: cage
# class: whitelisted_io
# success: none
from reachy_mini import ReachyMini


def sound_outside(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    robot.media.play_sound("../../../../etc/hostname")
    return times
