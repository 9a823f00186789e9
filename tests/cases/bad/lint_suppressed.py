# asks: swallowed-exception
from contextlib import suppress
from reachy_mini import ReachyMini


def lint_suppressed(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    with suppress(Exception):
        robot.look_at_world(0.5, 0.0, 0.0)
    return times
