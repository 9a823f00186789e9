from reachy_mini import ReachyMini
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _raised(robot: ReachyMini) -> Iterator[ReachyMini]:
    robot.enable_motors()
    try:
        yield robot
    finally:
        robot.set_target(antennas=[0.0, 0.0])


def context_manager(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    with _raised(robot) as mini:
        mini.set_target(antennas=[0.3, -0.3])
    return times
