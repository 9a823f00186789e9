# asks: wrong-unit
from reachy_mini import ReachyMini


def lint_millimetres_to_look_at(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    height_mm = 100 * times
    robot.look_at_world(0.5, 0.0, height_mm)
    return times
