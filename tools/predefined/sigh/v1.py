from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def sigh(robot: ReachyMini, speed: float = 1.0) -> str:
    """Sigh: rise with a slow breath in, then sink with the antennas, and rest.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        head(rise_mm=8, up=6, seconds=1.4),
        wait(0.2),
        together(head(lower_mm=10, down=10, seconds=1.8), antennas(both=55, seconds=1.8)),
        wait(0.8),
        neutral(seconds=1.6),
        speed=speed,
    )
