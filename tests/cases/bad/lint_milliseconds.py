# rule: long-sleep
from reachy_mini import ReachyMini


def lint_milliseconds(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.goto_target(body_yaw=0.1, duration=500)
    return times
