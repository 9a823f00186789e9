from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def show_relief(robot: ReachyMini, speed: float = 1.0) -> str:
    """Look relieved: hold the head up, then let head and antennas sink with one long breath out.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(rise_mm=10, up=5, seconds=0.9), antennas(both=0, seconds=0.9)),
        wait(0.8),
        together(head(lower_mm=12, down=10, seconds=2.2), antennas(both=65, seconds=2.2)),
        wait(0.7),
        neutral(seconds=1.6),
        speed=speed,
    )
