# rule: out-of-range
from reachy_mini import ReachyMini


def lint_body_in_degrees(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    turn = 45
    robot.goto_target(body_yaw=turn, duration=1.0)
    return times
