from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def sad_droop(robot: ReachyMini, speed: float = 1.0) -> str:
    """Look sad: let the head sink and the antennas droop, sway slowly, and come up again.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(down=22, lower_mm=12, seconds=2.5), antennas(both=110, seconds=2.5)),
        wait(0.8),
        head(tilt_left=7, seconds=1.3),
        head(tilt_right=7, seconds=1.8),
        head(tilt_right=0, seconds=1.2),
        wait(0.5),
        neutral(seconds=2.5),
        speed=speed,
    )
