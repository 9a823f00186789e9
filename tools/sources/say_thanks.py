from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def say_thanks(robot: ReachyMini, speed: float = 1.0) -> str:
    """Say thank you: open the antennas, make a small bow, and come up again.

    Args:
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        antennas(both=45, seconds=0.7),
        together(head(down=16, forward_mm=6, seconds=0.9), antennas(both=0, seconds=0.9)),
        wait(0.6),
        neutral(seconds=1.1),
        speed=speed,
    )
