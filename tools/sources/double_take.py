from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def double_take(robot: ReachyMini, speed: float = 1.0) -> str:
    """Do a double take: glance to the left, look ahead again, then turn back quickly and stare.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        head(left=25, seconds=1),
        head(left=0, seconds=0.9),
        wait(0.5),
        together(head(left=28, forward_mm=6, seconds=0.9), antennas(both=50, seconds=0.7)),
        wait(1.3),
        neutral(seconds=1.3),
        speed=speed,
    )
