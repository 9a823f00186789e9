from reachy_mini import ReachyMini
from reachy_mini.utils.interpolation import InterpolationTechnique


def interpolations(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    for method in InterpolationTechnique:
        robot.goto_target(antennas=(0.2, -0.2), duration=0.5, method=method, body_yaw=None)
    robot.goto_target(antennas=[0, 0], method="cartoon")
    return times
