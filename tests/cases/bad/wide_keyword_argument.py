# rule: non-ascii-identifier
# class: unicode_nfkc
# success: none
from reachy_mini import ReachyMini


def wide_keyword_argument(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    robot.goto_target(ａntennas=[0.1, 0.1], duration=0.5)
    return times
