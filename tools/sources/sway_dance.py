from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together


def sway_dance(robot: ReachyMini, times: int = 4, speed: float = 1.0) -> str:
    """Dance by swaying from side to side at 60 beats per minute, one side on each beat.

    Args:
        times: How often it sways to each side, between 1 and 12.
        speed: The tempo as a multiple of 60 beats per minute, between 0.5 and 1.6.
    """
    if not 1 <= times <= 12:
        raise ValueError("times must be between 1 and 12")
    if not 0.5 <= speed <= 1.6:
        raise ValueError("speed must be between 0.5 and 1.6")
    return perform(
        robot,
        repeat(
            times,
            together(
                head(tilt_left=11, side_left_mm=8, seconds=1),
                antennas(left=35, right_inward=10, seconds=1),
            ),
            together(
                head(tilt_right=11, side_right_mm=8, seconds=1),
                antennas(left_inward=10, right=35, seconds=1),
            ),
        ),
        neutral(seconds=1),
        speed=speed,
    )
