from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def welcome_somebody(robot: ReachyMini, size: float = 1.0, speed: float = 1.0) -> str:
    """Welcome somebody: lift the head, open both antennas wide, and nod once.

    Args:
        size: How wide the antennas open, between 0.5 and 1.5.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= size <= 1.5:
        raise ValueError("size must be between 0.5 and 1.5")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(up=10, rise_mm=8, seconds=0.9), antennas(both=70 * size, seconds=1)),
        wait(0.5),
        head(down=12, rise_mm=0, seconds=0.9),
        head(down=0, seconds=0.6),
        wait(0.4),
        neutral(seconds=1.2),
        speed=speed,
    )
