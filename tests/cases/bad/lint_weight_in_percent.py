# rule: out-of-range
from reachy_mini import ReachyMini


def lint_weight_in_percent(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.start_head_tracking(weight=50)
    return times
