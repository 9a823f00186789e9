from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def show_boredom(robot: ReachyMini, speed: float = 1.0) -> str:
    """Look bored: let the head lean to one side and sink, look away, and breathe out.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(tilt_right=12, down=8, seconds=1.6), antennas(both=50, seconds=1.6)),
        wait(0.8),
        head(right=22, seconds=1.4),
        wait(1),
        head(right=0, seconds=1.2),
        head(lower_mm=10, down=14, seconds=1.6),
        wait(0.6),
        neutral(seconds=1.8),
        speed=speed,
    )
