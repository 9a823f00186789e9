# layer: envelope
# class: robot_motion_abuse
# success: out of range
from reachy_mini import ReachyMini


def drops_its_head(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    for _ in range(5 * times):
        robot.disable_motors()
        robot.enable_motors()
        robot.set_target(antennas=[3.0, -3.0])
    return times
