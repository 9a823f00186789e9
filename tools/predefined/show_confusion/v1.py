from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def show_confusion(robot: ReachyMini, speed: float = 1.0) -> str:
    """Look confused: tilt the head, shake it a little, and tilt it the other way, with uneven antennas.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(tilt_left=14, seconds=0.9), antennas(left=45, seconds=0.9)),
        wait(0.5),
        repeat(2, head(left=8, seconds=0.5), head(right=8, seconds=0.6)),
        head(right=0, seconds=0.5),
        together(
            head(tilt_right=14, seconds=1.3),
            antennas(left_inward=10, right=45, seconds=1),
        ),
        wait(0.7),
        neutral(seconds=1),
        speed=speed,
    )
