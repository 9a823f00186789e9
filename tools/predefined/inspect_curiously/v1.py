from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def inspect_curiously(robot: ReachyMini, size: float = 1.0, speed: float = 1.0) -> str:
    """Look curious: lean forward and tilt the head to one side and then the other, each time with one antenna out.

    Args:
        size: How far the head tilts, between 0.5 and 1.4.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= size <= 1.4:
        raise ValueError("size must be between 0.5 and 1.4")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            head(forward_mm=10, tilt_left=14 * size, seconds=0.9),
            antennas(left=40, seconds=0.9),
        ),
        wait(0.8),
        together(
            head(tilt_right=14 * size, seconds=1.3),
            antennas(left_inward=10, right=40, seconds=1),
        ),
        wait(0.8),
        neutral(seconds=1.1),
        speed=speed,
    )
