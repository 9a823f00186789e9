from reachy_mini import ReachyMini
from motion import antennas, head, perform, repeat, together, wait


def ripple_dance(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Dance a ripple: a movement runs from the left antenna over the head to the right antenna and back.

    Args:
        times: How often the ripple runs across and back, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(
            times,
            antennas(left=50, seconds=0.5),
            together(antennas(left_inward=10, seconds=0.5), head(tilt_right=9, seconds=0.5)),
            together(antennas(right=50, seconds=0.5), head(tilt_right=0, seconds=0.5)),
            antennas(right_inward=10, seconds=0.5),
            together(head(tilt_left=9, seconds=0.5)),
            head(tilt_left=0, seconds=0.5),
        ),
        wait(0.2),
        speed=speed,
    )
