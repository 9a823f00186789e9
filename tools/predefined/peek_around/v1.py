from reachy_mini import ReachyMini
from motion import head, perform, repeat, wait


def peek_around(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Peek around a corner: shift and turn the head to the left, look, and draw it back.

    Args:
        times: How often it peeks, between 1 and 5.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(
            times,
            head(side_left_mm=12, left=18, tilt_left=10, seconds=1),
            wait(0.7),
            head(seconds=0.9),
            wait(0.4),
        ),
        speed=speed,
    )
