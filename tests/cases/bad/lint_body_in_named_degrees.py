# asks: wrong-unit
from reachy_mini import ReachyMini


def lint_body_in_named_degrees(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    for yaw_deg in (10.0, 20.0):
        robot.set_target(body_yaw=yaw_deg)
    return times
