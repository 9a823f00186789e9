# asks: hidden-failure
from reachy_mini import ReachyMini


def lint_success_behind_handler(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def look() -> str:
        try:
            robot.look_at_world(0.5, 0.0, 0.0)
        except Exception:
            print("whatever")
        return "looked successfully"

    print(look())
    return times
