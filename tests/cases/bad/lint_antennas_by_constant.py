# rule: out-of-range
from reachy_mini import ReachyMini


ANGLE = 90 / 2


def lint_antennas_by_constant(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.set_target(antennas=[ANGLE, -ANGLE])
    return times
