from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def stretch(robot: ReachyMini, speed: float = 1.0) -> str:
    """Stretch: reach up with open antennas, bend back, lean forward, and settle.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(
            head(down=0, tilt_left=0, rise_mm=14, seconds=1.6),
            antennas(both=80, seconds=1.6),
        ),
        wait(0.6),
        head(up=12, back_mm=6, rise_mm=8, seconds=1.4),
        wait(0.5),
        together(
            head(down=14, forward_mm=8, rise_mm=0, seconds=1.8),
            antennas(both=30, seconds=1.4),
        ),
        wait(0.5),
        neutral(seconds=1.5),
        speed=speed,
    )
