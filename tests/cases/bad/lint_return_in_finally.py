# asks: hidden-failure
from reachy_mini import ReachyMini


def lint_return_in_finally(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def look() -> int:
        try:
            robot.look_at_world(0.5, 0.0, 0.0)
        finally:
            return 1

    print(look())
    return times
