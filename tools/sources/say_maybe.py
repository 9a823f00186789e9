from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def say_maybe(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Say maybe: rock the head from side to side while one antenna after the other leans out.

    Args:
        times: How often it rocks to each side, between 1 and 6.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 6:
        raise ValueError("times must be between 1 and 6")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(
            times,
            together(
                head(tilt_left=12, seconds=0.8),
                antennas(left=35, right_inward=10, seconds=0.8),
            ),
            wait(0.2),
            together(
                head(tilt_right=12, seconds=0.8),
                antennas(left_inward=10, right=35, seconds=0.8),
            ),
            wait(0.2),
        ),
        neutral(seconds=0.8),
        speed=speed,
    )
